import { findings } from "../config/check.ts";
import type { ConfigFinding } from "../config/finding.ts";
import { installationFindings } from "../config/installation-words.ts";
import { proxyFindings } from "../config/proxy-findings.ts";
import { escapeInvisible } from "../errors.ts";
import type { Draft } from "../session/draft.ts";
import { printPlace } from "./place.ts";
import { lookAtPlan, type PlanLook } from "./plan-look.ts";
import type { Print } from "./print.ts";

/** The results of `check` and `trust` besides the granted access: the plan of a call, and problems of the config. */
export interface ConfigLook {
  readonly look: PlanLook;
  readonly found: readonly ConfigFinding[];
}

/** Checks a config and the mounts it would have. Nothing is run. */
export async function lookAtConfig(draft: Draft): Promise<ConfigLook> {
  const look = await lookAtPlan(draft);
  const { host, loaded } = draft;
  const found = [
    ...findings(loaded),
    ...proxyFindings(host, loaded),
    ...installationFindings(host, loaded.config.roots),
    ...look.findings,
  ];
  return { look, found };
}

/** Prints one finding after an empty line, with its place relative to the folder. */
export function showFinding(
  { severity, message, hint, at }: ConfigFinding,
  folder: string,
  print: Print,
): void {
  const { bad, warn, dim } = print.ink;
  print.result();
  print.result(`${(severity === "error" ? bad : warn)(`${severity}:`)} ${escapeInvisible(message)}`);
  if (at !== null) print.result(`  ${dim("at:")} ${printPlace(at, folder)}`);
  print.result(`  ${dim("do:")} ${escapeInvisible(hint)}`);
}
