import { constants } from "node:os";
import type { Limits } from "../profile/limits.ts";
import { printSize } from "../profile/quantity.ts";
import type { Denial } from "./denial.ts";

/** A program that failed. */
interface FailedProgram {
  readonly code: number;
  /** The end of what it said on standard error. */
  readonly said: string;
  /** The limits of each of its processes. */
  readonly limits: Limits;
}

/** What the kernel ends a process with that writes beyond its limit (setrlimit(2), `RLIMIT_FSIZE`), as a shell tells it. */
const FILE_SIZE_STATUS = 128 + constants.signals.SIGXFSZ;
/** How shells tell of that signal, and how programs that ignore it tell of `EFBIG` (strerror(3)). */
const FILE_TOO_LARGE =
  /file size limit exceeded|file too large|\bEFBIG\b|\bSIGXFSZ\b|\berrno[ :=]+27\b|\bos error 27\b/i;
/** `EMFILE`: the limit of one process. `ENFILE` is a limit of the whole machine, which the sandbox does not set. */
const TOO_MANY_FILES = /too many open files(?! in system)|\bEMFILE\b|\berrno[ :=]+24\b|\bos error 24\b/i;
/** What watches files fails with `EMFILE` as well, at a bound of the machine's on each user (inotify(7)). */
const ABOUT_WATCHING = /inotify|\bwatch/i;

/**
 * The limits on one process that a program seems to have reached: a file's size by its status or its words, open files by its
 * words. The kernel tells nobody else of either, so both are likely.
 */
export function processLimitDenials({ code, said, limits }: FailedProgram): readonly Denial[] {
  const { fileBytes, openFiles } = limits;
  const isByStatus = code === FILE_SIZE_STATUS;
  return [
    ...(fileBytes !== undefined && (isByStatus || FILE_TOO_LARGE.test(said))
      ? [
          denialOf("`file_size`", {
            target: `a file of more than ${printSize(fileBytes)}`,
            because: `by ${isByStatus ? "its status" : "what it said"} a file reached the limit of file size`,
          }),
        ]
      : []),
    ...(openFiles !== undefined && hasTooManyFiles(said)
      ? [
          denialOf("`open_files`", {
            target: `more than ${openFiles} open files in one process`,
            because: "by what it said a process reached the limit of open files",
          }),
        ]
      : []),
  ];
}

function hasTooManyFiles(said: string): boolean {
  return said.split("\n").some((line) => TOO_MANY_FILES.test(line) && !ABOUT_WATCHING.test(line));
}

function denialOf(name: string, what: Pick<Denial, "target" | "because">): Denial {
  return {
    operation: "use",
    ...what,
    certainty: "likely",
    remedy: `raise ${name} under \`sandbox.limits\`, or the profile's that is lower`,
  };
}
