import { constants, cpus } from "node:os";
import type { Limits } from "../profile/limits.ts";
import type { Ended } from "./run-options.ts";

/**
 * True where a program ended as the kernel ends one whose processor time has run out: by SIGXCPU, or as shells tell that of
 * what they ran, and so late that all processors of the machine together could have given a process that time. No more is
 * known of it here: a program may well end with that status for a reason of its own.
 */
export function isOutOfTime(
  { cause, code }: Pick<Ended, "cause" | "code">,
  { cpuSeconds }: Limits,
  durationMs: number,
): boolean {
  if (cpuSeconds === undefined || cause !== "exited") return false;
  return code === 128 + constants.signals.SIGXCPU && durationMs * cpus().length >= cpuSeconds * 1_000;
}
