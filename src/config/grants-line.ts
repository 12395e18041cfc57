import { escapeInvisible } from "../errors.ts";
import { looserDefaults } from "../policy/risk.ts";
import { printToolRule } from "../policy/rule-reach.ts";
import { printDeviceGroup } from "../profile/devices.ts";
import { printMacosGroup } from "../profile/macos.ts";
import { normalPorts, printPorts } from "../profile/ports.ts";
import { printAge } from "../profile/quantity.ts";
import { printSyscallGroup } from "../profile/syscalls.ts";
import { macosGroups } from "../tool/derive.ts";
import type { Runtime } from "../tool/facts.ts";
import { networkWords } from "../tool/network-words.ts";
import type { Config } from "./config.ts";
import { mcpWords } from "./mcp-words.ts";
import { toolLayers } from "./tool-layers.ts";

/** The most patterns or names that are told one by one. */
const MOST_NAMED = 8;

/** What a config grants, on one line: what may be touched, what runs without asking, and what it does without. */
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
    ...(shell.terminal === true ? ["a terminal of its own for each command"] : []),
    ...portWords(shell),
    ...sandbox.syscalls.map((group) => `a call may ${printSyscallGroup(group)}`),
    ...sandbox.devices.map((group) => `a call may ${printDeviceGroup(group)}`),
    ...macosGroups(config).map((group) => `on macOS a call may ${printMacosGroup(group)}`),
    ...commandWords(config),
    ...toolWords(config),
    ...mcpWords(config).map(([name, words]) => `the MCP server ${name} ${words}`),
    ...pageWords(webFetch),
    ...modeWords(approval.mode),
    ...channelWords(approval),
    ...journalWords(journal),
    ...(set.length === 0 ? [] : [`sets ${named(set)}`]),
    ...(sandbox.require_os_sandbox
      ? []
      : ["NOT ALL OF THE SANDBOX REQUIRED: tools run also where a part of the walls is missing"]),
  ].join("; ");
}

/** Which ports of this machine lead into calls. */
export function portWords({ ports, network }: Pick<Config["shell"], "ports" | "network">): readonly string[] {
  if (ports.length === 0) return [];
  const which = `${ports.length === 1 ? "port" : "ports"} ${printPorts(normalPorts(ports))}`;
  if (network === "host") return [`no call opens ${which} while its network is the machine's own`];
  return [`programs of this machine reach servers of a call that asks for it at ${which} of its loopback`];
}

/** A runtime by its name, with the folders that it shows where these are not the system's own. */
function printRuntime({ name, read }: Runtime): string {
  return name === "system" || read.length === 0 ? name : `${name} (${read.map(escapeInvisible).join(", ")})`;
}

function commandWords({ shell: { default: otherwise, rules } }: Config): readonly string[] {
  const says = !otherwise.allowed ? "refused" : otherwise.approval ? "ask" : "run without asking";
  const unasked = rules.filter((rule) => rule.allowed && !rule.approval).map((rule) => rule.pattern);
  return [
    `commands ${says}${rules.length === 0 ? "" : " unless a rule says otherwise"}`,
    ...(unasked.length === 0 ? [] : [`without asking: ${named(unasked)}`]),
  ];
}

/** Which tools run without asking: by the project's rules, by those of an agent, and by their risk. */
function toolWords(config: Config): readonly string[] {
  const byRule = toolLayers(config).flatMap(({ agent, server, rules }) => {
    const allowed = rules.filter(({ action }) => action === "allow").map(printToolRule);
    const whose =
      agent !== null
        ? `agent ${escapeInvisible(agent)} `
        : server !== null
          ? `of the MCP server ${server} `
          : "";
    const tools = `${whose}without asking, whatever is said of commands: tools ${named(allowed)}`;
    return allowed.length === 0 ? [] : [tools];
  });
  const byRisk = looserDefaults(config.approval.risk_defaults).map(
    ([risk, action]) => `${risk} ${action === "allow" ? "run without asking" : "are asked about"}`,
  );
  return [...byRule, ...(byRisk.length === 0 ? [] : [`tools that no rule covers: ${byRisk.join(", ")}`])];
}

/** Which pages are fetched from this machine, outside of any walls, and whether somebody is asked first. */
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
      return ["EVERY QUESTION IS ANSWERED WITH YES, unless an operator demands a person"];
    case "strict":
      return ["every question is answered with no"];
  }
}

/** Where records of calls are written, outside of the state folder, and after how long they are removed. */
export function journalWords({ folder, keepMs }: Config["journal"]): readonly string[] {
  return [
    ...(folder === null ? [] : [`records of its calls go to ${escapeInvisible(folder)}`]),
    ...(keepMs === null ? [] : [`ITS RECORDS ARE REMOVED after ${printAge(keepMs)}`]),
  ];
}

/** Who answers besides the terminal, and where what is asked is kept. */
export function channelWords({ channels, store }: Config["approval"]): readonly string[] {
  const { http, telegram } = channels;
  const { listen = "", approvers = {} } = http ?? {};
  const names = Object.keys(approvers);
  const who = names.length === 0 ? "whoever has its token" : named(names);
  return [
    ...(http === undefined ? [] : [`${who} may answer at ${escapeInvisible(listen)}`]),
    ...(telegram === undefined
      ? []
      : [
          `questions go to the Telegram chat ${telegram.chat}, where ${named(telegram.approvers.map(String))} may answer`,
        ]),
    ...(typeof store === "object" ? ["what is asked and answered is kept in a database"] : []),
  ];
}

function named(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  return `${names.slice(0, MOST_NAMED).map(escapeInvisible).join(", ")}${more}`;
}
