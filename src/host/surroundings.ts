import { closeSync, openSync, readlinkSync } from "node:fs";
import type { GatedPlan } from "../backend/plan.ts";
import { leakedDescriptors } from "./proof.ts";
import type { Descriptors } from "./spawn.ts";

/** What a sandbox must differ from, and what must not leak into it. */
export interface Surroundings extends Disposable {
  /** The supervisor's own namespaces by kind. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** Descriptors that the supervisor itself inherited and a child would get. */
  readonly leaked: readonly number[];
  /** An open descriptor of `/dev/null`, for what only the launcher itself has. */
  readonly devNull: number;
}

/** Looks at the supervisor's own process. The descriptor it opens is closed on disposal. */
export function lookAtSurroundings(): Surroundings {
  const kinds = ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup"];
  const devNull = openSync("/dev/null", "r+");
  return {
    namespaces: new Map(kinds.map((kind) => [kind, readlinkSync(`/proc/self/ns/${kind}`)])),
    leaked: leakedDescriptors(),
    devNull,
    [Symbol.dispose]: () => closeSync(devNull),
  };
}

/**
 * The launcher's descriptors by number: the three of the program, those that the plan names, and a dead pipe over each
 * one that would leak: of a device or file of the host even the descriptor could be used to change its mode. The launcher's reports go there as well: a pipe would end it with SIGPIPE when the supervisor is
 * killed, and leave the half-built sandbox behind. Node leaves an ignored descriptor above 2 as it is, so that one has to be covered.
 */
export function descriptorsFor(
  plan: GatedPlan,
  hasStdin: boolean,
  { leaked, devNull }: Surroundings,
): Descriptors {
  const stdio: ("ignore" | "pipe" | number)[] = [hasStdin ? "pipe" : "ignore", "pipe", "pipe"];
  stdio[plan.statusFd] = devNull;
  stdio[plan.gateFd] = "pipe";
  for (const input of plan.inputs) stdio[input.fd] = "bytes" in input ? "pipe" : devNull;
  for (const fd of leaked) stdio[fd] ??= "pipe";
  return Array.from(stdio, (kind) => kind ?? "ignore");
}
