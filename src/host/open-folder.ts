import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { CofferdamError, visible } from "../errors.ts";
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

/** Folders that were opened each as above, by their paths. */
export interface OpenFolders extends Disposable {
  readonly fds: ReadonlyMap<AbsolutePath, number>;
}

/** Opens several. Throws `FACTS_UNSTABLE` where a link or nothing stands on the way by now. */
export function openFolders(paths: readonly AbsolutePath[]): OpenFolders {
  const opened: (readonly [AbsolutePath, OpenFolder])[] = [];
  const close = (): void => {
    for (const [, folder] of opened) folder[Symbol.dispose]();
  };
  for (const path of paths) {
    try {
      opened.push([path, openFolder(path)]);
    } catch (cause) {
      close();
      throw new CofferdamError("FACTS_UNSTABLE", `${visible(path)} is no folder any more`, {
        hint: "run it again when the files are at rest",
        cause,
      });
    }
  }
  return { fds: new Map(opened.map(([path, { fd }]) => [path, fd])), [Symbol.dispose]: close };
}

function childOf(fd: number, name: string): Buffer {
  return Buffer.from(pathToBytes(`/proc/self/fd/${fd}/${name}`));
}
