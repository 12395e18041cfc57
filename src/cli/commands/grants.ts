import { columns } from "../../channel/columns.ts";
import { visible } from "../../errors.ts";
import { createDesk } from "../../session/desk.ts";
import { COMMON, chosen, knownWord, parseWords, readArguments, usage } from "../arguments.ts";
import type { Print } from "../print.ts";

const SHORT = 8;

/** Lists the grants of sessions, and revokes them. See `cofferdam grants --help`. */
export async function grants(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("grants", args, COMMON);
  const { json = false } = values;
  const [word = "list", named = ""] = positionals;
  const action = knownWord("grants", "action", word, ["list", "revoke"]);
  const takesId = action === "revoke";
  parseWords("grants", positionals, ["ACTION", ...(takesId ? ["ID"] : [])], takesId ? 2 : 0);
  await using desk = await createDesk(chosen(values));
  const { broker, host } = desk;
  const all = await broker.grants(null);
  if (action === "list") {
    const rows = all.map(({ grantId, tool, covers, by }) => [
      grantId.slice(0, SHORT),
      tool,
      covers,
      `by ${by}`,
    ]);
    if (json) print.json(all);
    else if (rows.length === 0) print.talk("no approvals are remembered");
    else for (const line of columns(rows, [print.ink.bold])) print.result(line);
    return 0;
  }
  const [only, ...others] = named === "" ? [] : all.filter(({ grantId }) => grantId.startsWith(named));
  if (only === undefined || others.length > 0)
    throw usage(
      "grants",
      only === undefined ? `unknown grant ${visible(named)}` : `several grants begin with ${visible(named)}`,
      "run `cofferdam grants list`",
    );
  const isGone = await broker.revoke(only.grantId, host.user.name);
  if (json) print.json({ revoked: isGone, grant: only });
  else print.result(`${isGone ? "revoked" : "already gone"}: ${visible(only.covers)}`);
  return 0;
}
