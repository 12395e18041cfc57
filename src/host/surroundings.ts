import { closeSync, openSync, readlinkSync } from "node:fs";
import type { GatedPlan } from "../backend/plan.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { inheritedDescriptors } from "./inherited.ts";
import type { RuleGround } from "./mac/ground.ts";
import { Pipes } from "./pipes.ts";
import type { LaunchersEnds } from "./program-streams.ts";
import type { Descriptors } from "./spawn.ts";

/** What a sandbox must differ from, and what must not leak into it. */
export interface Surroundings extends Disposable {
  /** The supervisor's own namespaces by kind; none where there are no such things. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** Descriptors that the supervisor itself inherited and a child would get. */
  readonly leaked: readonly number[];
  /** An open descriptor of `/dev/null`, for what only the launcher itself has. */
  readonly devNull: number;
  /** Pipes for the streams of programs; none on macOS. */
  readonly pipes: Pipes;
  /** What walls of rules take; null where they are of mounts. */
  readonly rules: RuleGround | null;
}

const NAMESPACES = ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup"] as const;

/**
 * Looks at the supervisor's own process, and on Linux has the system's shell make pipes. What it opens is closed on disposal.
 * Throws `SANDBOX_UNAVAILABLE` when the shell makes none.
 */
export async function lookAtSurroundings(
  shell: AbsolutePath,
  platform: NodeJS.Platform = process.platform,
): Promise<Surroundings> {
  const isLinux = platform !== "darwin";
  untilCertificatesAreRead();
  const leaked = inheritedDescriptors();
  const pipes = isLinux ? await Pipes.madeBy(shell) : Pipes.none();
  const kinds = isLinux ? NAMESPACES : [];
  const devNull = openSync("/dev/null", "r+");
  let isOpen = true;
  return {
    namespaces: new Map(kinds.map((kind) => [kind, readlinkSync(`/proc/self/ns/${kind}`)])),
    leaked,
    devNull,
    pipes,
    rules: null,
    [Symbol.dispose]: () => {
      // A second time the number may be somebody else's.
      if (isOpen) closeSync(devNull);
      isOpen = false;
      pipes[Symbol.dispose]();
    },
  };
}

/**
 * Node, once its `tls` is loaded, reads certificates that it was told of on a thread of its own, through descriptors without
 * close-on-exec: one that was opened between our look and a fork would be in the sandbox, where the proof would refuse it.
 * Asking for them waits for that thread, and from then on it is over.
 */
function untilCertificatesAreRead(): void {
  const { NODE_EXTRA_CA_CERTS: extra, NODE_USE_SYSTEM_CA: system, NODE_OPTIONS: more = "" } = process.env;
  const isOfSystem = system === "1" || [...process.execArgv, ...more.split(" ")].includes("--use-system-ca");
  if (!isOfSystem && (extra ?? "") === "") return;
  process.getBuiltinModule("node:tls").getCACertificates(isOfSystem ? "default" : "extra");
}

/** What was opened for one plan: the doors of the call's cgroup, in their order, and what its inputs name, by their numbers. */
export interface OpenForPlan {
  readonly doors?: readonly number[];
  readonly inputs?: ReadonlyMap<number, number>;
}

/**
 * The launcher's descriptors by number: the three of the program, those that the plan names, and the cover over each
 * one that would leak: of a device or file of the host even the descriptor could be used to change its mode. Node leaves
 * an ignored descriptor above 2 as it is, so that one has to be covered. The launcher reports nowhere: between setting its
 * parent-death signal and letting its child go on it does nothing else then, so that it hardly ever dies in between.
 * What was not opened for the plan is `/dev/null`, which is neither a door nor a folder, and an empty file.
 * What is a socket here is the launcher's and the gate's: both close theirs before the program runs, and the proof
 * finds what they don't.
 */
export function descriptorsFor(
  plan: GatedPlan,
  { stdin, stdout, stderr, sizes, cover }: LaunchersEnds,
  { leaked, devNull }: Surroundings,
  { doors = [], inputs = new Map() }: OpenForPlan = {},
): Descriptors {
  const stdio: ("ignore" | "pipe" | "ipc" | number)[] = [stdin ?? "ignore", stdout, stderr];
  stdio[plan.gateFd] = "pipe";
  if (plan.listenFd !== null) stdio[plan.listenFd] = "ipc";
  if (plan.sizesFd !== null && sizes !== null) stdio[plan.sizesFd] = sizes;
  for (const input of plan.inputs)
    stdio[input.fd] = inputs.get(input.fd) ?? ("bytes" in input ? "pipe" : devNull);
  for (const [index, fd] of (plan.tree?.doors ?? []).entries()) stdio[fd] = doors[index] ?? devNull;
  if (cover !== null) for (const fd of leaked) stdio[fd] ??= cover;
  return Array.from(stdio, (kind) => kind ?? "ignore");
}
