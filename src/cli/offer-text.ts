import type { Loaded } from "../config/config.ts";
import { channelWords, journalWords, portWords } from "../config/grants-line.ts";
import { installationWords } from "../config/installation-words.ts";
import { mcpWords } from "../config/mcp-words.ts";
import { toolLayers } from "../config/tool-layers.ts";
import type { TrustOffer } from "../config/trust.ts";
import type { Host } from "../host/host.ts";
import type { Action } from "../policy/action.ts";
import type { AppearedPolicy } from "../policy/appeared-policy.ts";
import { looserDefaults } from "../policy/risk.ts";
import { printToolRule } from "../policy/rule-reach.ts";
import type { ToolRule } from "../policy/tool-rule.ts";
import { printDeviceGroup } from "../profile/devices.ts";
import { printLimits } from "../profile/in-words.ts";
import { printMacosGroup } from "../profile/macos.ts";
import { limitsFrom } from "../profile/sections.ts";
import { printSyscallGroup } from "../profile/syscalls.ts";
import { macosGroups } from "../tool/derive.ts";
import type { Root } from "../tool/facts.ts";
import { networkWords } from "../tool/network-words.ts";
import { printWider } from "./witness-text.ts";

type Row = readonly string[];

/** What a config grants: a name, and as many columns as it takes. */
export function grantedRows(host: Host, { config, ceiling }: Loaded): readonly Row[] {
  const { roots, runtimes, sandbox, shell, approval, webFetch, journal } = config;
  const named = (name: string, rows: readonly Row[]): readonly Row[] =>
    rows.map((row, index) => [index === 0 ? name : "", ...row]);
  const limits = printLimits(limitsFrom(sandbox.limits));
  const otherwise = !shell.default.allowed
    ? "what none covers is refused"
    : shell.default.approval
      ? "what none covers is asked"
      : "what none covers runs without asking";
  const unasked = shell.rules.filter((rule) => rule.allowed && !rule.approval).map((rule) => rule.pattern);
  const besides = runtimes.filter((runtime) => runtime.name !== "system");
  return [
    ...named(
      "roots",
      roots.length === 0
        ? [["none"]]
        : roots.map((root) => [`${root.name} ${root.mode} ${root.path}${asksOf(root)}`]),
    ),
    ...named(
      "cofferdam",
      installationWords(host, roots).map((line) => [line]),
    ),
    ...named("programs", [[runtimes.map((runtime) => runtime.name).join(", ") || "none"]]),
    ...named(
      "read too",
      besides.flatMap((runtime) => runtime.read.map((folder) => [`${folder}, as a part of ${runtime.name}`])),
    ),
    ...named("network", [[networkWords(shell.network)]]),
    ...(shell.terminal === true ? named("terminal", [["its own, for each command"]]) : []),
    ...named(
      "ports",
      portWords(shell).map((words) => [words]),
    ),
    ...named("pages", pagesOf(webFetch)),
    ...named("variables", [
      [
        [
          ...sandbox.env.pass,
          ...Object.entries(sandbox.env.set).map(([name, value]) => `${name}=${value}`),
        ].join(" ") || "none",
      ],
    ]),
    ...named("calls may", [
      ...sandbox.syscalls.map((group) => [printSyscallGroup(group)]),
      ...sandbox.devices.map((group) => [printDeviceGroup(group)]),
      ...macosGroups(config).map((group) => [`on macOS ${printMacosGroup(group)}`]),
    ]),
    ...named("commands", [
      [`${shell.rules.length} ${shell.rules.length === 1 ? "rule" : "rules"}; ${otherwise}`],
    ]),
    ...(unasked.length === 0 ? [] : named("unasked", [[unasked.join(", ")]])),
    ...named(
      "tools",
      toolLayers(config).flatMap(({ agent, server, rules }) =>
        rules.map((rule) => [toolRule(rule, agent, server)]),
      ),
    ),
    ...named(
      "MCP",
      mcpWords(config).map(([name, words]) => [`${name} ${words}`]),
    ),
    ...named(
      "by risk",
      looserDefaults(approval.risk_defaults).map(([risk, action]) => [
        `${risk} tools that no rule covers: ${DOES[action]}`,
      ]),
    ),
    ...named("approval", [[approval.mode]]),
    ...named(
      "answers",
      channelWords(approval).map((words) => [words]),
    ),
    ...named(
      "journal",
      journalWords(journal).map((words) => [words]),
    ),
    ...(limits.length === 0 ? [] : named("limits", [[limits.join(", ")]])),
    ...named("ceiling", [[ceiling.labels.join(", ")]]),
    ...named("new files", appearedRows(sandbox.appeared)),
    ...(sandbox.require_os_sandbox
      ? []
      : named("sandbox", [["NOT ALL OF IT REQUIRED: tools run also where a part of the walls is missing"]])),
  ];
}

/** What becomes of files that a call makes and that hosts execute; nothing where a person is asked, as by default. */
function appearedRows(appeared: AppearedPolicy): readonly Row[] {
  switch (appeared) {
    case "ask":
      return [];
    case "report":
      return [["STAY ALSO WHERE HOSTS EXECUTE THEM by themselves (`sandbox.appeared: report`)"]];
    case "quarantine":
      return [["that hosts execute by themselves go to the quarantine, and nobody is asked"]];
  }
}

/** Pages are fetched by the supervisor itself, whatever network commands have. Nothing where nobody said anything. */
function pagesOf({ domains, approval }: Loaded["config"]["webFetch"]): readonly Row[] {
  const listed = approval === "always" ? "asked" : "FETCHED WITHOUT ASKING";
  const others = approval === "never" ? "refused" : "asked";
  if (domains.length === 0) return approval === "unlisted" ? [] : [[`of any host: ${others}`]];
  return [...domains.map((domain) => [`${domain}: ${listed}`]), [`of any other host: ${others}`]];
}

/** What changed since a config was trusted, what got wider first; nothing when it never was, or is the same. */
export function widerLines({ before, wider, changed }: TrustOffer): readonly string[] {
  if (before.trusted || before.reason === "never") return [];
  const byWords = Map.groupBy(wider, ({ comparison, networks }) => printWider(comparison, networks));
  const now = [...byWords].map(([words, some]) => {
    const whens = some.map(({ when }) => (when === "unasked" ? "without asking" : "on a yes"));
    return `wider ${whens.join(" and ")}: it may ${words}`;
  });
  return [`it ${before.reason}`, ...now, ...changed.map((name) => `changed: ${name}`)];
}

const DOES = {
  allow: "RUNS WITHOUT ASKING",
  ask: "is asked",
  deny: "is refused",
} as const satisfies Record<Action, string>;

/** A rule on tools beats the rules on commands: an allow makes every command run without asking. */
function toolRule(rule: ToolRule, agent: string | null, server: string | null): string {
  const whose = agent !== null ? `agent ${agent}: ` : server !== null ? `MCP server ${server}: ` : "";
  const besides = rule.action === "allow" ? ", whatever the rules on commands ask" : "";
  return `${whose}${printToolRule(rule)} ${DOES[rule.action]}${besides}`;
}

function asksOf(root: Root): string {
  if (root.readApproval) return ", asks";
  return root.mode === "rw" && root.writeApproval ? ", asks to write" : "";
}
