import { closeSync, openSync, readlinkSync } from "node:fs";
import type { MountPlan } from "../../backend/plan.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import { inheritedDescriptors } from "./inherited.ts";
import type { RuleGround } from "./mac/ground.ts";
import { Pipes } from "./pipes.ts";
import type { LaunchersEnds } from "./program-streams.ts";
import type { Descriptors } from "./spawn.ts";

/** The namespaces from which a sandbox must differ, and the descriptors that must not leak into it. */
export interface Surroundings extends Disposable {
  readonly namespaces: ReadonlyMap<string, string>;
  readonly leaked: readonly number[];
  readonly devNull: number;
  readonly pipes: Pipes;
  /** The ground of a sandbox made of rules; null for one made of mounts. */
  readonly rules: RuleGround | null;
}

const NAMESPACES = ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup"] as const;

/**
 * Looks at the supervisor's own process, and on Linux has the system's shell make pipes. Its descriptors are closed on
 * disposal. Throws `SANDBOX_UNAVAILABLE` if the shell makes none.
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
      // The second time the number may belong to another file.
      if (isOpen) closeSync(devNull);
      isOpen = false;
      pipes[Symbol.dispose]();
    },
  };
}

/**
 * Node, once its `tls` is loaded, reads configured certificates on a thread of its own, through descriptors without
 * close-on-exec: one opened between our look and a fork would be in the sandbox, where the proof would refuse it.
 * Asking for the certificates waits for the end of that thread.
 */
function untilCertificatesAreRead(): void {
  const { NODE_EXTRA_CA_CERTS: extra, NODE_USE_SYSTEM_CA: system, NODE_OPTIONS: more = "" } = process.env;
  const isOfSystem = system === "1" || [...process.execArgv, ...more.split(" ")].includes("--use-system-ca");
  if (!isOfSystem && (extra ?? "") === "") return;
  process.getBuiltinModule("node:tls").getCACertificates(isOfSystem ? "default" : "extra");
}

/** Descriptors opened for one plan: the doors of the call's cgroup in their order, and its inputs by their numbers. */
export interface OpenForPlan {
  readonly doors?: readonly number[];
  readonly inputs?: ReadonlyMap<number, number>;
}

/**
 * The launcher's descriptors by number: the three of the program, those that the plan names, and the cover over each
 * one that would leak: even the descriptor of a device or file of the host could be used to change its mode. Node
 * leaves an ignored descriptor above 2 as it is, so that one has to be covered. The launcher reports nowhere: so it
 * does nothing else between setting its parent-death signal and letting its child go on, and hardly ever dies in
 * between. Numbers that were not opened for the plan are `/dev/null`, which is neither a door nor a folder, and an
 * empty file. Sockets here are the launcher's and the start program's: both close theirs before the program runs, and
 * the proof finds the others.
 */
export function descriptorsFor(
  plan: MountPlan,
  { stdin, stdout, stderr, sizes, cover }: LaunchersEnds,
  { leaked, devNull }: Surroundings,
  { doors = [], inputs = new Map() }: OpenForPlan = {},
): Descriptors {
  const stdio: ("ignore" | "pipe" | "ipc" | number)[] = [stdin ?? "ignore", stdout, stderr];
  stdio[plan.startFd] = "pipe";
  if (plan.listenFd !== null) stdio[plan.listenFd] = "ipc";
  if (plan.sizesFd !== null && sizes !== null) stdio[plan.sizesFd] = sizes;
  for (const input of plan.inputs)
    stdio[input.fd] = inputs.get(input.fd) ?? ("bytes" in input ? "pipe" : devNull);
  for (const [index, fd] of (plan.tree?.doors ?? []).entries()) stdio[fd] = doors[index] ?? devNull;
  if (cover !== null) for (const fd of leaked) stdio[fd] ??= cover;
  return Array.from(stdio, (kind) => kind ?? "ignore");
}
