import type { AbsolutePath } from "../profile/path.ts";
import type { FileAtHome, GivenFile } from "../tool/launch.ts";
import type { Placeholder } from "./placeholder.ts";
import type { ProxyWay } from "./proxy-way.ts";

/** The kinds of protection in a receipt, in the order of printing. */
export const PROTECTIONS = [
  "files",
  "network",
  "sockets",
  "processes",
  "capabilities",
  "syscalls",
  "terminal",
  "environment",
  "descriptors",
  "limits",
] as const;
export type Protection = (typeof PROTECTIONS)[number];

/** The enforcement of a protection: as the profile says, tighter, in part, or not at all. */
export type Enforcement =
  | { readonly kind: "enforced" }
  | { readonly kind: "tighter"; readonly reason: string }
  | { readonly kind: "partial"; readonly reason: string }
  | { readonly kind: "absent"; readonly reason: string };

/** The enforcement of every protection. */
export type EnforcementReport = Readonly<Record<Protection, Enforcement>>;

/** A place where the sandbox is tighter than the profile, and why: one of the backend's closed list. */
export interface Approximation {
  readonly name: string;
  readonly path: AbsolutePath;
  readonly reason: string;
}

/** An approximation that allows less at a path than the profile: a layer of its own, reported with a remedy. */
export interface Limit extends Approximation {
  readonly atMost: "none" | "read";
  /** Paths below it for which, with all that is in them, it does not hold; null: it holds for all. */
  readonly except: readonly AbsolutePath[] | null;
  readonly remedy: string;
}

/** The same limit in the form of receipts. */
export function approximationOf({ name, path, reason }: Limit): Approximation {
  return { name, path, reason };
}

/** An input that the launcher reads from a descriptor of its own. */
export type Input =
  /** `isLasting`: most calls have the same bytes here, so that they come from a kept file. */
  | { readonly fd: number; readonly bytes: Uint8Array; readonly isLasting?: true }
  | { readonly fd: number; readonly device: "/dev/null" }
  /** A folder, opened without following a link. */
  | { readonly fd: number; readonly folder: AbsolutePath }
  /** A copyable file, opened to be read. */
  | { readonly fd: number; readonly file: AbsolutePath };

/** One mount that must exist, as the kernel lists it. `source` is null for a file system made for the call. */
export interface ExpectedMount {
  readonly point: AbsolutePath;
  readonly readOnly: boolean;
  readonly type: string | null;
  readonly source: { readonly device: string; readonly root: string } | null;
  /** The kernel or launcher may leave it out; a mount that is not optional must exist. */
  readonly optional: boolean;
  /** It hides a host path: if the mount is lost, that path can be read. */
  readonly hides: boolean;
}

/** Expected properties of the waiting process, observed before it may go. */
export interface Expectation {
  readonly mounts: readonly ExpectedMount[];
  readonly namespaces: readonly string[];
  readonly hasSeccomp: boolean;
  /** Descriptors that may be open in the start program. */
  readonly descriptors: readonly number[];
  /** Names of variables that may be set in the start program. */
  readonly environment: readonly string[];
}

/** Bounds on all processes of a call together, for a cgroup made for the call. */
export interface TreeBounds {
  readonly memoryBytes: number | null;
  readonly processes: number | null;
  /** Descriptors by which the start program enters it, for each hierarchy with doors; the host moves it into others. */
  readonly doors: readonly number[];
}

/** The part of the plan that enforces a clause of the profile: `explain` prints it. */
export interface PlanClause {
  readonly path: AbsolutePath;
  readonly args: readonly string[];
}

/**
 * One launch, complete: data that a host can start without knowing which backend made it. Paths in `args` and `inputs`
 * are byte strings as made by `pathToBytes`.
 */
export type Plan = MountPlan | RulePlan;

/** A sandbox of mounts and namespaces, which the host inspects from outside before the program starts. */
export interface MountPlan extends PlanParts {
  readonly kind: "mounts";
  /** The start program says ready here, waits for go, and closes it. */
  readonly startFd: number;
  /**
   * The descriptor for the terminal's sizes, a line `rows columns` each, the first before the start. Null without one.
   */
  readonly sizesFd: number | null;
  /**
   * The descriptor on which the start program sends a socket that listens on the sandbox's own loopback, over Node's
   * channel for handles, before it says ready. Null for a program without network.
   */
  readonly listenFd: number | null;
  /** The command that connects to servers inside from here, if ports lead in; else null. */
  readonly connector: readonly [AbsolutePath, ...string[]] | null;
  /** The number of nested launchers; the sandbox's first process is the innermost's child. */
  readonly launchers: number;
  readonly expects: Expectation;
}

/**
 * A sandbox of rules that the kernel checks at each operation, from the launcher's first step on. They cannot be
 * inspected from outside, so a start program inside tries them before the program starts. `argv` is the start program
 * with the program's words. The launcher's options (`-f FILE`, `-D NAME=VALUE`) name the call's own folder, which the
 * host makes.
 */
export interface RulePlan extends PlanParts {
  readonly kind: "rules";
  readonly rules: RuleText;
  /** All variables of the program, except those that name the call's own folder. */
  readonly environment: Readonly<Record<string, string>>;
  /** The folder in which the program starts; the start program changes to it. */
  readonly cwd: AbsolutePath;
  /** Files that the host puts into the call's own folder; a word of `argv` equal to such a path names it there. */
  readonly given: readonly GivenFile[];
  /** Files that the host puts into HOME. */
  readonly atHome: readonly FileAtHome[];
}

/** A profile as the launcher's compiler reads it. Equal profiles and facts have equal texts. */
export interface RuleText {
  /** `TAG_MARK` in it is the message that receives the call's own tag; a path may read like it. */
  readonly text: string;
  /** Values of the text's parameters, beside those of the call's own folder; UTF-8. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A device of the machine that a call has, and its effect, in words that follow "may". */
export interface ShownDevice {
  readonly path: AbsolutePath;
  readonly may: string;
}

interface PlanParts {
  readonly backend: string;
  readonly version: string;
  readonly file: AbsolutePath;
  readonly argv: readonly string[];
  readonly inputs: readonly Input[];
  /** Placeholders for missing paths while the call runs. */
  readonly placeholders: readonly Placeholder[];
  readonly clauses: readonly PlanClause[];
  readonly approximations: readonly Approximation[];
  /** Those that hold for paths, as `explain` and denials report them. */
  readonly limits: readonly Limit[];
  /** Paths that cannot be removed, renamed or replaced, whatever may be written there. */
  readonly fixed: readonly AbsolutePath[];
  readonly enforcement: EnforcementReport;
  /** Devices of the machine that are shown; left out if there are none. */
  readonly devices?: readonly ShownDevice[];
  /** The way of the program to the egress proxy; null if it has none. */
  readonly proxy: ProxyWay | null;
  /** The ports of this machine's loopback that lead into it. */
  readonly ports: readonly number[];
  /** Null if no cgroup is needed or available. */
  readonly tree: TreeBounds | null;
}

/** A profile that this backend cannot enforce on this machine: the part, the reason and a remedy. */
export interface NotEnforceable {
  readonly field: string;
  readonly reason: string;
  readonly remedy: string;
}

/** A plan, or the reason why there is none. */
export type Rendering =
  | { readonly kind: "plan"; readonly plan: Plan }
  | { readonly kind: "refusal"; readonly refusal: NotEnforceable };

/** The weaker enforcement of two. */
export function weakest(a: Enforcement, b: Enforcement): Enforcement {
  const order = ["absent", "partial", "tighter", "enforced"] as const;
  return order.indexOf(a.kind) <= order.indexOf(b.kind) ? a : b;
}
