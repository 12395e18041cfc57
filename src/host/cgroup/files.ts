import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { codeOf } from "../system-error.ts";

/** The files by which cgroups are looked at, made and removed: the machine's, or those of a machine that is made up. */
export interface CgroupFiles {
  /** The text of a file; null where it can't be read. */
  read(path: string): string | null;
  exists(path: string): boolean;
  /** The names in a folder; none where it can't be read. */
  list(path: string): readonly string[];
  /** Null where this process may write there, else the system's code for why not: `EACCES`, `EROFS`, `ENOENT`. */
  refusal(path: string): string | null;
  /** Throws the system's error, as all below. */
  write(path: string, text: string): void;
  /** A write that may wait for every processor of the machine, as one that moves a process does. */
  writeSlowly(path: string, text: string): Promise<void>;
  makeFolder(path: string): void;
  removeFolder(path: string): void;
  /** An open descriptor to write to, for somebody else. */
  open(path: string): number;
}

/** This machine's. */
export const MACHINE: CgroupFiles = {
  read: (path) => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return null;
    }
  },
  exists: existsSync,
  list: (path) => {
    try {
      return readdirSync(path);
    } catch {
      return [];
    }
  },
  refusal: (path) => {
    try {
      accessSync(path, constants.W_OK);
      return null;
    } catch (cause) {
      return codeOf(cause);
    }
  },
  // A control file is there or it is none: what is made in its place bounds nothing.
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
