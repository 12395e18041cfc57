import type { AbsolutePath } from "../profile/path.ts";
import type { FileAtHome, GivenFile } from "../tool/launch.ts";
import type { Placeholder } from "./placeholder.ts";
import type { ProxyWay } from "./proxy-way.ts";

/** The kinds of protection that a receipt speaks of, in the order it prints them. */
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

/** How a protection stands: as the profile says, tighter than it says, in part, or not at all. */
export type Standing =
  | { readonly kind: "enforced" }
  | { readonly kind: "tighter"; readonly reason: string }
  | { readonly kind: "partial"; readonly reason: string }
  | { readonly kind: "absent"; readonly reason: string };

/** How every protection stands. */
export type Standings = Readonly<Record<Protection, Standing>>;

/** Where the sandbox is tighter than the profile, and why: one of the backend's closed list. */
export interface Approximation {
  readonly name: string;
  readonly path: AbsolutePath;
  readonly reason: string;
}

/** An approximation below which less may be done than the profile says: a layer of its own, told with a way out. */
export interface Limit extends Approximation {
  readonly atMost: "none" | "read";
  /** Paths below it for which, with all that is in them, it does not hold; null: it holds for all. */
  readonly except: readonly AbsolutePath[] | null;
  /** What a person can do about it. */
  readonly remedy: string;
}

/** The same as receipts tell it. */
export function approximationOf({ name, path, reason }: Limit): Approximation {
  return { name, path, reason };
}

/** What the launcher reads from a descriptor of its own. */
export type Input =
  /** `isLasting`: most calls have the same bytes here, so that they are handed over as a file that is kept. */
  | { readonly fd: number; readonly bytes: Uint8Array; readonly isLasting?: true }
  | { readonly fd: number; readonly device: "/dev/null" }
  /** A folder, opened without following a link. */
  | { readonly fd: number; readonly folder: AbsolutePath }
  /** A copyable file, opened to be read. */
  | { readonly fd: number; readonly file: AbsolutePath };

/** One mount that must be there, as the kernel lists it. `source` is null for a file system made for the call. */
export interface ExpectedMount {
  readonly point: AbsolutePath;
  readonly readOnly: boolean;
  readonly type: string | null;
  readonly source: { readonly device: string; readonly root: string } | null;
  /** The kernel or launcher may leave it out; what is not optional must be there. */
  readonly optional: boolean;
  /** It hides what the host has there: where it is lost, that can be read. */
  readonly hides: boolean;
}

/** What must be observed of the waiting process before it may go. */
export interface Expectation {
  readonly mounts: readonly ExpectedMount[];
  readonly namespaces: readonly string[];
  readonly hasSeccomp: boolean;
  /** Descriptors that may be open at the gate. */
  readonly descriptors: readonly number[];
  /** Names of variables that may be set at the gate. */
  readonly environment: readonly string[];
}

/** Bounds on all processes of a call together, for a cgroup that is made for it to hold. */
export interface TreeBounds {
  readonly memoryBytes: number | null;
  readonly processes: number | null;
  /** Descriptors by which the gate enters it, one for each hierarchy that has doors; the host moves it into any other. */
  readonly doors: readonly number[];
}

/** Which part of the plan enforces a clause of the profile: `explain` prints it. */
export interface PlanClause {
  readonly path: AbsolutePath;
  readonly args: readonly string[];
}

/**
 * One launch, complete: data that a host can start without knowing which backend made it. Paths in `args` and `inputs`
 * are byte strings as `pathToBytes` makes them.
 */
export type Plan = GatedPlan | RulePlan;

/** Walls of mounts and namespaces, which the host looks at from outside before the program starts. */
export interface GatedPlan extends PlanParts {
  readonly kind: "mounts";
  /** The gate says ready here, waits for go, and closes it. */
  readonly gateFd: number;
  /**
   * Where the program has a terminal of its own: its sizes are read here, each as a line `rows columns`, the first before it
   * starts. Null where it has none.
   */
  readonly sizesFd: number | null;
  /**
   * Where the gate hands out a socket that listens on the sandbox's own loopback, over Node's channel for handles, before
   * it says ready; null where the program reaches nothing.
   */
  readonly listenFd: number | null;
  /** What connects to servers inside from here, where ports lead in; null where none does. */
  readonly connector: readonly [AbsolutePath, ...string[]] | null;
  /** So many launchers stand one in another; the sandbox's first process is the innermost's child. */
  readonly launchers: number;
  readonly expects: Expectation;
}

/**
 * Walls of rules that the kernel asks at each operation. They stand from the launcher's first step on; nobody can look at
 * them from outside, so a gate inside tries them before the program starts. `argv` is the gate with the program's words:
 * what the launcher needs in front of it (`-f FILE`, `-D NAME=VALUE`) names the call's own folder, which the host makes.
 */
export interface RulePlan extends PlanParts {
  readonly kind: "rules";
  readonly rules: RuleText;
  /** All variables that the program gets, but those that name the call's own folder. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where the program starts; the gate goes there. */
  readonly cwd: AbsolutePath;
  /** What the host puts into the call's own folder; a word of `argv` that is one of these paths names it there. */
  readonly given: readonly GivenFile[];
  /** What the host puts into HOME. */
  readonly atHome: readonly FileAtHome[];
}

/** A profile as the launcher's compiler reads it. Equal profiles and facts have equal texts. */
export interface RuleText {
  /** In it `TAG_MARK` is the message where the call's own tag goes; a path may read like it. */
  readonly text: string;
  /** Values of the parameters that the text names, beside those of the call's own folder; UTF-8. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A device of the machine that a call has, and what that lets it do, in words that follow "may". */
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
  /** What stands in for missing paths while the call runs. */
  readonly placeholders: readonly Placeholder[];
  readonly clauses: readonly PlanClause[];
  readonly approximations: readonly Approximation[];
  /** Those of them that hold for paths, as `explain` and denials tell them. */
  readonly limits: readonly Limit[];
  /** Paths that can't be removed, renamed or replaced, whatever may be written there. */
  readonly fixed: readonly AbsolutePath[];
  readonly standings: Standings;
  /** Devices of the machine that are shown; left out where there are none. */
  readonly devices?: readonly ShownDevice[];
  /** How the program finds the egress proxy; null where it has none. */
  readonly proxy: ProxyWay | null;
  /** The ports of this machine's loopback that lead into it. */
  readonly ports: readonly number[];
  /** Null where no cgroup is needed, or none can be had. */
  readonly tree: TreeBounds | null;
}

/** A profile that this backend cannot enforce on this machine: which part, why, and what to do. */
export interface Refusal {
  readonly field: string;
  readonly reason: string;
  readonly remedy: string;
}

/** A plan, or why there is none. */
export type Rendering =
  | { readonly kind: "plan"; readonly plan: Plan }
  | { readonly kind: "refusal"; readonly refusal: Refusal };

/** The standing that protects least of two. */
export function weaker(a: Standing, b: Standing): Standing {
  const order = ["absent", "partial", "tighter", "enforced"] as const;
  return order.indexOf(a.kind) <= order.indexOf(b.kind) ? a : b;
}
