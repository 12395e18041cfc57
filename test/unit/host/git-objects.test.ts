import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UnpackBudget } from "../../../src/host/look/git/objects/budget.ts";
import { ObjectStore } from "../../../src/host/look/git/objects/store.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { History } from "../../support/git/history.ts";

let at: History;
beforeEach(() => {
  at = new History();
});
afterEach(() => at[Symbol.dispose]());

describe("what is made to cost much, or to break a reader, is missing:", () => {
  const OID = "00".repeat(20);

  function store(bytes?: number): ObjectStore {
    return new ObjectStore(knownPath(join(at.top, "objects")), new UnpackBudget(bytes));
  }

  /** A pack of one object, with an index that finds it. */
  function pack(name: string, object: Buffer, offset = 12): void {
    const fanout = Buffer.alloc(1024);
    for (let byte = Number.parseInt(name.slice(0, 2), 16); byte < 256; byte += 1)
      fanout.writeUInt32BE(1, byte * 4);
    const rest = Buffer.alloc(4 + 4 + 40);
    rest.writeUInt32BE(offset, 4);
    const head = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
    at.write(`objects/pack/pack-${name}.idx`, Buffer.concat([head, fanout, Buffer.from(name, "hex"), rest]));
    at.write(
      `objects/pack/pack-${name}.pack`,
      Buffer.concat([Buffer.from("PACK\0\0\0\x02\0\0\0\x01"), object]),
    );
  }

  /** Kind and size, as a pack writes them. */
  function head(kind: number, size: number): Buffer {
    const bytes = [(kind << 4) | (size & 15)];
    for (let left = Math.floor(size / 16); left > 0; left = Math.floor(left / 128)) {
      bytes.push((bytes.pop() ?? 0) | 0x80);
      bytes.push(left & 127);
    }
    return Buffer.from(bytes);
  }

  const reads = async (objects = store()): Promise<unknown> => {
    using opened = objects;
    return await opened.read(OID);
  };

  it.each([
    [
      "a loose object of gigabytes",
      () => at.write(`objects/00/${"00".repeat(19)}`, deflateSync(Buffer.alloc(64 * 1024 ** 2))),
    ],
    [
      "a packed one that says how large it is",
      () => pack(OID, Buffer.concat([head(3, 64 * 1024 ** 2), deflateSync(Buffer.alloc(64 * 1024 ** 2))])),
    ],
    [
      "a packed one that is larger than it says",
      () => pack(OID, Buffer.concat([head(3, 100), deflateSync(Buffer.alloc(64 * 1024 ** 2))])),
    ],
    [
      "a difference to itself, by name",
      () => pack(OID, Buffer.concat([head(7, 3), Buffer.alloc(20), deflateSync(Buffer.from([1, 1, 0]))])),
    ],
    [
      "a difference to itself, by offset",
      () => pack(OID, Buffer.concat([head(6, 3), Buffer.from([0]), deflateSync(Buffer.from([1, 1, 0]))])),
    ],
    [
      "a difference to what lies before the pack",
      () =>
        pack(
          OID,
          Buffer.concat([head(6, 3), Buffer.from([0xff, 0x7f]), deflateSync(Buffer.from([1, 1, 0]))]),
        ),
    ],
    ["an object behind the end of the pack", () => pack(OID, Buffer.from([0x30]), 0x7fff_0000)],
    ["a large offset that is nowhere", () => pack(OID, Buffer.from([0x30]), 0xffff_ffff)],
    ["a loose object that is a pipe", () => makePipe(`objects/00/${"00".repeat(19)}`)],
    [
      "a pack that is a pipe",
      () => {
        pack(OID, Buffer.from([0x30]));
        makePipe(`objects/pack/pack-${OID}.pack`);
      },
    ],
    [
      "an index that is a pipe",
      () => {
        pack(OID, Buffer.from([0x30]));
        makePipe(`objects/pack/pack-${OID}.idx`);
      },
    ],
  ] as const)("%s", async (_, make) => {
    make();
    expect(await reads()).toBe(null);
  });

  function makePipe(path: string): void {
    at.write(path, "");
    rmSync(join(at.top, path));
    expect(spawnSync("mkfifo", [join(at.top, path)]).status).toBe(0);
  }

  it.skipIf(process.platform !== "linux")(
    "an index that breaks off, of which nothing stays open",
    async () => {
      const open = () => readdirSync("/proc/self/fd").length;
      const before = open();
      for (let length = 0; length < 1_100; length += 50) {
        const name = length.toString(16).padStart(40, "0");
        pack(name, Buffer.from([0x30]));
        const index = join(at.top, `objects/pack/pack-${name}.idx`);
        writeFileSync(index, readFileSync(index).subarray(0, length));
      }
      expect(await reads()).toBe(null);
      expect(open()).toBe(before);
    },
  );

  it("more than is unpacked for one call, and no object thereafter", async () => {
    at.git("", "init -q r");
    const text = "x".repeat(1_000);
    const oids = [1, 2, 3].map((one) => at.git("r", "hash-object -w --stdin", `${one}${text}`));
    const found = async (bytes?: number): Promise<number> => {
      using objects = new ObjectStore(knownPath(join(at.top, "r/.git/objects")), new UnpackBudget(bytes));
      let count = 0;
      for (const oid of oids) if ((await objects.read(oid)) !== null) count += 1;
      return count;
    };
    expect(await found()).toBe(3);
    // Each may be of 1 MiB until it is known how large it is.
    expect(await found(1024 ** 2 + 1_500)).toBe(2);
    expect(await found(100)).toBe(0);
  });
});
