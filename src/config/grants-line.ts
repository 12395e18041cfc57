import { escapeInvisible } from "../errors.ts";
import { looserDefaults } from "../policy/risk.ts";
import { areAnyArguments, printToolRule } from "../policy/rule-reach.ts";
import type { ToolRule } from "../policy/tool-rule.ts";
import { budgetInWords } from "../policy/unasked-budget.ts";
import { printDeviceGroup } from "../profile/devices.ts";
import { printMacosGroup } from "../profile/macos.ts";
import { normalPorts, printPorts } from "../profile/ports.ts";
import { printAge } from "../profile/quantity.ts";
import { printSyscallGroup } from "../profile/syscalls.ts";
import { macosGroups } from "../tool/derive.ts";
import type { Runtime } from "../tool/facts.ts";
import { networkWords } from "../tool/network-words.ts";
import { type CommandDecisions, commandDecisions, isAboutCommands } from "./command-decisions.ts";
import type { Config } from "./config.ts";
import { mcpWords } from "./mcp-words.ts";
import { reviewerWords } from "./reviewer-words.ts";
import { toolLayers } from "./tool-layers.ts";

/** Maximum of patterns or names that are listed one by one. */
const MAX_NAMED = 8;

/** The grants of a config on one line: accessible files, calls without approval, and missing protections. */
export function printGrants(config: Config): string {
  const { roots, shell, runtimes, sandbox, approval, webFetch, journal } = config;
  const ofRoots = roots.map(({ name, mode, path, writeApproval, readApproval }) => {
    const asks = readApproval ? ", asks" : mode === "rw" && writeApproval ? ", asks to write" : "";
    return `${name} ${mode} ${escapeInvisible(path)}${asks}`;
  });
  const programs = runtimes.map(printRuntime);
  const set = Object.keys(sandbox.env.set);
  return [
    ...ofRoots,
    ...(programs.length === 0 ? [] : [`programs of ${programs.join(", ")}`]),
    `network ${networkWords(shell.network)}`,
    ...(shell.terminal === true ? ["a new terminal for each command"] : []),
    ...portWords(shell),
    ...sandbox.syscalls.map((group) => `a call may ${printSyscallGroup(group)}`),
    ...sandbox.devices.map((group) => `a call may ${printDeviceGroup(group)}`),
    ...macosGroups(config).map((group) => `on macOS a call may ${printMacosGroup(group)}`),
    ...commandWords(config),
    ...toolWords(config),
    ...mcpWords(config).map(([name, words]) => `the MCP server ${name} ${words}`),
    ...pageWords(webFetch),
    ...modeWords(approval.mode),
    ...budgetWords(approval.budget),
    ...channelWords(approval),
    ...reviewerWords(config).map((words) => `the reviewer ${words}`),
    ...journalWords(journal),
    ...(set.length === 0 ? [] : [`sets ${named(set)}`]),
    ...(sandbox.require_os_sandbox
      ? []
      : ["SANDBOX NOT REQUIRED: tools run even if parts of the sandbox are missing"]),
  ].join("; ");
}

/** Ports of this machine that lead into calls. */
export function portWords({ ports, network }: Pick<Config["shell"], "ports" | "network">): readonly string[] {
  if (ports.length === 0) return [];
  const which = `${ports.length === 1 ? "port" : "ports"} ${printPorts(normalPorts(ports))}`;
  if (network === "host") return [`no call opens ${which}, because its network is the machine's own`];
  return [
    `programs on this machine reach a call's servers at ${which} of the loopback, if the call asks for it`,
  ];
}

function printRuntime({ name, read }: Runtime): string {
  return name === "system" || read.length === 0 ? name : `${name} (${read.map(escapeInvisible).join(", ")})`;
}

function commandWords(config: Config): readonly string[] {
  const { otherwise, unasked, isMixed } = commandDecisions(config);
  const hasOthers = isMixed || config.shell.rules.length > 0;
  const others =
    otherwise === "beyond"
      ? `${hasOthers ? "commands that no rule names" : "commands"} ${COMMANDS.beyond}`
      : `commands ${COMMANDS[otherwise]}${hasOthers ? " unless a rule says otherwise" : ""}`;
  return [others, ...(unasked.length === 0 ? [] : [`without asking: ${named(unasked)}`])];
}

const COMMANDS = {
  allow: "run without asking",
  beyond: "ask only if approval would give them more access",
  ask: "ask",
  deny: "refused",
} as const satisfies Record<CommandDecisions["otherwise"], string>;

function toolWords(config: Config): readonly string[] {
  const byRule = toolLayers(config).flatMap(({ agent, server, rules }) => {
    const allowed = rules.filter(({ action }) => action === "allow");
    const whose =
      agent !== null
        ? `agent ${escapeInvisible(agent)} `
        : server !== null
          ? `of the MCP server ${server} `
          : "";
    const besides = server === null && allowed.some(silencesShellRules) ? ", even if a shell rule asks" : "";
    const tools = `${whose}without asking${besides}: tools ${named(allowed.map(printToolRule))}`;
    return allowed.length === 0 ? [] : [tools];
  });
  const byRisk = looserDefaults(config.approval.risk_defaults).map(
    ([risk, action]) => `${risk} ${action === "allow" ? "run without asking" : "are asked about"}`,
  );
  return [...byRule, ...(byRisk.length === 0 ? [] : [`tools that no rule covers: ${byRisk.join(", ")}`])];
}

/** True for a rule on certain commands that allows them: a rule with any arguments leaves shell rules that ask. */
export function silencesShellRules(rule: ToolRule): boolean {
  return rule.action === "allow" && isAboutCommands(rule) && !areAnyArguments(rule.args);
}

/** Pages that are fetched from this machine, outside any sandbox, and whether a person is asked first. */
function pageWords({ domains, approval }: Config["webFetch"]): readonly string[] {
  if (domains.length === 0) return approval === "unlisted" ? [] : [`pages ${OTHER_PAGES[approval]}`];
  return [`pages of ${named(domains)} ${LISTED_PAGES[approval]}, others ${OTHER_PAGES[approval]}`];
}

const LISTED_PAGES = { unlisted: "without asking", always: "ask", never: "without asking" } as const;
const OTHER_PAGES = { unlisted: "ask", always: "ask", never: "refused" } as const;

function modeWords(mode: Config["approval"]["mode"]): readonly string[] {
  switch (mode) {
    case "interactive":
      return [];
    case "approve_all":
      return ["EVERY REQUEST IS APPROVED, unless an operator demands a person"];
    case "strict":
      return ["every request is rejected"];
  }
}

/** How much runs before a person is asked again. */
function budgetWords(budget: Config["approval"]["budget"]): readonly string[] {
  const words = budgetInWords(budget);
  return words === null ? [] : [`after ${words} without a question a person is asked to continue`];
}

/** The folder of call records outside of the state folder, and when they are removed. */
export function journalWords({ folder, keepMs }: Config["journal"]): readonly string[] {
  return [
    ...(folder === null ? [] : [`records of its calls go to ${escapeInvisible(folder)}`]),
    ...(keepMs === null ? [] : [`ITS RECORDS ARE REMOVED after ${printAge(keepMs)}`]),
  ];
}

/** The approvers beside the terminal, and the store of requests. */
export function channelWords({ channels, store }: Config["approval"]): readonly string[] {
  const { http, telegram, webhook } = channels;
  const { listen = "", approvers = {} } = http ?? {};
  const names = Object.keys(approvers);
  const who = names.length === 0 ? "anyone with its token" : named(names);
  return [
    ...(http === undefined ? [] : [`${who} may answer at ${escapeInvisible(listen)}`]),
    ...(telegram === undefined
      ? []
      : [
          `requests go to the Telegram chat ${telegram.chat}, where ${named(telegram.approvers.map(String))} may answer`,
        ]),
    ...(webhook === undefined
      ? []
      : [
          `requests go to the webhook ${escapeInvisible(hostOf(webhook.url))}, where ${named(webhook.approvers)} may answer`,
        ]),
    ...(typeof store === "object" ? ["requests and decisions are stored in a database"] : []),
  ];
}

/** The server of a URL: its path may be a secret. */
function hostOf(url: string): string {
  return url.replace(/^(https?:\/\/[^/?#]+).*$/s, "$1");
}

function named(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  return `${names.slice(0, MAX_NAMED).map(escapeInvisible).join(", ")}${more}`;
}
