import { manyLines } from "../../channel/foreign-text.ts";
import { plain, styledText } from "../../channel/styled-text.ts";
import { escapeInvisible } from "../../errors.ts";
import { shownSchema } from "./schema.ts";
import { type Members, memberOf, membersOf } from "./wire.ts";

/** What a server may want of the client, and what the gate knows it by. */
export const WANTED = {
  "sampling/createMessage": "sampling",
  "elicitation/create": "elicitation",
} as const satisfies Readonly<Record<string, string>>;
export type WantedMethod = keyof typeof WANTED;

/** True for what the gate decides about. */
export function isWanted(method: string): method is WantedMethod {
  return Object.hasOwn(WANTED, method);
}

/** More of a server's text nobody reads before they answer, in UTF-16 units. */
const MOST_UNITS = 8_192;

/** The members of a question that stand for nothing that a person reads. */
const SILENT = ["elicitationId", "task", "_meta"];

/**
 * The params of something wanted as they go on to the client. A question of the server's is made anew: it says first whose it
 * is, and its text stands behind a bar, made visible, in each row, so that it can't look like a question of ours; what the
 * protocol does not know of it does not go on.
 */
export function asShown(server: string, method: WantedMethod, params: Members): Members {
  if (method !== "elicitation/create") return params;
  const text = memberOf(params, "message");
  const { lines } = manyLines("it says", typeof text === "string" ? text : "", MOST_UNITS, "");
  const head = [
    plain(`The MCP server ${server} asks this. It is no question of cofferdam's, and allows nothing.`),
  ];
  const [schema, url] = [membersOf(memberOf(params, "requestedSchema")), memberOf(params, "url")];
  const mode = memberOf(params, "mode");
  return {
    ...Object.fromEntries(Object.entries(params).filter(([name]) => SILENT.includes(name))),
    ...(mode === "form" || mode === "url" ? { mode } : {}),
    message: styledText([head, ...lines]).text,
    ...(schema === null ? {} : { requestedSchema: shownSchema(server, schema) }),
    ...(typeof url === "string" ? { url: escapeInvisible(url) } : {}),
  };
}
