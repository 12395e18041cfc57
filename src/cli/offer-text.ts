import { type CommandDecisions, commandDecisions } from "../config/command-decisions.ts";
import type { LoadedConfig } from "../config/config.ts";
import { channelWords, journalWords, portWords, silencesShellRules } from "../config/grants-line.ts";
import { installationWords } from "../config/installation-words.ts";
import { mcpWords } from "../config/mcp-words.ts";
import { reviewerWords } from "../config/reviewer-words.ts";
import { toolLayers } from "../config/tool-layers.ts";
import type { TrustOffer } from "../config/trust.ts";
import type { Host } from "../host/look/host.ts";
import type { Action } from "../policy/action.ts";
import type { AppearedPolicy } from "../policy/appeared-policy.ts";
import { looserDefaults } from "../policy/risk.ts";
import { printToolRule } from "../policy/rule-reach.ts";
import type { ToolRule } from "../policy/tool-rule.ts";
import { printDeviceGroup } from "../profile/devices.ts";
import { printLimits } from "../profile/in-words.ts";
import { limitsFrom } from "../profile/limits-section.ts";
import { printMacosGroup } from "../profile/macos.ts";
import { printSyscallGroup } from "../profile/syscalls.ts";
import { macosGroups } from "../tool/derive.ts";
import { networkWords } from "../tool/network-words.ts";
import { rootApproval } from "../tool/root-approval.ts";
import { printWider } from "./witness-text.ts";

/** The access that a config grants: rows of a name, empty if it is that of the row above, and of words. */
export function grantedRows(
  host: Host,
  { config, ceiling }: LoadedConfig,
): readonly (readonly [name: string, words: string])[] {
  const { roots, runtimes, sandbox, shell, approval, webFetch, journal } = config;
  const named = (name: string, lines: readonly string[]) =>
    lines.map((words, index) => [index === 0 ? name : "", words] as const);
  const limits = printLimits(limitsFrom(sandbox.limits));
  const { otherwise, unasked, isMixed } = commandDecisions(config);
  const others = `other commands ${COMMANDS[otherwise]}${isMixed ? ", unless a tool rule decides" : ""}`;
  const besides = runtimes.filter((runtime) => runtime.name !== "system");
  const set = Object.entries(sandbox.env.set).map(([name, value]) => `${name}=${value}`);
  const variables = [...sandbox.env.pass, ...set];
  return [
    ...named(
      "roots",
      roots.length === 0
        ? ["none"]
        : roots.map((root) => `${root.name} ${root.mode} ${root.path}${rootApproval(root)}`),
    ),
    ...named("cofferdam", installationWords(host, roots)),
    ...named("programs", [runtimes.map((runtime) => runtime.name).join(", ") || "none"]),
    ...named(
      "read too",
      besides.flatMap((runtime) => runtime.read.map((folder) => `${folder}, as a part of ${runtime.name}`)),
    ),
    ...named("network", [networkWords(shell.network)]),
    ...(shell.terminal === true ? named("terminal", ["one for each command"]) : []),
    ...named("ports", portWords(shell)),
    ...named("pages", pagesOf(webFetch)),
    ...named("variables", [variables.join(" ") || "none"]),
    ...named("calls may", [
      ...sandbox.syscalls.map(printSyscallGroup),
      ...sandbox.devices.map(printDeviceGroup),
      ...macosGroups(config).map((group) => `on macOS ${printMacosGroup(group)}`),
    ]),
    ...named("commands", [`${shell.rules.length} ${shell.rules.length === 1 ? "rule" : "rules"}; ${others}`]),
    ...(unasked.length === 0 ? [] : named("unasked", [unasked.join(", ")])),
    ...named(
      "tools",
      toolLayers(config).flatMap(({ agent, server, rules }) =>
        rules.map((rule) => toolRule(rule, agent, server)),
      ),
    ),
    ...named(
      "MCP",
      mcpWords(config).map(([name, words]) => `${name} ${words}`),
    ),
    ...named(
      "by risk",
      looserDefaults(approval.risk_defaults).map(
        ([risk, action]) => `${risk} tools without a rule: ${DOES[action]}`,
      ),
    ),
    ...named("approval", [approval.mode]),
    ...named("answers", channelWords(approval)),
    ...named("reviewer", reviewerWords(config)),
    ...named("journal", journalWords(journal)),
    ...(limits.length === 0 ? [] : named("limits", [limits.join(", ")])),
    ...named("ceiling", [ceiling.labels.join(", ")]),
    ...named("new files", appearedLines(sandbox.appeared)),
    ...(sandbox.require_os_sandbox
      ? []
      : named("sandbox", ["NOT FULLY REQUIRED: tools also run if a part of the sandbox is missing"])),
  ];
}

/** The handling of files that a call makes and that hosts execute; empty if a person is asked (the default). */
function appearedLines(appeared: AppearedPolicy): readonly string[] {
  switch (appeared) {
    case "ask":
      return [];
    case "report":
      return ["ARE KEPT even if other programs run them automatically (`sandbox.appeared: report`)"];
    case "quarantine":
      return ["that other programs run automatically go to the quarantine without asking"];
  }
}

/** The supervisor fetches pages itself, whatever network access commands have. Empty without settings. */
function pagesOf({ domains, approval }: LoadedConfig["config"]["webFetch"]): readonly string[] {
  const listed = approval === "always" ? "needs approval" : "FETCHED WITHOUT APPROVAL";
  const others = approval === "never" ? "denied" : "needs approval";
  if (domains.length === 0) return approval === "unlisted" ? [] : [`of any host: ${others}`];
  return [...domains.map((domain) => `${domain}: ${listed}`), `of any other host: ${others}`];
}

/** The changes since a config was trusted, wider access first. Empty if it was never trusted or is unchanged. */
export function widerLines({ before, wider, changed, rules }: TrustOffer): readonly string[] {
  if (before.trusted || before.reason === "never") return [];
  const byWords = Map.groupBy(wider, ({ comparison, networks }) =>
    printWider(comparison, networks, "in the config trusted before"),
  );
  const now = [...byWords].map(([words, some]) => {
    const whens = some.map(({ when }) => (when === "unasked" ? "without approval" : "with approval"));
    return `allows more ${whens.join(" and ")}: it may ${words}`;
  });
  return [
    `it ${before.reason}`,
    ...now,
    ...rules.looser,
    ...rules.stricter,
    ...changed.map((name) => `changed: ${name}`),
  ];
}

const DOES = {
  allow: "RUNS WITHOUT APPROVAL",
  ask: "needs approval",
  deny: "is denied",
} as const satisfies Record<Action, string>;

const COMMANDS = {
  allow: "run without approval",
  beyond: "need approval only for more access",
  ask: "need approval",
  deny: "are denied",
} as const satisfies Record<CommandDecisions["otherwise"], string>;

function toolRule(rule: ToolRule, agent: string | null, server: string | null): string {
  const whose = agent !== null ? `agent ${agent}: ` : server !== null ? `MCP server ${server}: ` : "";
  const besides = server === null && silencesShellRules(rule) ? ", even if a shell rule asks" : "";
  return `${whose}${printToolRule(rule)} ${DOES[rule.action]}${besides}`;
}
