import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { namesIn } from "../../look/names-in.ts";
import { orNull } from "../../or-null.ts";
import { codeOf } from "../../system-error.ts";

/** The files by which cgroups are looked at, made and removed: the machine's, or simulated ones. */
export interface CgroupFiles {
  /** The text of a file; null if it can't be read. */
  read(path: string): string | null;
  exists(path: string): boolean;
  /** The names in a folder; none if it can't be read. */
  list(path: string): readonly string[];
  /** Null if this process may write there, else the system's code of the refusal: `EACCES`, `EROFS`, `ENOENT`. */
  refusal(path: string): string | null;
  /** Throws the system's error, as all below. */
  write(path: string, text: string): void;
  /** A write that may wait for every processor of the machine, as one that moves a process does. */
  writeSlowly(path: string, text: string): Promise<void>;
  makeFolder(path: string): void;
  removeFolder(path: string): void;
  /** An open descriptor to write to, for another process. */
  open(path: string): number;
}

/** This machine's. */
export const MACHINE: CgroupFiles = {
  read: (path) => orNull(() => readFileSync(path, "utf8")),
  exists: existsSync,
  list: namesIn,
  refusal: (path) => {
    try {
      accessSync(path, constants.W_OK);
      return null;
    } catch (cause) {
      return codeOf(cause);
    }
  },
  // Never creates a control file: a file made in its place bounds nothing.
  write: (path, text) => {
    const fd = openSync(path, constants.O_WRONLY);
    try {
      writeSync(fd, text);
    } finally {
      closeSync(fd);
    }
  },
  writeSlowly: async (path, text) => {
    await using file = await open(path, constants.O_WRONLY);
    await file.writeFile(text);
  },
  makeFolder: (path) => mkdirSync(path),
  removeFolder: (path) => rmdirSync(path),
  open: (path) => openSync(path, constants.O_WRONLY),
};
