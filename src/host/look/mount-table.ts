import type { HostMount } from "../../backend/facts.ts";
import { isAbsolutePath, pathFromBytes } from "../../profile/path.ts";
import { procBytes } from "./proc-files.ts";

/** A line: id, parent, device, root, mount point, options, further fields, a dash, type. White space is escaped. */
const LINE = /(?:^|\n)[^ \n]+ [^ \n]+ ([^ \n]+) ([^ \n]+) ([^ \n]+) ([^ \n]+)(?: [^ \n]+)*? - ([^ \n]*)/g;

const READ_ONLY = /(?:^|,)ro(?:,|$)/;

/**
 * Reads `/proc/<pid>/mountinfo` (proc(5)): mount point, part of the file system, device and type. White space and
 * backslashes in paths are octal escapes; other bytes are as they are. A line with a mount point that is no path
 * (`(unreachable)…`) is left out.
 */
export function parseMountTable(bytes: Uint8Array): readonly HostMount[] {
  const mounts: HostMount[] = [];
  for (const [, device = "", root = "", at = "", options = "", type = ""] of pathFromBytes(bytes).matchAll(
    LINE,
  )) {
    const point = unescaped(at);
    if (!isAbsolutePath(point)) continue;
    mounts.push({ point, root: unescaped(root), device, type, readOnly: READ_ONLY.test(options) });
  }
  return mounts;
}

/** The table of this process; null on macOS, which has none: there mounts alone give nothing two names. */
const OWN_TABLE = process.platform === "darwin" ? null : "/proc/self/mountinfo";

/** Reads and parses a table repeatedly: as long as it stays the same, so does the object. */
export class MountTableParser {
  #bytes: Uint8Array = new Uint8Array();
  #mounts: readonly HostMount[] = [];
  readonly #table: string | null;

  constructor(table: string | null = OWN_TABLE) {
    this.#table = table;
  }

  now(): readonly HostMount[] {
    return this.#table === null ? this.#mounts : this.parse(procBytes(this.#table));
  }

  parse(bytes: Uint8Array): readonly HostMount[] {
    if (Buffer.compare(bytes, this.#bytes) !== 0) {
      this.#bytes = bytes;
      this.#mounts = parseMountTable(bytes);
    }
    return this.#mounts;
  }
}

/** A path as mountinfo writes it, without its octal escapes. */
export function unescaped(field: string): string {
  return field.includes("\\")
    ? field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    : field;
}
