import { columns } from "../../channel/columns.ts";
import { keptRulesOf } from "../../config/kept-rules.ts";
import { visible } from "../../errors.ts";
import type { Grant } from "../../policy/grant.ts";
import type { KeptRule, KeptState } from "../../policy/kept-rule.ts";
import { answeringDesk } from "../answering-desk.ts";
import { COMMON, knownWord, parseWords, readArguments, usage } from "../arguments.ts";
import { hanging, SHORT, startsIn } from "../hanging.ts";
import type { Print } from "../print.ts";

/** Lists the grants of sessions, and revokes them. See `cofferdam grants --help`. */
export async function grants(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("grants", args, COMMON);
  const { json = false } = values;
  const [word = "list", named = ""] = positionals;
  const action = knownWord("grants", "action", word, ["list", "revoke"]);
  const takesId = action === "revoke";
  parseWords("grants", positionals, ["ACTION", ...(takesId ? ["ID"] : [])], takesId ? 2 : 0);
  await using desk = await answeringDesk(values, print);
  const { broker, host, loaded } = desk;
  const kept = keptRulesOf(host, loaded.config)?.list() ?? [];
  const all: readonly ListedGrant[] = [
    ...(await broker.grants(null)),
    ...kept.map(({ rule, state }) => ({ kind: "kept" as const, grantId: rule.id, state, ...rule })),
  ];
  if (action === "list") {
    if (json) print.json(all);
    else if (all.length === 0) print.talk("no answers are remembered");
    else
      for (const line of columns(all.map(rowOf)))
        for (const row of hanging(line, print.width)) print.result(startsIn(print.ink.bold, row));
    return 0;
  }
  const [only, ...others] = named === "" ? [] : all.filter(({ grantId }) => grantId.startsWith(named));
  if (only === undefined || others.length > 0)
    throw usage(
      "grants",
      only === undefined ? `unknown grant ${visible(named)}` : `several grants begin with ${visible(named)}`,
      "run `cofferdam grants list`",
    );
  const { grantId, kind } = only;
  const isGone =
    kind === "kept"
      ? await broker.memory.drop(grantId, host.user.name)
      : await broker.revoke(grantId, host.user.name);
  if (json) print.json({ revoked: isGone, grant: only });
  else print.result(`${isGone ? "revoked" : "already gone"}: ${visible(only.covers)}`);
  return 0;
}

/** A grant of a session, or a rule kept for this project. */
type ListedGrant =
  | Grant
  | (KeptRule & { readonly kind: "kept"; readonly grantId: string; readonly state: KeptState });

function rowOf(grant: ListedGrant): readonly string[] {
  const { grantId, covers, by, kind } = grant;
  const tool = kind === "kept" ? (grant.cover.of === "commands" ? "shell" : grant.cover.tool) : grant.tool;
  return [grantId.slice(0, SHORT), tool, `${covers}${limitsInWords(grant)}`, `by ${by}`];
}

function limitsInWords(grant: ListedGrant): string {
  if (grant.kind === "rejection") return " (rejected)";
  if (grant.kind === "host") return "";
  const { until = null, maxUses = null } = grant;
  const words = [
    ...(grant.kind === "kept"
      ? ["kept for this project", ...(grant.state === "active" ? [] : [grant.state])]
      : []),
    ...(until === null ? [] : [`until ${new Date(until).toISOString()}`]),
    ...(maxUses === null ? [] : [`${maxUses} ${maxUses === 1 ? "call" : "calls"} in all`]),
  ];
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}
