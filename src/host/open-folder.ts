import { closeSync, constants, openSync } from "node:fs";
import { type AbsolutePath, namesOf, pathToBytes } from "../profile/path.ts";

/** A descriptor that only names a place; Node does not name the flag (asm-generic/fcntl.h: the same on x86-64 and arm64). */
const O_PATH = 0o10000000;
const FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A folder that was reached without following a link: it stays this folder, whatever comes to stand at its path. */
export interface OpenFolder extends Disposable {
  /**
   * A name in the folder, for any call of `node:fs`: `/proc/self/fd/N/name`, which the kernel looks up in the folder
   * itself.
   */
  child(name: string): Buffer;
}

/**
 * Opens a folder name by name from the root, each in the one before, as `openat` would, which Node has no call for. On
 * Linux alone: elsewhere, and where a link, a file or nothing stands on the way, it throws node's errors.
 */
export function openFolder(path: AbsolutePath): OpenFolder {
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
  return { child: (name) => childOf(fd, name), [Symbol.dispose]: () => closeSync(fd) };
}

function childOf(fd: number, name: string): Buffer {
  return Buffer.from(pathToBytes(`/proc/self/fd/${fd}/${name}`));
}
