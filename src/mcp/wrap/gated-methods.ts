import { manyLines } from "../../channel/foreign-text.ts";
import { plain, styledText } from "../../channel/styled-text.ts";
import { escapeInvisible } from "../../errors.ts";
import { shownSchema } from "./form-schema.ts";
import { type JsonObject, memberOf, objectOf } from "./json-rpc.ts";

/** The requests of a server that go through the gate, and their names there. */
export const GATED_METHODS = {
  "sampling/createMessage": "sampling",
  "elicitation/create": "elicitation",
} as const satisfies Readonly<Record<string, string>>;
export type GatedMethod = keyof typeof GATED_METHODS;

/** True for a method that the gate decides about. */
export function isGated(method: string): method is GatedMethod {
  return Object.hasOwn(GATED_METHODS, method);
}

/** Maximum length of a server's message, in UTF-16 units: people do not read more before they answer. */
const MAX_MESSAGE_LENGTH = 8_192;
/** Members of an elicitation that people do not see. */
const HIDDEN = ["elicitationId", "task", "_meta"];

/**
 * The params of a server's request as forwarded, without unknown members. An elicitation begins with the server's
 * name, and each line is made visible after a bar, so that it cannot look like our own.
 */
export function shownParams(server: string, method: GatedMethod, params: JsonObject): JsonObject {
  if (method !== "elicitation/create") return params;
  const text = memberOf(params, "message");
  const { lines } = manyLines("message", typeof text === "string" ? text : "", MAX_MESSAGE_LENGTH, "");
  const head = plain(
    `The MCP server ${server} asks this. The question is not from cofferdam, and your answer approves nothing.`,
  );
  const [schema, url] = [objectOf(memberOf(params, "requestedSchema")), memberOf(params, "url")];
  const mode = memberOf(params, "mode");
  return {
    ...Object.fromEntries(Object.entries(params).filter(([name]) => HIDDEN.includes(name))),
    ...(mode === "form" || mode === "url" ? { mode } : {}),
    message: styledText([[head], ...lines]).text,
    ...(schema === null ? {} : { requestedSchema: shownSchema(server, schema) }),
    ...(typeof url === "string" ? { url: escapeInvisible(url) } : {}),
  };
}
