import type { MountPlan, Plan } from "../backend/plan.ts";
import type { Ink } from "../channel/ink.ts";
import type { CallPolicy } from "../decide/call-policy.ts";
import { layersOf } from "../decide/explain.ts";
import { escapeInvisible } from "../errors.ts";
import { type Explanation, explain } from "../profile/explain.ts";
import { type AbsolutePath, pathFromBytes } from "../profile/path.ts";
import { listedSockets } from "../profile/sockets.ts";
import { quote } from "../shell/quote.ts";
import { RESERVED_PREFIX } from "../tool/obeyed-names.ts";
import { printPlace } from "./place.ts";
import { ruleLines, ruleSize } from "./rule-text.ts";

/** Options that modify the next option. */
const MODIFIERS = ["--perms", "--size"];

/** The launcher's options with their words, from the descriptor after `--args`; modifiers precede their option. */
export function optionsOf(plan: Pick<Plan, "argv" | "inputs">): readonly (readonly string[])[] {
  // Another launcher may wrap this one; its own options come first.
  const fd = Number(plan.argv[plan.argv.lastIndexOf("--args", plan.argv.indexOf("-c")) + 1]);
  const input = plan.inputs.find((one) => one.fd === fd);
  const words =
    input !== undefined && "bytes" in input ? pathFromBytes(input.bytes).split("\0").slice(0, -1) : [];
  const options: string[][] = [];
  for (const word of words) {
    const last = options.at(-1);
    const isValue = last?.[0] === "--setenv" && last.length === 2;
    const isModified = last !== undefined && MODIFIERS.includes(last.at(-2) ?? "");
    if (last === undefined || (word.startsWith("--") && !isValue && !isModified)) options.push([word]);
    else last.push(word);
  }
  return options;
}

/** The purpose of the launcher's options, from this one on. */
const SECTIONS: Readonly<Record<string, string>> = {
  "--unshare-user": "namespaces, capabilities, session",
  "--setenv": "the environment, by name",
  "--dev": "its own folders, and links of the machine",
  "--file": "names of the user and the machine",
  "--remount-ro": "read-only from here on",
  "--chdir": "start folder, system call filter, reports",
};

/**
 * For mounts: one option per line, with its purpose above, without values of variables and the program's words. For
 * rules: only the text of the profile with its comments. Off a terminal it is valid launcher input.
 */
export function planLines(plan: Plan, policy: CallPolicy, ink: Ink, folder: string): readonly string[] {
  return plan.kind === "rules" ? ruleLines(plan, ink) : mountLines(plan, policy, ink, folder);
}

/** The size of a plan, in its own units. */
export function planSize(plan: Plan): string {
  if (plan.kind === "mounts") return `${plan.clauses.length} mounts`;
  const { rules, bytes } = ruleSize(plan);
  return `${rules} rules in ${Math.ceil(bytes / 1024)} KiB`;
}

function mountLines(plan: MountPlan, policy: CallPolicy, ink: Ink, folder: string): readonly string[] {
  const mounts = new Map(plan.clauses.map((clause) => [clause.args.join("\0"), clause.path]));
  const options = optionsOf(plan).filter(([, name = ""]) => !name.startsWith(RESERVED_PREFIX));
  let last = "";
  const lines = options.flatMap((words) => {
    const path = mounts.get(words.join("\0"));
    const main = words.find((word) => word.startsWith("--") && !MODIFIERS.includes(word)) ?? "";
    const purpose = path === undefined ? (SECTIONS[main] ?? last) : purposeOf(path, policy, plan, folder);
    const heading = purpose === last ? [] : [ink.dim(`# ${escapeInvisible(purpose)}`)];
    last = purpose;
    return [...heading, words[0] === "--setenv" ? `--setenv ${words[1] ?? ""} …` : quote(words)];
  });
  return [
    ...lines,
    ...coverLines(plan, ink),
    ...wayOutLines(plan.proxy, ink),
    ...wayInLines(plan.ports, ink),
  ];
}

/** Symlinks that got a mount before the launcher began; its options carry them along. */
function coverLines({ clauses }: MountPlan, ink: Ink): readonly string[] {
  const covered = clauses.filter(({ args }) => args.length === 0);
  return covered.map(({ path }) =>
    ink.dim(`# ${escapeInvisible(path)}: a protected symlink; its folder is writable`),
  );
}

/** The program's way to the egress proxy: a socket that it receives, and variables that the gate sets. */
function wayOutLines(proxy: MountPlan["proxy"], ink: Ink): readonly string[] {
  if (proxy === null) return [];
  return [
    ink.dim(
      `# a socket on 127.0.0.1:${proxy.port} is passed out: the supervisor's egress proxy accepts its connections`,
    ),
    ...proxy.variables.map((name) => `${name}=…`),
  ];
}

/** The supervisor's part outside the sandbox for a port, while the call runs. */
function wayInLines(ports: MountPlan["ports"], ink: Ink): readonly string[] {
  return ports.map((port) =>
    ink.dim(
      `# the supervisor listens on 127.0.0.1:${port} and [::1]:${port}, and passes connections to that port inside`,
    ),
  );
}

/** The purpose of a mount: the root, the runtime, or the clause that restricts it. */
export function purposeOf(path: AbsolutePath, policy: CallPolicy, plan: Plan, folder: string): string {
  const { settings, ceiling, needs, withApproval } = policy;
  const tighter = plan.approximations.find((one) => one.path === path);
  if (tighter !== undefined) return tighter.reason;
  const [read, write] = (["read", "write"] as const).map((ask) =>
    explain(layersOf(settings, ceiling, needs.withApproval), {
      ask,
      path,
      facts: { kind: "folder", bornInside: false },
    }),
  );
  const root = settings.roots.find((one) => one.path === path);
  const runtime = settings.runtimes.find((one) => one.read.includes(path));
  if (root !== undefined) return `root ${root.name}${cutShort(root.mode === "rw" ? write : read)}`;
  if (runtime !== undefined) return `runtime ${runtime.name}`;
  if (listedSockets(withApproval.profile.sockets).includes(path)) return "a socket that may be connected to";
  if (write?.allowed === true) return "keeps this folder from being renamed, as it contains protected files";
  const { layer, because, at } = (read?.allowed === false ? read : write)?.decidedBy ?? {
    layer: "",
    because: "",
    at: null,
  };
  return `${layer}: ${because}${at === null ? "" : ` (${printPlace(at, folder)})`}`;
}

function cutShort(explanation: Explanation | undefined): string {
  return explanation === undefined || explanation.allowed
    ? ""
    : `, cut short by ${explanation.decidedBy.layer}`;
}
