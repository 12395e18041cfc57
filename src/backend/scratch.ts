import type { Limits } from "../profile/limits.ts";

/** Space on `/tmp` when no limit says otherwise. */
const SCRATCH_BYTES = 256 * 1024 ** 2;
/** The minimum of `/dev/shm` unless a limit is smaller: the default of container engines. */
const SHARED_MEMORY_BYTES = 64 * 1024 ** 2;

/** The size of `/tmp`. */
export function scratchBytes(limits: Limits): number {
  return limits.scratchBytes ?? SCRATCH_BYTES;
}

/** The size of `/dev/shm`: its limit, else half of `/tmp`, at least 64 MiB; never above a limit on scratch space. */
export function sharedMemoryBytes(limits: Limits): number {
  const own = limits.sharedMemoryBytes ?? Math.max(SHARED_MEMORY_BYTES, scratchBytes(limits) / 2);
  return Math.floor(Math.min(own, limits.scratchBytes ?? Infinity));
}
