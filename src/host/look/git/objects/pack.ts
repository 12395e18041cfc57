import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { UnpackBudget } from "./budget.ts";
import { type GitObject, MAX_OBJECT_BYTES } from "./object.ts";

/** The kinds of objects in a pack (gitformat-pack(5)); the other two are deltas. */
const TYPES: Readonly<Record<number, GitObject["type"]>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };
const BY_OFFSET = 6;
const BY_OID = 7;

/** Maximum of deltas in a chain: git makes chains of 50, and 250 with `--aggressive` (git-gc(1)). */
export const MAX_CHAIN = 250;

const INDEX_HEAD = 8;
const FANOUT = 256 * 4;

/** A pack and its index, open. Both are read in parts: a pack may have gigabytes. */
export class Pack implements Disposable {
  readonly #index: number;
  readonly #pack: number;
  readonly #packBytes: number;
  readonly #oidBytes: number;
  readonly #count: number;
  readonly #budget: UnpackBudget;

  private constructor(index: number, pack: number, oidBytes: number, budget: UnpackBudget, count: number) {
    this.#index = index;
    this.#pack = pack;
    this.#packBytes = fstatSync(pack).size;
    this.#oidBytes = oidBytes;
    this.#budget = budget;
    this.#count = count;
  }

  /** Throws node's errors, and for any index but version 2, which git writes since 2007. */
  static open(index: string | Buffer, pack: string | Buffer, oidBytes: number, budget: UnpackBudget): Pack {
    const indexFd = openSync(index, FLAGS);
    try {
      const count = countIn(indexFd);
      return new Pack(indexFd, openSync(pack, FLAGS), oidBytes, budget, count);
    } catch (cause) {
      closeSync(indexFd);
      throw cause;
    }
  }

  /** The object of that name, or null if the pack has none. `find` reads the base of a delta. */
  async read(oid: string, find: (oid: string) => Promise<GitObject | null>): Promise<GitObject | null> {
    const offset = this.#offsetOf(Buffer.from(oid, "hex"));
    return offset === null ? null : this.#at(offset, find, 0);
  }

  [Symbol.dispose](): void {
    closeSync(this.#index);
    closeSync(this.#pack);
  }

  #offsetOf(oid: Buffer): number | null {
    const first = oid[0] ?? 0;
    let low = first === 0 ? 0 : this.#fanout(first - 1);
    let high = this.#fanout(first);
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const order = oid.compare(bytesAt(this.#index, this.#nameAt(middle), this.#oidBytes));
      if (order === 0) return this.#offsetAt(middle);
      if (order < 0) high = middle;
      else low = middle + 1;
    }
    return null;
  }

  #fanout(byte: number): number {
    return bytesAt(this.#index, INDEX_HEAD + byte * 4, 4).readUInt32BE();
  }

  #nameAt(position: number): number {
    return INDEX_HEAD + FANOUT + position * this.#oidBytes;
  }

  #offsetAt(position: number): number {
    // The names are followed by a checksum of four bytes for each, and then the offsets.
    const offsets = this.#nameAt(this.#count) + this.#count * 4;
    const offset = bytesAt(this.#index, offsets + position * 4, 4).readUInt32BE();
    if (offset < 0x8000_0000) return offset;
    const large = offsets + this.#count * 4 + (offset - 0x8000_0000) * 8;
    return Number(bytesAt(this.#index, large, 8).readBigUInt64BE());
  }

  async #at(
    offset: number,
    find: (oid: string) => Promise<GitObject | null>,
    depth: number,
  ): Promise<GitObject | null> {
    if (depth > MAX_CHAIN || offset >= this.#packBytes) return null;
    const head = bytesAt(this.#pack, offset, 64);
    const { kind, size, length } = objectHead(head);
    if (size > MAX_OBJECT_BYTES) return null;
    const type = TYPES[kind];
    if (type !== undefined) {
      const body = await this.#inflated(offset + length, size);
      return body === null ? null : { type, body };
    }
    if (kind === BY_OID) {
      const base = await find(head.toString("hex", length, length + this.#oidBytes));
      return this.#applied(base, offset + length + this.#oidBytes, size);
    }
    if (kind !== BY_OFFSET) return null;
    const { back, length: backLength } = distanceBack(head.subarray(length));
    return this.#applied(await this.#at(offset - back, find, depth + 1), offset + length + backLength, size);
  }

  async #applied(base: GitObject | null, offset: number, size: number): Promise<GitObject | null> {
    const delta = base === null ? null : await this.#inflated(offset, size);
    if (base === null || delta === null) return null;
    const body = applyDelta(base.body, delta);
    this.#budget.spend(body?.length ?? 0);
    return body === null ? null : { type: base.type, body };
  }

  /** The pack has no compressed sizes: it reads the maximum possible size. */
  async #inflated(offset: number, size: number): Promise<Buffer | null> {
    const max = Math.min(size + Math.ceil(size / 1000) + 128, this.#packBytes - offset);
    const bytes = await this.#budget.inflate(bytesAt(this.#pack, offset, max), size + 1);
    return bytes.length === size ? bytes : null;
  }
}

function countIn(index: number): number {
  const head = bytesAt(index, 0, INDEX_HEAD);
  if (!fstatSync(index).isFile() || !head.equals(Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2])))
    throw new RangeError("the index is not of version 2");
  return bytesAt(index, INDEX_HEAD + FANOUT - 4, 4).readUInt32BE();
}

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function bytesAt(fd: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  const read = readSync(fd, buffer, 0, length, offset);
  return buffer.subarray(0, read);
}

/** Kind and size of an object: three bits of kind, four of size, then seven of size while the first bit is set. */
function objectHead(bytes: Buffer): {
  readonly kind: number;
  readonly size: number;
  readonly length: number;
} {
  let byte = bytes[0] ?? 0;
  const kind = (byte >> 4) & 7;
  let [size, factor, length] = [byte & 15, 16, 1];
  while ((byte & 0x80) !== 0 && length < bytes.length) {
    byte = bytes[length] ?? 0;
    size += (byte & 0x7f) * factor;
    factor *= 128;
    length += 1;
  }
  return { kind, size, length };
}

function distanceBack(bytes: Buffer): { readonly back: number; readonly length: number } {
  let byte = bytes[0] ?? 0;
  let [back, length] = [byte & 0x7f, 1];
  while ((byte & 0x80) !== 0 && length < bytes.length) {
    byte = bytes[length] ?? 0;
    back = (back + 1) * 128 + (byte & 0x7f);
    length += 1;
  }
  return { back, length };
}

/** Applies a delta to its base: copies of parts of it, and bytes of the delta. Null for an invalid delta. */
export function applyDelta(base: Buffer, delta: Buffer): Buffer | null {
  let at = 0;
  const next = (): number => delta[at++] ?? 0;
  const size = (): number => {
    let [value, factor, byte] = [0, 1, 0x80];
    while ((byte & 0x80) !== 0 && at < delta.length) {
      byte = next();
      value += (byte & 0x7f) * factor;
      factor *= 128;
    }
    return value;
  };
  const [from, to] = [size(), size()];
  if (from !== base.length || to > MAX_OBJECT_BYTES) return null;
  const body = Buffer.alloc(to);
  let made = 0;
  while (at < delta.length && made <= to) {
    const op = next();
    if (op === 0) return null;
    if ((op & 0x80) === 0) {
      if (at + op > delta.length || made + op > to) return null;
      delta.copy(body, made, at, at + op);
      at += op;
      made += op;
    } else {
      const number = (bits: number, first: number): number => {
        let value = 0;
        for (let bit = 0; bit < bits; bit += 1) if ((op & (first << bit)) !== 0) value += next() * 256 ** bit;
        return value;
      };
      const [offset, length] = [number(4, 0x01), number(3, 0x10)];
      const end = offset + (length === 0 ? 0x10000 : length);
      if (end > base.length || made + end - offset > to) return null;
      base.copy(body, made, offset, end);
      made += end - offset;
    }
  }
  return made === to ? body : null;
}
