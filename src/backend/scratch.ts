import type { Limits } from "../profile/limits.ts";

/** Space on `/tmp` when no limit says otherwise. */
const SCRATCH_BYTES = 256 * 1024 ** 2;
/** Less is given to `/dev/shm` only where a limit says so: it is what container engines give. */
const SHARED_MEMORY_BYTES = 64 * 1024 ** 2;

/** What `/tmp` may hold. */
export function scratchBytes(limits: Limits): number {
  return limits.scratchBytes ?? SCRATCH_BYTES;
}

/**
 * What `/dev/shm` may hold: what its own limit says, else half of the scratch space, or 64 MiB where that is more. A limit on
 * scratch space bounds it as well, so that a profile that bounds that alone bounds all that a call may keep in memory.
 */
export function sharedMemoryBytes(limits: Limits): number {
  const own = limits.sharedMemoryBytes ?? Math.max(SHARED_MEMORY_BYTES, scratchBytes(limits) / 2);
  return Math.floor(Math.min(own, limits.scratchBytes ?? Infinity));
}
