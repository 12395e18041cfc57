import { constants, cpus } from "node:os";
import type { Limits } from "../../profile/limits.ts";
import type { Ended } from "./run-options.ts";

/**
 * True if a program ended like one whose processor time has run out: by SIGXCPU, or the status that shells report for
 * that, and so late that all processors of the machine together could have given a process that time. That is only a
 * sign: a program may end with that status for a reason of its own.
 */
export function isOutOfTime(
  { cause, code }: Pick<Ended, "cause" | "code">,
  { cpuSeconds }: Limits,
  durationMs: number,
): boolean {
  if (cpuSeconds === undefined || cause !== "exited") return false;
  return code === 128 + constants.signals.SIGXCPU && durationMs * cpus().length >= cpuSeconds * 1_000;
}
