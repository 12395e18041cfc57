import type { GatedPlan, Plan } from "../backend/plan.ts";
import type { Ink } from "../channel/ink.ts";
import { escapeInvisible } from "../errors.ts";
import { explain } from "../profile/explain.ts";
import { type AbsolutePath, pathFromBytes } from "../profile/path.ts";
import { listedSockets } from "../profile/sockets.ts";
import { quote } from "../shell/quote.ts";
import { layersOf } from "../supervisor/explain.ts";
import type { Standing } from "../supervisor/standing.ts";
import { GATES_OWN } from "../tool/obeyed-names.ts";
import { printPlace } from "./place.ts";
import { ruleLines, ruleSize } from "./rule-text.ts";

/** Options that say how the next one is meant. */
const MODIFIERS = ["--perms", "--size"];

/**
 * The launcher's options, each with its words; what only modifies the next one stands before it. They are in the bytes
 * that the launcher reads from the descriptor after `--args`, each ended by NUL.
 */
export function optionsOf(plan: Pick<Plan, "argv" | "inputs">): readonly (readonly string[])[] {
  // Another launcher may stand around it, whose own come first.
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

/** What the launcher's options are there for, from this one on. */
const SECTIONS: Readonly<Record<string, string>> = {
  "--unshare-user": "namespaces, capabilities, session",
  "--setenv": "the environment, by name",
  "--dev": "places of its own, and the machine's links",
  "--file": "who and where it is",
  "--remount-ro": "sealed",
  "--chdir": "where it starts, the filter, the reports",
};

/**
 * What keeps the program in. Of mounts one option to a line, and above each what it is there for: values of variables are
 * left out, and so are the program's words, which the gate is handed as such. Of rules the text of the profile, with its
 * comments, and nothing else: on no terminal it is one that the launcher takes.
 */
export function planLines(plan: Plan, standing: Standing, ink: Ink, folder: string): readonly string[] {
  return plan.kind === "rules" ? ruleLines(plan, ink) : mountLines(plan, standing, ink, folder);
}

/** How much a plan is, in its own words. */
export function planSize(plan: Plan): string {
  if (plan.kind === "mounts") return `${plan.clauses.length} mounts`;
  const { rules, bytes } = ruleSize(plan);
  return `${rules} rules in ${Math.ceil(bytes / 1024)} KiB`;
}

function mountLines(plan: GatedPlan, standing: Standing, ink: Ink, folder: string): readonly string[] {
  const mounts = new Map(plan.clauses.map((clause) => [clause.args.join("\0"), clause.path]));
  const options = optionsOf(plan).filter(([, name = ""]) => !name.startsWith(GATES_OWN));
  let last = "";
  const lines = options.flatMap((words) => {
    const path = mounts.get(words.join("\0"));
    const main = words.find((word) => word.startsWith("--") && !MODIFIERS.includes(word)) ?? "";
    const purpose = path === undefined ? (SECTIONS[main] ?? last) : purposeOf(path, standing, plan, folder);
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

/** Symlinks that a mount was put on before the launcher began: its options bring them along. */
function coverLines({ clauses }: GatedPlan, ink: Ink): readonly string[] {
  const covered = clauses.filter(({ args }) => args.length === 0);
  return covered.map(({ path }) =>
    ink.dim(
      `# ${escapeInvisible(path)}: a protected symlink, which stays what it is; its folder may be written`,
    ),
  );
}

/** How the program comes to the egress proxy: a socket that is handed out, and variables that the gate sets. */
function wayOutLines(proxy: GatedPlan["proxy"], ink: Ink): readonly string[] {
  if (proxy === null) return [];
  return [
    ink.dim(
      `# a socket on 127.0.0.1:${proxy.port} is handed out: the supervisor's egress proxy takes its connections`,
    ),
    ...proxy.variables.map((name) => `${name}=…`),
  ];
}

/** What happens outside of the sandbox for a port, while the call runs. */
function wayInLines(ports: GatedPlan["ports"], ink: Ink): readonly string[] {
  return ports.map((port) =>
    ink.dim(
      `# the supervisor listens on 127.0.0.1:${port} and [::1]:${port}, and passes connections to that port inside`,
    ),
  );
}

/** What a mount is there for: the root, the runtime, or the clause that takes something away there. */
export function purposeOf(path: AbsolutePath, standing: Standing, plan: Plan, folder: string): string {
  const { settings, ceiling, needs, onYes } = standing;
  const tighter = plan.approximations.find((one) => one.path === path);
  if (tighter !== undefined) return tighter.reason;
  const [read, write] = (["read", "write"] as const).map((ask) =>
    explain(layersOf(settings, ceiling, needs.onYes), {
      ask,
      path,
      facts: { kind: "folder", bornInside: false },
    }),
  );
  const root = settings.roots.find((one) => one.path === path);
  const runtime = settings.runtimes.find((one) => one.read.includes(path));
  if (root !== undefined) return `root ${root.name}${cutShort(root.mode === "rw" ? write : read)}`;
  if (runtime !== undefined) return `runtime ${runtime.name}`;
  if (listedSockets(onYes.profile.sockets).includes(path)) return "a socket that may be connected to";
  if (write?.allowed === true) return "a pin, so that it can't be renamed away from what is protected in it";
  const { layer, because, at } = (read?.allowed === false ? read : write)?.decidedBy ?? {
    layer: "",
    because: "",
    at: null,
  };
  return `${layer}: ${because}${at === null ? "" : ` (${printPlace(at, folder)})`}`;
}

function cutShort(
  explanation: { readonly allowed: boolean; readonly decidedBy: { readonly layer: string } } | undefined,
): string {
  return explanation === undefined || explanation.allowed
    ? ""
    : `, cut short by ${explanation.decidedBy.layer}`;
}
