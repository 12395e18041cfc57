import { type AbsolutePath, joinPath, pathFromBytes, pathToBytes } from "../../../profile/path.ts";
import { linkAt, statsOf } from "../nodes.ts";
import { beginningOf, smallTextOf } from "./beginnings.ts";
import { oidOf } from "./objects/object.ts";

/** Maximum of bytes of an index, and of a file compared with it. */
const MAX_INDEX_BYTES = 32 * 1024 ** 2;
const MAX_FILE_BYTES = 4 * 1024 ** 2;
const MAX_CONFIG_BYTES = 256 * 1024;

/** The file in a working tree, compared with git's index: `executable` differs, and is to be a program. */
export type TrackedState = "same" | "differs" | "executable";

/**
 * The tracked ones of these names below the top of a working tree, each compared with the index. `folder` is the
 * repository's own, with the index. Null if the index can't be read, is not whole (`link` extension), or if git would
 * write no plain file for a name: a conflict, a file that git skips or that is only intended, a link
 * (gitformat-index(5)).
 */
export function trackedStates(
  folder: AbsolutePath,
  top: AbsolutePath,
  names: readonly string[],
): ReadonlyMap<string, TrackedState> | null {
  const file = beginningOf(joinPath(folder, "index"), MAX_INDEX_BYTES);
  if (file?.isWhole !== true) return null;
  const config = smallTextOf(joinPath(folder, "config"), MAX_CONFIG_BYTES);
  const oidBytes = /^\s*objectformat\s*=\s*"?sha256/im.test(config) ? 32 : 20;
  const entries = indexedFiles(file.bytes, new Set(names), oidBytes);
  if (entries === null) return null;
  return new Map(
    [...entries].map(([name, { oid, mode }]) => {
      const isSame = isBlobAt(joinPath(top, name), oid);
      return [name, isSame ? "same" : mode === EXECUTABLE ? "executable" : "differs"];
    }),
  );
}

interface Entry {
  readonly oid: string;
  readonly mode: number;
}

const [PLAIN, EXECUTABLE] = [0o100644, 0o100755];
const MODE_AT = 24;

/** The requested names of the index with their objects; null for an invalid index, and see above. */
function indexedFiles(
  bytes: Buffer,
  names: ReadonlySet<string>,
  oidBytes: number,
): ReadonlyMap<string, Entry> | null {
  if (bytes.length < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== "DIRC") return null;
  const [version, count] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  if (version < 2 || version > 4) return null;
  const found = new Map<string, Entry>();
  let at = HEADER_BYTES;
  let name: Buffer = Buffer.alloc(0);
  for (let entry = 0; entry < count; entry += 1) {
    const flagsAt = at + STAT_BYTES + oidBytes;
    if (flagsAt + 2 > bytes.length) return null;
    const flags = bytes.readUInt16BE(flagsAt);
    const isExtended = (flags & EXTENDED) !== 0;
    if (isExtended && flagsAt + 4 > bytes.length) return null;
    const mode = bytes.readUInt32BE(at + MODE_AT);
    const isWritten =
      (flags & STAGE) === 0 && !(isExtended && (bytes.readUInt16BE(flagsAt + 2) & NOT_WRITTEN) !== 0);
    const isPlain = isWritten && (mode === PLAIN || mode === EXECUTABLE);
    const nameAt = flagsAt + 2 + (isExtended ? 2 : 0);
    const next = version === 4 ? compressedName(bytes, nameAt, name) : plainName(bytes, nameAt, at);
    if (next === null) return null;
    name = next.name;
    const text = pathFromBytes(name);
    if (names.has(text) && !isPlain) return null;
    if (names.has(text)) found.set(text, { oid: bytes.toString("hex", at + STAT_BYTES, flagsAt), mode });
    at = next.end;
  }
  return isWholeBehind(bytes, at, oidBytes) ? found : null;
}

/** Bits of an entry's flags: more flags follow; a conflict's side; in the further, skip-worktree, intent-to-add. */
const EXTENDED = 0x4000;
const STAGE = 0x3000;
const NOT_WRITTEN = 0x6000;

/** False if a mandatory extension follows the entries: its name does not begin with a capital letter. */
function isWholeBehind(bytes: Buffer, from: number, oidBytes: number): boolean {
  for (let at = from; at + EXTENSION_BYTES <= bytes.length - oidBytes; ) {
    const first = bytes[at] ?? 0;
    if (first < 0x41 || first > 0x5a) return false;
    at += EXTENSION_BYTES + bytes.readUInt32BE(at + 4);
  }
  return true;
}

const EXTENSION_BYTES = 8;
const HEADER_BYTES = 12;
/** Times, device, inode, mode, owner and size precede the object's name. */
const STAT_BYTES = 40;

interface ReadName {
  readonly name: Buffer;
  readonly end: number;
}

/** Each entry ends with one to eight NULs, at a multiple of eight bytes. */
function plainName(bytes: Buffer, nameAt: number, entryAt: number): ReadName | null {
  const nul = bytes.indexOf(0, nameAt);
  if (nul === -1) return null;
  return { name: bytes.subarray(nameAt, nul), end: entryAt + 8 * (Math.floor((nul - entryAt) / 8) + 1) };
}

/** The number of bytes cut from the previous name's end, as a variable-width number, and their replacement. */
function compressedName(bytes: Buffer, from: number, before: Buffer): ReadName | null {
  let [at, cut] = [from, 0];
  for (let shift = 0; ; shift += 1) {
    const byte = bytes[at];
    if (byte === undefined || shift > 4) return null;
    at += 1;
    cut = (shift === 0 ? 0 : (cut + 1) * 128) + (byte & 0x7f);
    if (byte < 0x80) break;
  }
  const nul = bytes.indexOf(0, at);
  if (nul === -1 || cut > before.length) return null;
  const name = Buffer.concat([before.subarray(0, before.length - cut), bytes.subarray(at, nul)]);
  return { name, end: nul + 1 };
}

/** A working tree may have other line ends than the commit (gitattributes(5), `text`). */
function isBlobAt(path: AbsolutePath, oid: string): boolean {
  const stats = statsOf(path);
  if (stats === null) return false;
  if (stats.isSymbolicLink()) return oidOfBlob(Buffer.from(pathToBytes(linkAt(path) ?? "")), oid) === oid;
  const file = beginningOf(path, MAX_FILE_BYTES);
  if (file?.isWhole !== true) return false;
  const unix = Buffer.from(file.bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  return [file.bytes, unix].some((body) => oidOfBlob(body, oid) === oid);
}

function oidOfBlob(body: Buffer, like: string): string {
  return oidOf({ type: "blob", body }, like);
}
