import { manyLines } from "../../channel/foreign-text.ts";
import { plain, styledText } from "../../channel/styled-text.ts";
import { escapeInvisible } from "../../errors.ts";
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

/**
 * The params of something wanted as they go on to the client. A question of the server's says first whose it is, and its text
 * stands behind a bar, made visible, in each row: it can't look like a question of ours.
 */
export function asShown(server: string, method: WantedMethod, params: Members): Members {
  if (method !== "elicitation/create") return params;
  const text = memberOf(params, "message");
  const { lines } = manyLines("it says", typeof text === "string" ? text : "", MOST_UNITS, "");
  const head = [
    plain(`The MCP server ${server} asks this. It is no question of cofferdam's, and allows nothing.`),
  ];
  const message = styledText([head, ...lines]).text;
  const schema = membersOf(memberOf(params, "requestedSchema"));
  return { ...params, message, ...(schema === null ? {} : { requestedSchema: labelled(server, schema) }) };
}

/** Its fields say whose they are, too: some clients show them apart. */
function labelled(server: string, schema: Members): Members {
  const properties = membersOf(memberOf(schema, "properties"));
  if (properties === null) return schema;
  const shown = Object.entries(properties).map(([name, property]): [string, unknown] => {
    const members = membersOf(property);
    if (members === null) return [name, property];
    const title = memberOf(members, "title");
    const text = typeof title === "string" ? title : name;
    const description = memberOf(members, "description");
    return [
      name,
      {
        ...members,
        title: `${server}: ${escapeInvisible(text)}`,
        ...(typeof description === "string" ? { description: escapeInvisible(description) } : {}),
      },
    ];
  });
  return { ...schema, properties: Object.fromEntries(shown) };
}
