import { columns } from "../../channel/columns.ts";
import type { ConfigOrigin } from "../../config/config.ts";
import type { Finding } from "../../config/finding.ts";
import { installationJson, installationWords } from "../../config/installation-words.ts";
import { toolLayers } from "../../config/tool-layers.ts";
import { ERRORS } from "../../errors.ts";
import { type Host, thisHost } from "../../host/host.ts";
import { createDraft, type Draft } from "../../supervisor/draft.ts";
import { COMMON, chosen, readArguments, takeWords } from "../arguments.ts";
import { lookAtConfig, showFinding } from "../findings.ts";
import type { MaskedRoot, PlanLook } from "../plan-look.ts";
import { planSize } from "../plan-text.ts";
import type { Print } from "../print.ts";
import { ruleSize } from "../rule-text.ts";

/** Tells all that can be known about the config and the profiles without running anything; 65 when something is wrong. */
export async function check(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("check", args, COMMON);
  takeWords("check", positionals, []);
  const host = thisHost();
  const draft = createDraft({ host, ...chosen(values) });
  const { look, found } = await lookAtConfig(draft);
  if (values.json === true) print.json(checkJson(draft, look, found, host));
  else show(draft, look, found, host, print);
  return found.some((one) => one.severity === "error") ? ERRORS.CONFIG_INVALID.exit : 0;
}

function show(
  { loaded }: Draft,
  { plan, roots }: PlanLook,
  found: readonly Finding[],
  host: Host,
  print: Print,
): void {
  const { ink } = print;
  const { config, ceiling } = loaded;
  const forTools = toolLayers(config).flatMap(({ rules }) => rules);
  const rows = [
    ["config", printOrigin(config.origin)],
    ["ceiling", ceiling.labels.join(", ")],
    ...roots.flatMap(rootRows),
    ...installationWords(host, config.roots).map((line, at) => [at === 0 ? "cofferdam" : "", line]),
    ["programs", config.runtimes.map((runtime) => runtime.name).join(", ")],
    [
      "rules",
      `${config.shell.rules.length} for commands, ${forTools.length} for tools, ${ceiling.approval.rules.length} of operators`,
    ],
    ...(plan === null ? [] : [["plan", `${planSize(plan)}, ${plan.backend} ${plan.version}`]]),
  ];
  for (const line of columns(rows, [ink.bold])) print.result(line);
  for (const finding of found) showFinding(finding, host.cwd, print);
  print.result();
  const count = (severity: Finding["severity"]): number =>
    found.filter((one) => one.severity === severity).length;
  const [errors, warnings] = [count("error"), count("warning")];
  if (found.length === 0) print.result(ink.good("nothing is wrong with it"));
  else
    print.result((errors > 0 ? ink.bad : ink.warn)(`${many(errors, "error")}, ${many(warnings, "warning")}`));
}

function rootRows({ root, readOnly, hidden }: MaskedRoot): readonly (readonly string[])[] {
  return [
    [`root ${root.name}`, `${root.mode} ${root.path}`],
    ...(readOnly.length === 0 ? [] : [["", `read only in it: ${list(readOnly)}`]]),
    ...(hidden.length === 0 ? [] : [["", `hidden in it: ${list(hidden)}`]]),
  ];
}

const MOST_NAMED = 8;

function list(paths: readonly string[]): string {
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : "";
  return `${paths.slice(0, MOST_NAMED).join(", ")}${more}`;
}

function printOrigin(origin: ConfigOrigin): string {
  switch (origin.kind) {
    case "default":
      return "built in, for lack of a file";
    case "named":
      return `${origin.file} (named by --config)`;
    case "trusted":
      return `${origin.file} (trusted)`;
  }
}

function many(count: number, what: string): string {
  return `${count === 0 ? "no" : count} ${what}${count === 1 ? "" : "s"}`;
}

function checkJson(
  { loaded }: Draft,
  { plan, roots }: PlanLook,
  found: readonly Finding[],
  host: Host,
): unknown {
  const { config, ceiling } = loaded;
  return {
    installation: installationJson(host, config.roots),
    config: config.origin,
    ceiling: ceiling.labels,
    roots: roots.map(({ root, readOnly, hidden }) => ({
      name: root.name,
      path: root.path,
      mode: root.mode,
      readOnly,
      hidden,
    })),
    mounts: plan === null || plan.kind === "rules" ? null : plan.clauses.length,
    rules: plan === null || plan.kind === "mounts" ? null : ruleSize(plan).rules,
    findings: found,
  };
}
