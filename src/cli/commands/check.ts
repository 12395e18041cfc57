import { columns } from "../../channel/columns.ts";
import { commandDecisions } from "../../config/command-decisions.ts";
import type { ConfigOrigin } from "../../config/config.ts";
import type { ConfigFinding } from "../../config/finding.ts";
import { installationJson, installationWords } from "../../config/installation-words.ts";
import { toolLayers } from "../../config/tool-layers.ts";
import { CofferdamError, ERRORS } from "../../errors.ts";
import { type Host, thisHost } from "../../host/look/host.ts";
import { createDraft, type Draft } from "../../session/draft.ts";
import type { SupervisorOptions } from "../../session/supervisor-options.ts";
import { rootApproval } from "../../tool/root-approval.ts";
import { COMMON, chosen, parseWords, readArguments } from "../arguments.ts";
import { lookAtConfig, showFinding } from "../findings.ts";
import type { MaskedRoot, PlanLook } from "../plan-look.ts";
import { planSize } from "../plan-text.ts";
import type { Print } from "../print.ts";
import { ruleSize } from "../rule-text.ts";

/** Checks the config and the profiles without running anything. Returns 65 if there is a problem. */
export async function check(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("check", args, COMMON);
  parseWords("check", positionals, []);
  const host = thisHost();
  const { draft, untrusted } = draftOf({ host, ...chosen(values) });
  const { look, found: inside } = await lookAtConfig(draft);
  const found = [...untrusted, ...inside];
  const isTrusted = untrusted.length === 0;
  if (values.json === true) print.json(checkJson(draft, look, found, isTrusted, host));
  else show(draft, look, found, isTrusted, host, print);
  return found.some((one) => one.severity === "error") ? ERRORS.CONFIG_INVALID.exit : 0;
}

/** The config to check. One that is not trusted is checked as if it were named by `--config`: nothing of it runs. */
function draftOf(options: SupervisorOptions): {
  readonly draft: Draft;
  readonly untrusted: readonly ConfigFinding[];
} {
  try {
    return { draft: createDraft(options), untrusted: [] };
  } catch (error) {
    if (!(error instanceof CofferdamError) || error.code !== "CONFIG_UNTRUSTED" || error.at === undefined)
      throw error;
    const { message, hint = "", at } = error;
    try {
      const draft = createDraft({ ...options, config: at.file });
      return { draft, untrusted: [{ severity: "error", message, hint, at: null }] };
    } catch (cause) {
      // A config that is not trusted may name any file, and an error in that file quotes it.
      throw cause instanceof CofferdamError && cause.at?.file === at.file ? cause : error;
    }
  }
}

function show(
  { loaded }: Draft,
  { plan, roots }: PlanLook,
  found: readonly ConfigFinding[],
  isTrusted: boolean,
  host: Host,
  print: Print,
): void {
  const { ink } = print;
  const { config, ceiling } = loaded;
  const { byName } = commandDecisions(config);
  const forTools = toolLayers(config).flatMap(({ rules }) => rules);
  const rows = [
    ["config", printOrigin(config.origin, isTrusted)],
    ["profiles", ceiling.labels.join(", ")],
    ...roots.flatMap(rootRows),
    ...installationWords(host, config.roots).map((line, at) => [at === 0 ? "cofferdam" : "", line]),
    ["programs", config.runtimes.map((runtime) => runtime.name).join(", ")],
    [
      "rules",
      `${config.shell.rules.length} for commands, ${forTools.length} for tools, ${ceiling.approval.rules.length} from operators`,
    ],
    ...(byName.length === 0
      ? []
      : [
          [
            "",
            `by name: ${list(byName)}. The sandbox, not the rule, decides what programs do by other means`,
          ],
        ]),
    ...(plan === null ? [] : [["plan", `${planSize(plan)}, ${plan.backend} ${plan.version}`]]),
  ];
  for (const line of columns(rows, [ink.bold])) print.result(line);
  for (const finding of found) showFinding(finding, host.cwd, print);
  print.result();
  const count = (severity: ConfigFinding["severity"]): number =>
    found.filter((one) => one.severity === severity).length;
  const [errors, warnings] = [count("error"), count("warning")];
  if (found.length === 0) print.result(ink.good("no problems found"));
  else
    print.result((errors > 0 ? ink.bad : ink.warn)(`${many(errors, "error")}, ${many(warnings, "warning")}`));
}

function rootRows({ root, readOnly, hidden }: MaskedRoot): readonly (readonly string[])[] {
  return [
    [`root ${root.name}`, `${root.mode} ${root.path}${rootApproval(root)}`],
    ...(readOnly.length === 0 ? [] : [["", `read-only inside: ${list(readOnly)}`]]),
    ...(hidden.length === 0 ? [] : [["", `hidden inside: ${list(hidden)}`]]),
  ];
}

const MAX_NAMED = 8;

function list(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : "";
  return `${paths.slice(0, MAX_NAMED).join(", ")}${more}`;
}

function printOrigin(origin: ConfigOrigin, isTrusted: boolean): string {
  switch (origin.kind) {
    case "default":
      return "built in (no cofferdam.yaml found)";
    case "named":
      return `${origin.file} (${isTrusted ? "named by --config" : "not trusted"})`;
    case "trusted":
      return `${origin.file} (trusted)`;
    case "untrusted":
      return `${origin.file} (not trusted)`;
  }
}

function many(count: number, what: string): string {
  return `${count === 0 ? "no" : count} ${what}${count === 1 ? "" : "s"}`;
}

function checkJson(
  { loaded }: Draft,
  { plan, roots }: PlanLook,
  found: readonly ConfigFinding[],
  isTrusted: boolean,
  host: Host,
): unknown {
  const { config, ceiling } = loaded;
  return {
    installation: installationJson(host, config.roots),
    config: isTrusted ? config.origin : { ...config.origin, kind: "untrusted" },
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
