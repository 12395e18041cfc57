import type { AbsolutePath } from "../../profile/path.ts";
import { joinPath, parentOf, pathToBytes, ROOT } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import type { ProgramStart } from "../../tool/launch.ts";
import type { Facts } from "../facts.ts";
import { grantedDevices, shownDevices } from "../granted-devices.ts";
import { aliasesOf } from "../host-mounts.ts";
import {
  approximationOf,
  type Expectation,
  type Input,
  type MountPlan,
  type NotEnforceable,
  type Plan,
  type Rendering,
} from "../plan.ts";
import { isProxied, OWN_LOOPBACK_PORT, proxyWay } from "../proxy-way.ts";
import { withinSearch } from "../search-bound.ts";
import { standardProgram } from "../seccomp/standard.ts";
import { START_NAME } from "../start-program-name.ts";
import { portsIn } from "../way-in.ts";
import { assertAgrees, replay } from "./agrees.ts";
import { clausesOf } from "./clauses.ts";
import { connectorWords } from "./connector.ts";
import { enforcementReport } from "./enforcement.ts";
import { handOver } from "./handed.ts";
import { HOME, HOST_NAME, identityFiles } from "./identity.ts";
import { withCovers } from "./link-covers.ts";
import { LISTEN_FD, listenerLines } from "./listener.ts";
import { terminalRefusal, wayInRefusal, wayOutRefusal } from "./perl-refusals.ts";
import { limiterOf, startScript } from "./start-program.ts";
import { terminalWords } from "./terminal.ts";
import type { Change, Transitions } from "./transitions.ts";
import { treeBounds } from "./tree.ts";
import { isOrHoldsView, views } from "./views.ts";
import { MAX_MOUNTS, withinMounts } from "./within-mounts.ts";

/**
 * Descriptors of the launcher. Doors of a cgroup come next (of one digit: a shell knows no others), then the made
 * files, then the sizes of a terminal, whose number the start program does not use itself. `LISTEN_FD` is 4.
 */
const FD = { args: 3, seccomp: 5, start: 6, next: 7, lowestSizes: 9 } as const;

/** The number of mounts from which `check` warns. */
export const MANY_MOUNTS = 64;

/**
 * The bwrap command line that enforces the profile. Options come in this order, because later ones win:
 * 1. namespaces, capabilities, session, host name, environment;
 * 2. the private places (`/dev`, `/proc`, `/tmp`, …);
 * 3. the machine's symlinks in folders that are rebuilt;
 * 4. the changes, folders before their content;
 * 5. the identity files and the device descriptions of `/sys`, where the host's are not shown;
 * 6. sealing: hidden folders deepest first, then the private places and the base;
 * 7. files in HOME, which is not sealed;
 * 8. the folder to start in and the filter.
 * A profile that cannot be enforced is a refusal; a rendering that would be looser is an internal error.
 */
export function renderBubblewrap(
  profile: Profile,
  launch: ProgramStart,
  facts: Facts,
  maxMounts = MAX_MOUNTS,
): Rendering {
  const layout = maxMounts === MAX_MOUNTS ? layoutOf(profile, facts) : layOut(profile, facts, maxMounts);
  if ("reason" in layout) return { kind: "refusal", refusal: layout };
  const refusal =
    (isProxied(profile, launch) ? wayOutRefusal(profile, facts) : null) ??
    wayInRefusal(profile, launch, facts);
  if (refusal !== null) return { kind: "refusal", refusal };
  const plan = planOf(profile, launch, facts, layout);
  return { kind: "plan", plan: withCovers(plan, layout, facts) };
}

/** The parts of a plan that depend only on profile and machine: not the program, its environment or its folder. */
interface Layout
  extends Pick<
    Plan,
    | "inputs"
    | "placeholders"
    | "clauses"
    | "approximations"
    | "limits"
    | "fixed"
    | "enforcement"
    | "devices"
    | "tree"
  > {
  readonly changes: readonly Change[];
  /** Options that build the sandbox, without the first and last ones. */
  readonly args: readonly string[];
  readonly mounts: Expectation["mounts"];
}

/** Facts and profiles are immutable: a layout holds for as long as both exist. */
const laidOut = new WeakMap<Facts, WeakMap<Profile, Layout | NotEnforceable>>();

function layoutOf(profile: Profile, facts: Facts): Layout | NotEnforceable {
  const known = laidOut.get(facts) ?? new WeakMap<Profile, Layout | NotEnforceable>();
  laidOut.set(facts, known);
  const layout = known.get(profile) ?? layOut(profile, facts, MAX_MOUNTS);
  known.set(profile, layout);
  return layout;
}

function layOut(given: Profile, facts: Facts, maxMounts: number): Layout | NotEnforceable {
  const searched = withinSearch(given, facts);
  if ("reason" in searched) return searched;
  const within = withinMounts(searched.profile, facts, maxMounts);
  if ("reason" in within) return within;
  const { profile, found } = within;
  const refusal = refusalOf(profile, found, maxMounts) ?? terminalRefusal(profile, facts);
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
    // The kernel protects a mount point under every name that it has (fs/namei.c, `is_local_mountpoint`).
    fixed: [
      ...mounts.map(({ point }) => point),
      ...changes
        .filter(({ path }) => replay(changes, parentOf(path)) !== "none")
        .flatMap(({ path }) => aliasesOf(facts.mounts, path)),
    ],
    enforcement: enforcementReport(profile, facts, approximations),
    ...shownDevices(granted),
    tree,
    changes,
  };
}

function firstFile(tree: Plan["tree"]): number {
  return FD.next + (tree?.doors.length ?? 0);
}

function planOf(profile: Profile, launch: ProgramStart, facts: Facts, layout: Layout): MountPlan {
  const { args, inputs, mounts, changes: _, ...rest } = layout;
  const given = (launch.given ?? []).map(({ path, bytes }, at) => ({
    args: ["--perms", "0444", "--file", String(firstFile(rest.tree) + inputs.length - 1 + at), path],
    input: { fd: firstFile(rest.tree) + inputs.length - 1 + at, bytes },
  }));
  const atHome = filesAtHome(launch, firstFile(rest.tree) + inputs.length - 1 + given.length);
  const handed = handOver(launch.argv);
  const all = [
    ...isolationArgs(profile, launch, facts),
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
  const script = startScript(profile.limits, FD.start, {
    tree: rest.tree,
    coreDumps,
    hasTerminal: sizesFd !== null,
    proxy,
    listener: proxy === null ? [] : listenerLines(facts, FD.start),
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
      ...[facts.launcher.shell, "-c", script, START_NAME, ...terminal, ...handed.argv],
    ],
    inputs: [
      { fd: FD.args, bytes: pathToBytes(`${all.join("\0")}\0`) },
      ...inputs,
      ...[...given, ...atHome].map((file) => file.input),
    ],
    kind: "mounts",
    startFd: FD.start,
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
      descriptors: [0, 1, 2, FD.start, ...(sizesFd === null ? [] : [sizesFd])],
      environment: [...Object.keys(launch.env), ...handed.variables.keys(), "PWD"],
    },
  };
}

/** The options that make files in HOME, and the inputs that the launcher reads for them, from descriptor `fd` on. */
function filesAtHome({ atHome = [] }: ProgramStart, fd: number) {
  return atHome.map(({ name, text }, at) => ({
    args: ["--perms", "0600", "--file", String(fd + at), joinPath(HOME, name)],
    input: { fd: fd + at, bytes: new TextEncoder().encode(text), isLasting: true as const },
  }));
}

function isolationArgs(profile: Profile, launch: ProgramStart, facts: Facts): readonly string[] {
  return [
    ...["--unshare-user", "--unshare-all", "--as-pid-1"],
    ...(profile.network === "host" ? ["--share-net"] : []),
    ...(facts.launcher.options.has("disable-userns") ? ["--disable-userns"] : []),
    ...["--cap-drop", "ALL", "--new-session", "--die-with-parent", "--hostname", HOST_NAME, "--clearenv"],
    ...Object.entries(launch.env).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

function isCovered(changes: readonly Change[], path: AbsolutePath): boolean {
  let covering: Change | null = null;
  for (const change of changes)
    if (path === change.path || path.startsWith(`${change.path}/`)) covering = change;
  return covering !== null && covering.access !== "none";
}

function refusalOf(profile: Profile, { changes }: Transitions, maxMounts: number): NotEnforceable | null {
  if (profile.files.some((entry) => entry.path === ROOT && entry.access !== "none")) {
    const reason = "the whole file system is granted, which leaves no place for the call's own folders";
    return { field: "files", reason, remedy: "grant only the folders below `/` that are needed" };
  }
  const view = changes.find((change) => change.kind === "show" && isOrHoldsView(change.path));
  if (view !== undefined) {
    const reason = `${view.path} is or contains a folder that each sandbox replaces with a new one`;
    return { field: "files", reason, remedy: "grant only the folders below it that are needed" };
  }
  if (changes.length > maxMounts) {
    const masks = changes.filter((change) => change.kind !== "show").length;
    const reason = `${changes.length} mounts are needed, ${masks} of them for masks; the maximum is ${maxMounts}`;
    return {
      field: "masks",
      reason,
      remedy: "list smaller folders as roots, so that they contain fewer protected files",
    };
  }
  return null;
}

function connectorOf(profile: Profile, { launcher: { perl }, arch }: Facts): MountPlan["connector"] {
  return perl === null || portsIn(profile).length === 0 ? null : connectorWords(perl, { arch });
}
