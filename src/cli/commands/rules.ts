import { isDeepStrictEqual } from "node:util";
import { examplesOf } from "../../approval/scope-offers.ts";
import { columns } from "../../channel/columns.ts";
import { type KeptRules, keptRulesOf, type ListedRule } from "../../config/kept-rules.ts";
import { CofferdamError, escapeInvisible, visible } from "../../errors.ts";
import { coverInWords } from "../../policy/cover.ts";
import { type SuggestedRule, suggestionNamed, suggestRules } from "../../policy/suggest.ts";
import { createDesk, type Desk } from "../../session/desk.ts";
import { answeringDesk } from "../answering-desk.ts";
import { COMMON, chosen, knownWord, parseWords, readArguments, usage } from "../arguments.ts";
import { hanging, SHORT, startsIn } from "../hanging.ts";
import type { Print } from "../print.ts";

const OPTIONS = {
  ...COMMON,
  since: { type: "string" },
  for: { type: "string" },
  until: { type: "string" },
} as const;
const ACTIONS = ["list", "show", "suggest", "keep", "drop"] as const;
const DAY_MS = 24 * 60 * 60 * 1000;
const DEFAULT_DAYS = 30;

/** Lists, suggests, keeps and drops rules of this project. See `cofferdam rules --help`. */
export async function rules(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("rules", args, OPTIONS);
  const { json = false, since, until } = values;
  const [word = "list", named = ""] = positionals;
  const action = knownWord("rules", "action", word, ACTIONS);
  const takesId = action === "show" || action === "keep" || action === "drop";
  parseWords("rules", positionals, ["ACTION", ...(takesId ? ["ID"] : [])], takesId ? 2 : 0);
  // A rule is kept for the rules and roots in force, so this needs them.
  await using desk = await (action === "keep" ? createDesk(chosen(values)) : answeringDesk(values, print));
  const kept = keptRulesOf(desk.host, desk.loaded.config);
  if (kept === null)
    throw new CofferdamError("CONFIG_INVALID", "there is no config to keep rules for", {
      hint: "write one with `cofferdam init`",
    });
  switch (action) {
    case "list":
      return list(kept, json, print);
    case "show":
      return show(listed(kept, named), json, print);
    case "suggest":
      return suggest(notKept(await suggestionsAt(desk, since), kept), json, print);
    case "keep":
      return await keep(desk, kept, named, { since, until, agent: values.for ?? null }, json, print);
    case "drop":
      return await drop(desk, listed(kept, named), json, print);
  }
}

function list(kept: KeptRules, json: boolean, print: Print): number {
  const all = kept.list();
  if (json) print.json(all);
  else if (all.length === 0) print.talk("no rules are kept for this project");
  else
    for (const line of columns(
      all.map(({ rule, state }) => [
        rule.id.slice(0, SHORT),
        state,
        `${rule.covers}${rule.agent === null ? "" : `, for the agent ${visible(rule.agent)}`}`,
        `by ${rule.by}`,
      ]),
    ))
      for (const row of hanging(line, print.width)) print.result(startsIn(print.ink.bold, row));
  return 0;
}

function show({ rule, state }: ListedRule, json: boolean, print: Print): number {
  if (json) {
    print.json({ rule, state });
    return 0;
  }
  const time = (at: number): string => new Date(at).toISOString();
  const rows: readonly (readonly [string, string])[] = [
    ["id", rule.id],
    ["state", state],
    ["covers", rule.covers],
    ["agent", rule.agent ?? "any"],
    ["given by", `${rule.by}, ${time(rule.at)}`],
    ["from", rule.from.join(", ")],
    ["until", rule.until === null ? "90 days without use" : time(rule.until)],
    ["calls", rule.maxUses === null ? "any number" : `${rule.uses} of ${rule.maxUses}`],
    ...rule.match.map((text) => ["covered", visible(text)] as const),
    ...rule.notMatch.map((text) => ["not covered", visible(text)] as const),
  ];
  const label = Math.max(...rows.map(([name]) => name.length));
  for (const line of columns(rows))
    for (const row of hanging(line, print.width, label + 2))
      print.result(`${print.ink.bold(row.slice(0, label))}${row.slice(label)}`);
  return 0;
}

async function suggestionsAt(
  { broker, host, loaded }: Desk,
  since: string | undefined,
): Promise<readonly SuggestedRule[]> {
  const found = /^(\d{1,4})d$/.exec(since ?? `${DEFAULT_DAYS}d`);
  if (found === null)
    throw usage(
      "rules",
      `invalid \`--since\`: ${visible(since ?? "")}`,
      "write a number of days, for example `30d`",
    );
  const from = host.now() - Number(found[1]) * DAY_MS;
  const calls = await broker.memory.recorded.of(loaded.config.workspace);
  return suggestRules(calls.filter(({ at }) => at >= from));
}

/** The suggestions without those that answer calls already. */
function notKept(all: readonly SuggestedRule[], kept: KeptRules): readonly SuggestedRule[] {
  const active = kept.list().filter(({ rule, state }) => state === "active" && rule.agent === null);
  return all.filter(({ cover }) => !active.some(({ rule }) => isDeepStrictEqual(rule.cover, cover)));
}

function suggest(all: readonly SuggestedRule[], json: boolean, print: Print): number {
  if (json) {
    print.json(all);
    return 0;
  }
  if (all.length === 0) print.talk("no rule can be suggested from the recorded answers");
  for (const { id, cover, passed, total, calls } of all) {
    const rows = (line: string): readonly string[] => hanging(line, print.width);
    for (const row of rows(`${id}  ${coverInWords(cover)}`)) print.result(print.ink.bold(row));
    const told = `would have let pass ${passed} of ${total} recorded calls: ${calls.map(visible).join("; ")}`;
    for (const row of rows(`          ${told}`)) print.result(row);
    if (cover.of === "commands")
      for (const { pattern, exact } of cover.patterns)
        for (const row of rows(
          `          - { pattern: ${escapeInvisible(JSON.stringify(pattern))}, approval: false${exact ? ", exact: true" : ""} }`,
        ))
          print.result(row);
  }
  if (all.length > 0) print.talk("keep one with `cofferdam rules keep ID`");
  return 0;
}

interface KeepOptions {
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly agent: string | null;
}

async function keep(
  desk: Desk,
  kept: KeptRules,
  named: string,
  { since, until, agent }: KeepOptions,
  json: boolean,
  print: Print,
): Promise<number> {
  const { broker, host, loaded } = desk;
  if (!loaded.ceiling.approval.keptRules)
    throw new CofferdamError("CONFIG_INVALID", "an operator profile permits no kept rules", {
      hint: "add the rule to the config instead",
    });
  const sleeping = kept.list().filter(({ rule, state }) => state === "asleep" && rule.id.startsWith(named));
  const [only, ...others] = sleeping;
  const suggested = suggestionNamed(await suggestionsAt(desk, since), named);
  if (only !== undefined && others.length === 0 && suggested === null) {
    await kept.confirm(only.rule.id);
    print.result(`kept: ${only.rule.covers}`);
    return 0;
  }
  if (suggested === null)
    throw usage("rules", `unknown suggestion ${visible(named)}`, "run `cofferdam rules suggest`");
  const end = until === undefined ? null : Date.parse(until);
  if (end !== null && !(end > host.now()))
    throw usage(
      "rules",
      `invalid \`--until\`: ${visible(until ?? "")}`,
      "write a later date, for example `2030-12-31`",
    );
  const { cover, from } = suggested;
  const covers = coverInWords(cover);
  const same = kept.list().find(({ rule }) => rule.agent === agent && isDeepStrictEqual(rule.cover, cover));
  const given = {
    id: same?.rule.id ?? host.id(),
    cover,
    covers,
    agent,
    by: host.user.name,
    at: host.now(),
    from,
  };
  const recorded = await broker.memory.recorded.of(loaded.config.workspace);
  const rule = { ...given, until: end, maxUses: null, ...examplesOf(cover, recorded) };
  await broker.memory.keep(rule, "none");
  if (json) print.json(rule);
  else print.result(`kept: ${covers}`);
  return 0;
}

async function drop(
  { broker, host }: Desk,
  { rule }: ListedRule,
  json: boolean,
  print: Print,
): Promise<number> {
  const dropped = await broker.memory.drop(rule.id, host.user.name);
  if (json) print.json({ dropped, rule });
  else print.result(`${dropped ? "dropped" : "already gone"}: ${rule.covers}`);
  return 0;
}

/** The kept rule under an id or its beginning. Throws `USAGE`. */
function listed(kept: KeptRules, named: string): ListedRule {
  const [only, ...others] = kept.list().filter(({ rule }) => rule.id.startsWith(named));
  if (only !== undefined && others.length === 0) return only;
  throw usage(
    "rules",
    only === undefined ? `unknown rule ${visible(named)}` : `several rules begin with ${visible(named)}`,
    "run `cofferdam rules list`",
  );
}
