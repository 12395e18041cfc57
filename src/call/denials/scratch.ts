import type { SpaceLeft } from "../../host/launch/scratch-space.ts";
import type { Denial } from "../../policy/denial.ts";
import type { Limits } from "../../profile/limits.ts";
import { printSize } from "../../profile/quantity.ts";

interface FailedProgram {
  readonly code: number;
  readonly said: string;
  readonly spaceLeft: readonly SpaceLeft[];
  readonly limits: Limits;
}

/** Messages about a full file system (strerror(3), `ENOSPC`). */
const NO_SPACE = /no space left on device|\bENOSPC\b|disk (is )?full|not enough (free )?space/i;
/** 128 + SIGBUS: status of a process that touches shared memory without space left (mmap(2), tmpfs(5)). */
const BUS_ERROR_STATUS = 135;
const BUS_ERROR = /\bbus error\b|\bSIGBUS\b/i;
/** A full place has less left than a program writes in one step. */
const MAX_LEFT_BYTES = 64 * 1024;

/** The scratch space that was full: certain if the program reported it or ended by its signal, else likely. */
export function scratchDenials({ code, said, spaceLeft, limits }: FailedProgram): readonly Denial[] {
  const isBusError = code === BUS_ERROR_STATUS || BUS_ERROR.test(said);
  const isNoSpace = NO_SPACE.test(said);
  const full = spaceLeft.filter(({ freeBytes }) => freeBytes < MAX_LEFT_BYTES);
  if (full.length > 0) {
    const isReported = (one: SpaceLeft): boolean => isNoSpace || (isBusError && one.place === "/dev/shm");
    return full.map((one) => denialOf(one, limits, isReported(one) ? "certain" : "likely", "was full"));
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
    remedy: `raise ${boundOf(place, totalBytes, limits)} under \`sandbox.limits\`, or the lower limit of a profile`,
  };
}

/** The limits to raise: the limit of scratch space bounds shared memory as well. */
function boundOf(place: SpaceLeft["place"], totalBytes: number, limits: Limits): string {
  if (place === "/tmp") return "`scratch`";
  const isByBoth = limits.scratchBytes !== undefined && limits.scratchBytes <= totalBytes;
  return isByBoth ? "`shared_memory` and `scratch`" : "`shared_memory`";
}
