import type { EnforcementReport } from "../backend/plan.ts";
import { PROTECTIONS } from "../backend/plan.ts";
import { columns } from "../channel/columns.ts";
import type { Ink } from "../channel/ink.ts";
import type { Action } from "../policy/action.ts";
import type { GrantedView } from "../policy/request.ts";
import type { Verdict } from "../policy/verdict.ts";

/** The colour of an action. */
export function tintOf(action: Action, ink: Ink): (text: string) => string {
  return { allow: ink.good, ask: ink.warn, deny: ink.bad }[action];
}

/** Every rule that applied: its layer, the rule, its action, and the reason. */
export function ruleRows({ hits }: Verdict): readonly (readonly string[])[] {
  return hits.map((hit) => [hit.layer, hit.rule, hit.action, hit.reason ?? ""]);
}

/** The enforcement of each protection, in the order of receipts. */
export function enforcementLines(report: EnforcementReport, ink: Ink): readonly string[] {
  const rows = PROTECTIONS.map((name) => {
    const enforcement = report[name];
    return [name, enforcement.kind, "reason" in enforcement ? enforcement.reason : ""];
  });
  return columns(rows, [undefined, undefined, ink.dim]);
}

/** The access of a call, in few enough lines for a person to decide on. */
export function grantRows(view: GrantedView): readonly (readonly string[])[] {
  const { write, read, runtimes, network, devices = [], limits, shortfall } = view;
  const readable = [...read, ...(runtimes.length === 0 ? [] : [`the runtimes ${runtimes.join(", ")}`])];
  return [
    ["can write", write.join(", ") || "nothing"],
    ["can read", readable.join(", ") || "nothing else"],
    ["network", network],
    ...devices.map((may, index) => [index === 0 ? "devices" : "", `it may ${may}`]),
    ...(limits.length === 0 ? [] : [["limits", limits.join(", ")]]),
    ...shortfall.map((one, index) => [index === 0 ? "not granted" : "", one]),
  ];
}
