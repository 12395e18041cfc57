import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { type AbsolutePath, namesOf, pathToBytes } from "../profile/path.ts";

/** A descriptor that only names a place; Node does not name the flag (asm-generic/fcntl.h: the same on x86-64 and arm64). */
const O_PATH = 0o10000000;
const FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A folder that was reached without following a link: it stays this folder, whatever comes to stand at its path. */
export interface OpenFolder extends Disposable {
  /** Its descriptor, which only names it: nothing can be read or written through it by itself. */
  readonly fd: number;
  /**
   * A name in the folder, for any call of `node:fs`: `/proc/self/fd/N/name`, which the kernel looks up in the folder
   * itself.
   */
  child(name: string): Buffer;
}

/**
 * Opens a folder without following a link. On Linux alone: elsewhere, and where a link, a file or nothing stands on the
 * way, it throws node's errors.
 */
export function openFolder(path: AbsolutePath): OpenFolder {
  const fd = openByPath(path) ?? openByNames(path);
  return { fd, child: (name) => childOf(fd, name), [Symbol.dispose]: () => closeSync(fd) };
}

/**
 * In one step: null where what was opened has another name than the path, as the kernel tells it (proc(5), `fd`), because
 * a link stands on the way, or the folder was moved since.
 */
function openByPath(path: AbsolutePath): number | null {
  const bytes = Buffer.from(pathToBytes(path));
  const fd = openSync(bytes, FLAGS);
  try {
    if (readlinkSync(`/proc/self/fd/${fd}`, { encoding: "buffer" }).equals(bytes)) return fd;
  } catch (cause) {
    closeSync(fd);
    throw cause;
  }
  closeSync(fd);
  return null;
}

/** Name by name from the root, each in the one before, as `openat` would, which Node has no call for. */
function openByNames(path: AbsolutePath): number {
  let fd = openSync("/", FLAGS);
  try {
    for (const name of namesOf(path)) {
      const next = openSync(childOf(fd, name), FLAGS);
      closeSync(fd);
      fd = next;
    }
  } catch (cause) {
    closeSync(fd);
    throw cause;
  }
  return fd;
}

function childOf(fd: number, name: string): Buffer {
  return Buffer.from(pathToBytes(`/proc/self/fd/${fd}/${name}`));
}
