import type { Standings } from "../backend/plan.ts";
import { PROTECTIONS } from "../backend/plan.ts";
import type { Action } from "../policy/approval-section.ts";
import type { Verdict } from "../policy/verdict.ts";
import { printShortfall } from "../profile/shortfall.ts";
import type { Granted, Standing } from "../supervisor/prepare.ts";
import { columns } from "./columns.ts";
import type { Ink } from "./ink.ts";
import { printLimits, printNetwork } from "./profile-text.ts";

/** The colour that an action has everywhere. */
export function tintOf(action: Action, ink: Ink): (text: string) => string {
  return { allow: ink.good, ask: ink.warn, deny: ink.bad }[action];
}

/** Every rule that spoke: who says it, which rule, what it says, and why. */
export function ruleRows({ hits }: Verdict): readonly (readonly string[])[] {
  return hits.map((hit) => [hit.layer, hit.rule, hit.action, hit.reason ?? ""]);
}

/** How each protection stands, in the order of receipts. */
export function standingLines(standings: Standings, ink: Ink): readonly string[] {
  const rows = PROTECTIONS.map((name) => {
    const standing = standings[name];
    return [name, standing.kind, "reason" in standing ? standing.reason : ""];
  });
  return columns(rows, [undefined, undefined, ink.dim]);
}

/** What a call gets, in as few lines as a person can decide on. */
export function grantRows(standing: Standing, granted: Granted): readonly (readonly string[])[] {
  const { profile } = granted;
  const isRuntime = (path: string): boolean =>
    standing.settings.runtimes.some((runtime) => runtime.read.some((one) => one === path));
  const paths = (access: "read" | "write"): readonly string[] =>
    profile.files
      .filter((entry) => entry.access === access && !isRuntime(entry.path))
      .map((entry) => entry.path);
  const runtimes = standing.settings.runtimes.map((runtime) => runtime.name).join(", ");
  const [write, read] = [paths("write"), paths("read")];
  const limits = printLimits(profile.limits);
  return [
    ["can write", write.length === 0 ? "nothing" : write.join(", ")],
    [
      "can read",
      [...read, ...(runtimes === "" ? [] : [`the runtimes ${runtimes}`])].join(", ") || "nothing else",
    ],
    ["network", printNetwork(profile.network)],
    ...(limits.length === 0 ? [] : [["limits", limits.join(", ")]]),
    ...granted.shortfall.map((one, index) => [index === 0 ? "not given" : "", printShortfall(one)]),
  ];
}
