import { constants } from "node:os";
import type { Denial } from "../../policy/denial.ts";
import type { Limits } from "../../profile/limits.ts";
import { printSize } from "../../profile/quantity.ts";

interface FailedProgram {
  readonly code: number;
  readonly said: string;
  /** The limits of each of its processes. */
  readonly limits: Limits;
}

/** A shell's status for a process that the kernel ended for writing beyond its limit (setrlimit(2), `RLIMIT_FSIZE`). */
const FILE_SIZE_STATUS = 128 + constants.signals.SIGXFSZ;
/** Messages of shells about that signal, and of programs that ignore it about `EFBIG` (strerror(3)). */
const FILE_TOO_LARGE =
  /file size limit exceeded|file too large|\bEFBIG\b|\bSIGXFSZ\b|\berrno[ :=]+27\b|\bos error 27\b/i;
/** `EMFILE`: the limit of one process. `ENFILE` is a limit of the whole machine, which the sandbox does not set. */
const TOO_MANY_FILES = /too many open files(?! in system)|\bEMFILE\b|\berrno[ :=]+24\b|\bos error 24\b/i;
/** File watchers also fail with `EMFILE`, at the machine's bound for each user (inotify(7)). */
const ABOUT_WATCHING = /inotify|\bwatch/i;

/** The process limits a program seems to have reached. The kernel reports neither to others, so both are likely. */
export function processLimitDenials({ code, said, limits }: FailedProgram): readonly Denial[] {
  const { fileBytes, openFiles } = limits;
  const isByStatus = code === FILE_SIZE_STATUS;
  return [
    ...(fileBytes !== undefined && (isByStatus || FILE_TOO_LARGE.test(said))
      ? [
          denialOf("`file_size`", {
            target: `a file of more than ${printSize(fileBytes)}`,
            because: `its ${isByStatus ? "status" : "output"} shows that a file reached the limit of file size`,
          }),
        ]
      : []),
    ...(openFiles !== undefined && hasTooManyFiles(said)
      ? [
          denialOf("`open_files`", {
            target: `more than ${openFiles} open files in one process`,
            because: "its output shows that a process reached the limit of open files",
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
    remedy: `raise ${name} under \`sandbox.limits\`, or the lower limit of a profile`,
  };
}
