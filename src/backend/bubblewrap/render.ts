import type { AbsolutePath } from "../../profile/path.ts";
import { joinPath, parentOf, pathToBytes, ROOT } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import type { Launch } from "../../tool/launch.ts";
import type { Facts } from "../facts.ts";
import { GATE_NAME } from "../gate-name.ts";
import { grantedDevices, shownDevices } from "../granted-devices.ts";
import { aliasesOf } from "../host-mounts.ts";
import {
  approximationOf,
  type Expectation,
  type GatedPlan,
  type Input,
  type Plan,
  type Refusal,
  type Rendering,
} from "../plan.ts";
import { isProxied, OWN_LOOPBACK_PORT, proxyWay } from "../proxy-way.ts";
import { withinSearch } from "../search-bound.ts";
import { standardProgram } from "../seccomp/standard.ts";
import { portsIn } from "../way-in.ts";
import { assertAgrees, replay } from "./agrees.ts";
import { clausesOf } from "./clauses.ts";
import { connectorWords } from "./connector.ts";
import { gateScript, limiterOf } from "./gate.ts";
import { handOver } from "./handed.ts";
import { HOME, HOST_NAME, identityFiles } from "./identity.ts";
import { withCovers } from "./link-covers.ts";
import { LISTEN_FD, listenerLines } from "./listener.ts";
import { terminalRefusal, wayInRefusal, wayOutRefusal } from "./perl-refusals.ts";
import { standings } from "./standings.ts";
import { terminalWords } from "./terminal.ts";
import type { Change, Transitions } from "./transitions.ts";
import { treeBounds } from "./tree.ts";
import { isOrHoldsView, views } from "./views.ts";
import { MOST_MOUNTS, withinMounts } from "./within-mounts.ts";

/**
 * Descriptors of the launcher: its options, what is handed out (`LISTEN_FD`, 4), the filter, the gate; then the doors of a cgroup, of one digit
 * because a shell knows no others, the made files, and the sizes of a terminal, whose number is none that the gate uses
 * itself.
 */
const FD = { args: 3, seccomp: 5, gate: 6, next: 7, lowestSizes: 9 } as const;

/** From this many on, `check` warns. */
export const MANY_MOUNTS = 64;

/**
 * The bwrap command line that enforces the profile. Options come in this order, because later ones win:
 * 1. namespaces, capabilities, session, host name, environment;
 * 2. the private places (`/dev`, `/proc`, `/tmp`, …);
 * 3. the machine's symlinks in folders that are made anew;
 * 4. the changes, folders before what is in them;
 * 5. the identity files and what `/sys` says of devices, where nothing of the host is shown;
 * 6. sealing: hidden folders deepest first, then the private places and the base;
 * 7. files in HOME, which is not sealed;
 * 8. the folder to start in and the filter.
 * A profile that can't be enforced is a refusal; a rendering that would be looser is an internal error.
 */
export function renderBubblewrap(
  profile: Profile,
  launch: Launch,
  facts: Facts,
  mostMounts = MOST_MOUNTS,
): Rendering {
  const layout = mostMounts === MOST_MOUNTS ? layoutOf(profile, facts) : layOut(profile, facts, mostMounts);
  if ("reason" in layout) return { kind: "refusal", refusal: layout };
  const refusal =
    (isProxied(profile, launch) ? wayOutRefusal(profile, facts) : null) ??
    wayInRefusal(profile, launch, facts);
  if (refusal !== null) return { kind: "refusal", refusal };
  const plan = planOf(profile, launch, facts, layout);
  return { kind: "plan", plan: withCovers(plan, layout, facts) };
}

/** What a plan has of its profile and the machine alone: everything but the program, its environment and its folder. */
interface Layout
  extends Pick<
    Plan,
    | "inputs"
    | "placeholders"
    | "clauses"
    | "approximations"
    | "limits"
    | "fixed"
    | "standings"
    | "devices"
    | "tree"
  > {
  /** What is mounted, folders before what is in them. */
  readonly changes: readonly Change[];
  /** Options that build the walls, without those that come first and last. */
  readonly args: readonly string[];
  readonly mounts: Expectation["mounts"];
}

/** Facts and profiles are values, so what was laid out for them once holds for as long as anyone has both. */
const laidOut = new WeakMap<Facts, WeakMap<Profile, Layout | Refusal>>();

function layoutOf(profile: Profile, facts: Facts): Layout | Refusal {
  const known = laidOut.get(facts) ?? new WeakMap<Profile, Layout | Refusal>();
  laidOut.set(facts, known);
  const layout = known.get(profile) ?? layOut(profile, facts, MOST_MOUNTS);
  known.set(profile, layout);
  return layout;
}

function layOut(given: Profile, facts: Facts, mostMounts: number): Layout | Refusal {
  const searched = withinSearch(given, facts);
  if ("reason" in searched) return searched;
  const within = withinMounts(searched.profile, facts, mostMounts);
  if ("reason" in within) return within;
  const { profile, found } = within;
  const refusal = refusalOf(profile, found, mostMounts) ?? terminalRefusal(profile, facts);
  if (refusal !== null) return refusal;
  const { changes, placeholders } = found;
  const limits = [...searched.limits, ...within.limits, ...found.limits];
  const approximations = limits.map(approximationOf);
  assertAgrees(profile, facts, changes);
  const inputs: Input[] = [{ fd: FD.seccomp, bytes: standardProgram(facts.arch, profile), isLasting: true }];
  const tree = treeBounds(profile, facts, FD.next);
  const made = views(profile, facts);
  const { clauses, mounts, ...more } = clausesOf(changes, facts, firstFile(tree));
  inputs.push(...more.inputs);
  const names = profile.network === "host" ? facts.nameFiles : null;
  const granted = grantedDevices(profile, facts);
  const files = [...identityFiles(facts.user, names), ...granted.files].flatMap((file) => {
    if (isCovered(changes, file.path)) return [];
    const fd = firstFile(tree) + inputs.length - 1;
    inputs.push({ fd, bytes: new TextEncoder().encode(file.text), isLasting: true });
    return ["--perms", "0444", "--file", String(fd), file.path];
  });
  const sealed = changes.filter((change) => change.kind === "hide-folder");
  const args = [
    ...made.open,
    ...facts.links
      .filter((link) => !isCovered(changes, link.path))
      .flatMap((link) => ["--symlink", link.target, link.path]),
    ...clauses.flatMap((clause) => clause.args),
    ...files,
    ...sealed.reverse().flatMap((change) => ["--remount-ro", change.path]),
    ...made.seal,
  ];
  return {
    args,
    inputs,
    mounts: [...made.mounts, ...mounts],
    placeholders,
    clauses,
    approximations,
    limits,
    // The kernel keeps what a mount stands on by every name that it has (fs/namei.c, `is_local_mountpoint`).
    fixed: [
      ...mounts.map(({ point }) => point),
      ...changes
        .filter(({ path }) => replay(changes, parentOf(path)) !== "none")
        .flatMap(({ path }) => aliasesOf(facts.mounts, path)),
    ],
    standings: standings(profile, facts, approximations),
    ...shownDevices(granted),
    tree,
    changes,
  };
}

function firstFile(tree: Plan["tree"]): number {
  return FD.next + (tree?.doors.length ?? 0);
}

function planOf(profile: Profile, launch: Launch, facts: Facts, layout: Layout): GatedPlan {
  const { args, inputs, mounts, changes: _, ...rest } = layout;
  const given = (launch.given ?? []).map(({ path, bytes }, at) => ({
    args: ["--perms", "0444", "--file", String(firstFile(rest.tree) + inputs.length - 1 + at), path],
    input: { fd: firstFile(rest.tree) + inputs.length - 1 + at, bytes },
  }));
  const atHome = filesAtHome(launch, firstFile(rest.tree) + inputs.length - 1 + given.length);
  const handed = handOver(launch.argv);
  const all = [
    ...walls(profile, launch, facts),
    ...[...handed.variables].flatMap(([name, value]) => ["--setenv", name, value]),
    ...given.flatMap((file) => file.args),
    ...args,
    ...atHome.flatMap((file) => file.args),
    ...["--chdir", launch.typedCwd ?? launch.cwd, "--seccomp", String(FD.seccomp)],
  ];
  const sizesFd = profile.terminal
    ? Math.max(FD.lowestSizes, firstFile(rest.tree) - 1 + inputs.length + given.length + atHome.length)
    : null;
  const { coreDumps } = facts;
  const proxy = isProxied(profile, launch) ? proxyWay(profile, OWN_LOOPBACK_PORT) : null;
  const script = gateScript(profile.limits, FD.gate, {
    tree: rest.tree,
    coreDumps,
    hasTerminal: sizesFd !== null,
    proxy,
    listener: proxy === null ? [] : listenerLines(facts, FD.gate),
  });
  const terminal = sizesFd === null ? [] : terminalWords(facts, sizesFd);
  const limiter = limiterOf(coreDumps);
  const isolated = profile.network === "host" ? [] : ["net"];
  return {
    ...rest,
    backend: "bubblewrap",
    version: facts.launcher.version,
    file: limiter ?? facts.launcher.path,
    argv: [
      // It becomes the launcher: their pid is the same.
      ...(limiter === null ? [] : ["--core=1:1", "--", facts.launcher.path]),
      ...["--args", String(FD.args), "--"],
      ...[facts.launcher.shell, "-c", script, GATE_NAME, ...terminal, ...handed.argv],
    ],
    inputs: [
      { fd: FD.args, bytes: nulSeparated(all) },
      ...inputs,
      ...[...given, ...atHome].map((file) => file.input),
    ],
    kind: "mounts",
    gateFd: FD.gate,
    sizesFd,
    proxy,
    ports: portsIn(profile),
    connector: connectorOf(profile, facts),
    listenFd: proxy === null ? null : LISTEN_FD,
    launchers: 1,
    expects: {
      mounts,
      namespaces: ["user", "mnt", "pid", "ipc", "uts", "cgroup", ...isolated],
      hasSeccomp: true,
      descriptors: [0, 1, 2, FD.gate, ...(sizesFd === null ? [] : [sizesFd])],
      environment: [...Object.keys(launch.env), ...handed.variables.keys(), "PWD"],
    },
  };
}

/** The options that make files in HOME, and what the launcher reads them from: descriptors from `fd` on. */
function filesAtHome({ atHome = [] }: Launch, fd: number) {
  return atHome.map(({ name, text }, at) => ({
    args: ["--perms", "0600", "--file", String(fd + at), joinPath(HOME, name)],
    input: { fd: fd + at, bytes: new TextEncoder().encode(text), isLasting: true as const },
  }));
}

function walls(profile: Profile, launch: Launch, facts: Facts): readonly string[] {
  return [
    ...["--unshare-user", "--unshare-all", "--as-pid-1"],
    ...(profile.network === "host" ? ["--share-net"] : []),
    ...(facts.launcher.options.has("disable-userns") ? ["--disable-userns"] : []),
    ...["--cap-drop", "ALL", "--new-session", "--die-with-parent", "--hostname", HOST_NAME, "--clearenv"],
    ...Object.entries(launch.env).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

/** True when something of the host is shown at the path, so that nothing is made there. */
function isCovered(changes: readonly Change[], path: AbsolutePath): boolean {
  let covering: Change | null = null;
  for (const change of changes)
    if (path === change.path || path.startsWith(`${change.path}/`)) covering = change;
  return covering !== null && covering.access !== "none";
}

function refusalOf(profile: Profile, { changes }: Transitions, mostMounts: number): Refusal | null {
  if (profile.files.some((entry) => entry.path === ROOT && entry.access !== "none")) {
    const reason =
      "the whole file system is granted, which can't be shown around the places made for the call";
    return { field: "files", reason, remedy: "grant the folders below `/` that are needed" };
  }
  const view = changes.find((change) => change.kind === "show" && isOrHoldsView(change.path));
  if (view !== undefined) {
    const reason = `${view.path} is, or holds, a place that every sandbox has for itself`;
    return { field: "files", reason, remedy: "grant the folders below it that are needed" };
  }
  if (changes.length > mostMounts) {
    const masks = changes.filter((change) => change.kind !== "show").length;
    const reason = `${changes.length} mounts would be needed, ${masks} of them for masks; ${mostMounts} is the most`;
    return {
      field: "masks",
      reason,
      remedy:
        "list the folders that calls work in as roots, in place of those that hold so many protected files",
    };
  }
  return null;
}

function connectorOf(profile: Profile, { launcher: { perl }, arch }: Facts): GatedPlan["connector"] {
  return perl === null || portsIn(profile).length === 0 ? null : connectorWords(perl, { arch });
}

function nulSeparated(args: readonly string[]): Uint8Array {
  return pathToBytes(`${args.join("\0")}\0`);
}
