import type { SpaceLeft } from "../host/scratch-space.ts";
import type { Limits } from "../profile/limits.ts";
import { printSize } from "../profile/quantity.ts";
import type { Denial } from "./denial.ts";

/** What is known of a program that failed. */
interface FailedProgram {
  readonly code: number;
  /** The end of what it said on standard error. */
  readonly said: string;
  readonly spaceLeft: readonly SpaceLeft[];
  readonly limits: Limits;
}

/** How programs tell that a file system is full (strerror(3), `ENOSPC`). */
const NO_SPACE = /no space left on device|\bENOSPC\b|disk (is )?full|not enough (free )?space/i;
/** 128 + SIGBUS: what ends a process that touches shared memory for which there is no space (mmap(2), tmpfs(5)). */
const BUS_ERROR_STATUS = 135;
const BUS_ERROR = /\bbus error\b|\bSIGBUS\b/i;
/** What is left of a full place is less than a program writes at once. */
const MAX_LEFT_BYTES = 64 * 1024;

/**
 * The scratch space that was full when a program had failed. Certain where the program itself said that there was no
 * space, or was ended by the signal for that; a place that is not full any more is told as likely where it was.
 */
export function scratchDenials({ code, said, spaceLeft, limits }: FailedProgram): readonly Denial[] {
  const isBusError = code === BUS_ERROR_STATUS || BUS_ERROR.test(said);
  const isNoSpace = NO_SPACE.test(said);
  const full = spaceLeft.filter(({ freeBytes }) => freeBytes < MAX_LEFT_BYTES);
  if (full.length > 0) {
    const isTold = (one: SpaceLeft): boolean => isNoSpace || (isBusError && one.place === "/dev/shm");
    return full.map((one) => denialOf(one, limits, isTold(one) ? "certain" : "likely", "was full"));
  }
  // A program that cleans up after itself leaves room.
  const sharedMemory = spaceLeft.filter(({ place }) => isBusError && place === "/dev/shm");
  return sharedMemory.map((one) => denialOf(one, limits, "likely", "was too small"));
}

const NAMES = {
  "/tmp": "scratch space (`/tmp` and HOME)",
  "/dev/shm": "shared memory (`/dev/shm`)",
} as const;

function denialOf(
  { place, totalBytes }: SpaceLeft,
  limits: Limits,
  certainty: Denial["certainty"],
  how: string,
): Denial {
  return {
    operation: "write",
    target: place,
    certainty,
    because: `${NAMES[place]} ${how}: ${printSize(totalBytes)}`,
    remedy: `raise ${boundOf(place, totalBytes, limits)} under \`sandbox.limits\`, or the profile's that is lower`,
  };
}

/** The limits that have to be raised: shared memory is bounded by that of scratch space as well. */
function boundOf(place: SpaceLeft["place"], totalBytes: number, limits: Limits): string {
  if (place === "/tmp") return "`scratch`";
  const isByBoth = limits.scratchBytes !== undefined && limits.scratchBytes <= totalBytes;
  return isByBoth ? "`shared_memory` and `scratch`" : "`shared_memory`";
}
