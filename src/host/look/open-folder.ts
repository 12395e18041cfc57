import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { type AbsolutePath, joinPath, namesOf, pathToBytes } from "../../profile/path.ts";
import { firstNamesIn } from "./names-in.ts";
import { bytesOf } from "./nodes.ts";

/** Flag of a descriptor that only names a place; Node lacks it (asm-generic/fcntl.h: the same on x86-64 and arm64). */
const O_PATH = 0o10000000;
const FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Flag for no link on the whole way: open(2) of macOS 11, which Node lacks (bsd/sys/fcntl.h). */
const O_NOFOLLOW_ANY = 0x20000000;
const DARWIN_FLAGS =
  constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK | O_NOFOLLOW_ANY;

/** A folder that was reached without following a link: it stays this folder, even if its path leads to another. */
export interface OpenFolder extends Disposable {
  /** Its descriptor, which only names it: nothing can be read or written through it by itself. */
  readonly fd: number;
  /** The folder itself, for calls of `node:fs` that follow a link at the end. Throws `ESTALE` if it is unavailable. */
  self(): Buffer;
  /** A name in the folder, for any call of `node:fs`. Throws `ESTALE` if it is unavailable. */
  child(name: string): Buffer;
}

/** Opens a folder without following a link. Throws node's errors if a link, a file or nothing is on the way. */
export function openFolder(path: AbsolutePath): OpenFolder {
  return process.platform === "darwin" ? openDarwinFolder(path) : openProcFolder(path);
}

/** Names in a folder, in no order: all of them, or the first `max`. Throws node's errors. */
export function namesInFolder(folder: OpenFolder, max: number): readonly string[] {
  return firstNamesIn(folder.self(), max);
}

/** Opens a folder in an open one, found at `path`; a link in its place is not followed. Throws node's errors. */
export function openFolderIn(folder: OpenFolder, name: string, path: AbsolutePath): OpenFolder {
  if (process.platform === "darwin") return openDarwinFolder(joinPath(path, name));
  return procFolder(openSync(folder.child(name), FLAGS));
}

/** Linux: a name is `/proc/self/fd/N/name`, which the kernel looks up in the folder itself. */
function openProcFolder(path: AbsolutePath): OpenFolder {
  return procFolder(openByPath(path) ?? openByNames(path));
}

function procFolder(fd: number): OpenFolder {
  return {
    fd,
    self: () => Buffer.from(`/proc/self/fd/${fd}`),
    child: (name) => childOf(fd, name),
    [Symbol.dispose]: () => closeSync(fd),
  };
}

/**
 * macOS, where no name can be looked up in an open folder from here: a name follows the folder's path, which must still
 * lead to the opened folder. Between that look and the call another could be put there, and would be worked in with
 * this user's rights; nothing is made for a call and removed again on macOS, whose plans need none.
 */
export function openDarwinFolder(path: AbsolutePath): OpenFolder {
  const bytes = Buffer.from(pathToBytes(path));
  const fd = openSync(bytes, DARWIN_FLAGS);
  const opened = fstatSync(fd, { bigint: true });
  const demandThere = (): void => {
    const now = lstatSync(bytes, { bigint: true });
    if (now.dev === opened.dev && now.ino === opened.ino && isCanonical(bytes)) return;
    throw Object.assign(new Error(`ESTALE: ${path} leads to another folder`), { code: "ESTALE" });
  };
  try {
    demandThere();
  } catch (cause) {
    closeSync(fd);
    throw cause;
  }
  const child = (name: string): Buffer => {
    demandThere();
    return Buffer.from(pathToBytes(joinPath(path, name)));
  };
  const self = (): Buffer => {
    demandThere();
    return bytes;
  };
  return { fd, self, child, [Symbol.dispose]: () => closeSync(fd) };
}

function isCanonical(path: Buffer): boolean {
  return bytesOf(realpathSync.native(path, { encoding: "buffer" })).equals(path);
}

/**
 * In one step: null if the opened folder has another name than the path, by the kernel (proc(5), `fd`), because a link
 * is on the way, or the folder was moved since.
 */
function openByPath(path: AbsolutePath): number | null {
  const bytes = Buffer.from(pathToBytes(path));
  const fd = openSync(bytes, FLAGS);
  try {
    if (bytesOf(readlinkSync(`/proc/self/fd/${fd}`, { encoding: "buffer" })).equals(bytes)) return fd;
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
