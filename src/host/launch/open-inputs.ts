import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";
import type { Input } from "../../backend/plan.ts";
import { CofferdamError, visible } from "../../errors.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import { openKept } from "../kept-bytes.ts";
import { isCopyable, systemPath } from "../look/nodes.ts";
import { openFolder } from "../look/open-folder.ts";
import { orNull } from "../or-null.ts";
import { codeOf } from "../system-error.ts";

/** The host's files and folders that a launcher reads, opened: by the numbers under which it has them. */
export interface OpenInputs extends Disposable {
  readonly fds: ReadonlyMap<number, number>;
}

/**
 * Opens the folders and files of a plan, and files with its lasting bytes: see `openKept`. Throws `FACTS_UNSTABLE` if a
 * folder or file differs from the planned one, `SANDBOX_UNAVAILABLE` if no descriptors are left.
 */
export function openInputs(inputs: readonly Input[]): OpenInputs {
  const fds = new Map<number, number>();
  const close = (): void => {
    for (const fd of fds.values()) closeSync(fd);
  };
  try {
    for (const input of inputs) {
      if ("folder" in input)
        fds.set(
          input.fd,
          unlessChanged(input.folder, () => openFolder(input.folder).fd),
        );
      if ("file" in input)
        fds.set(
          input.fd,
          unlessChanged(input.file, () => openCopyable(input.file)),
        );
      const kept = "bytes" in input && input.isLasting === true ? openKept(input.bytes) : null;
      if (kept !== null) fds.set(input.fd, kept);
    }
  } catch (cause) {
    close();
    throw cause;
  }
  return { fds, [Symbol.dispose]: close };
}

function unlessChanged(path: AbsolutePath, open: () => number): number {
  try {
    return open();
  } catch (cause) {
    const code = codeOf(cause);
    if (["EMFILE", "ENFILE", "ENOMEM"].includes(code))
      throw new CofferdamError("SANDBOX_UNAVAILABLE", `${visible(path)} could not be opened: ${code}`, {
        hint: "raise `ulimit -n`, or end programs with many open files",
        cause,
      });
    throw new CofferdamError("FACTS_UNSTABLE", `${visible(path)} changed while the call was prepared`, {
      hint: "run it again when no program changes these files",
      cause,
    });
  }
}

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** The state of a plan's folder or file, if it could be opened as such; null if not, and for bytes. */
export function statsOfInput(input: Input): BigIntStats | null {
  const path = "folder" in input ? input.folder : "file" in input ? input.file : null;
  if (path === null) return null;
  const stats = bigStatsOf(path);
  if (stats === null) return null;
  const [uid, mode, size] = [Number(stats.uid), Number(stats.mode), Number(stats.size)];
  const isFit =
    "folder" in input
      ? stats.isDirectory()
      : isCopyable(path, { isFile: () => stats.isFile(), uid, mode, size });
  return isFit ? stats : null;
}

function bigStatsOf(path: AbsolutePath): BigIntStats | null {
  return orNull(() => lstatSync(systemPath(path), { bigint: true, throwIfNoEntry: false }) ?? null);
}

/** All processes inside can read a copy: a file that not all users may read by now is not copied. */
function openCopyable(path: AbsolutePath): number {
  const fd = openSync(systemPath(path), READ);
  if (isCopyable(path, fstatSync(fd))) return fd;
  closeSync(fd);
  throw new Error("another file");
}
