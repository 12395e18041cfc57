import type { Standings } from "../backend/plan.ts";
import { PROTECTIONS } from "../backend/plan.ts";
import { columns } from "../channel/columns.ts";
import type { Ink } from "../channel/ink.ts";
import type { Action } from "../policy/action.ts";
import type { GrantedView } from "../policy/request.ts";
import type { Verdict } from "../policy/verdict.ts";

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
export function grantRows(view: GrantedView): readonly (readonly string[])[] {
  const { write, read, runtimes, network, devices = [], limits, shortfall } = view;
  const readable = [...read, ...(runtimes.length === 0 ? [] : [`the runtimes ${runtimes.join(", ")}`])];
  return [
    ["can write", write.join(", ") || "nothing"],
    ["can read", readable.join(", ") || "nothing else"],
    ["network", network],
    ...devices.map((may, index) => [index === 0 ? "devices" : "", `it may ${may}`]),
    ...(limits.length === 0 ? [] : [["limits", limits.join(", ")]]),
    ...shortfall.map((one, index) => [index === 0 ? "not given" : "", one]),
  ];
}
