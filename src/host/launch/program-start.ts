import { constants, readSync } from "node:fs";
import type { AbsolutePath } from "../../profile/path.ts";
import { canAccess, systemPath } from "../look/nodes.ts";
import { openPlainFile } from "../look/plain-file.ts";

/** The way in which the kernel starts a program that another file has to run. */
export type InterpreterStart =
  /** A first line `#!interpreter argument` (execve(2)). */
  | { readonly kind: "script"; readonly interpreter: string; readonly argument: string }
  /** A dynamically linked program, which its loader runs (elf(5), `PT_INTERP`). */
  | { readonly kind: "linked"; readonly interpreter: string };

/** Maximum of bytes of a first line that count (include/uapi/linux/binfmts.h, `BINPRM_BUF_SIZE`). */
const MAX_FIRST_LINE = 256;
/** Maximum of bytes with the headers of a linked program, and the name of its loader. */
const MAX_READ = 4096;

/**
 * The program that runs the plain file of that id (`device:inode`); null for a file that needs no other, that can't be
 * read, or that is another one by now. At most 4 KiB of it are read, and no link at the path is followed.
 */
export function programStart(path: AbsolutePath, id: string): InterpreterStart | null {
  try {
    using file = openPlainFile(systemPath(path), constants.O_NOFOLLOW);
    if (file === null || `${file.stats.dev}:${file.stats.ino}` !== id) return null;
    const bytes = Buffer.alloc(MAX_READ);
    return startIn(bytes.subarray(0, readSync(file.fd, bytes, 0, MAX_READ, 0)));
  } catch {
    return null;
  }
}

function startIn(head: Buffer): InterpreterStart | null {
  if (head.toString("latin1", 0, 2) === "#!") return scriptIn(head);
  return head.toString("latin1", 0, 4) === "\x7fELF" ? linkedIn(head) : null;
}

function scriptIn(head: Buffer): InterpreterStart | null {
  const [line = ""] = head.toString("utf8", 2, MAX_FIRST_LINE).split("\n");
  const [, interpreter = "", argument = ""] = /^[ \t]*([^ \t\0]*)[ \t]*(.*?)[ \t]*$/su.exec(line) ?? [];
  return interpreter === "" ? null : { kind: "script", interpreter, argument };
}

/** Only for programs of 64 bits and little-endian. Throws a `RangeError` for one that ends early. */
function linkedIn(head: Buffer): InterpreterStart | null {
  if (head[4] !== 2 || head[5] !== 1) return null;
  const [table, size, count] = [head.readUInt32LE(32), head.readUInt16LE(54), head.readUInt16LE(56)];
  for (let at = table; at < table + size * count; at += size) {
    if (head.readUInt32LE(at) !== PT_INTERP) continue;
    const start = head.readUInt32LE(at + 8);
    const length = head.readUInt32LE(at + 32);
    if (start + length > head.length) return null;
    return { kind: "linked", interpreter: head.toString("utf8", start, start + length - 1) };
  }
  return null;
}

const PT_INTERP = 3;

/** True for a file that this user may run. */
export function isExecutable(path: AbsolutePath): boolean {
  return canAccess(systemPath(path), constants.X_OK);
}
