import { once } from "node:events";
import { connect, createServer } from "node:net";
import { Duplex } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { createSecureContext, TLSSocket } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { ByteReader } from "../../../src/network/byte-reader.ts";
import { serverNameIn } from "../../../src/network/hello.ts";
import { asksAgain, passHellos } from "../../../src/network/hellos.ts";
import { hello } from "../../support/web/hello.ts";
import { portOf } from "../../support/web/port-of.ts";

/** What becomes of bytes that a program says: the hosts asked for, what was passed on, what was left, and the verdict. */
async function read(parts: readonly Buffer[], allowed: readonly string[] = [], wantsAnother = false) {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const client = connect(portOf(server), "127.0.0.1");
  const [socket]: [ReturnType<typeof connect>] = await new Promise((resolve) =>
    server.once("connection", (one) => resolve([one])),
  );
  client.setNoDelay(true).on("error", () => undefined);
  socket.on("error", () => undefined);
  for (const part of parts) client.write(part);
  client.end();
  const asked: (string | null)[] = [];
  const passed: Buffer[] = [];
  const said = new ByteReader(socket);
  const verdict = await passHellos(said, {
    maySay: (name) => {
      asked.push(name);
      return name !== null && allowed.includes(name);
    },
    pass: (bytes) => void passed.push(bytes),
    wantsAnother: async () => wantsAnother,
  }).catch(() => "broken");
  const left = said.held.length;
  socket.destroy();
  return { verdict, asked, passed: Buffer.concat(passed).length, left };
}

/** The same hello in records that hold few bytes of it each. */
function inRecords(whole: Buffer, max: number): Buffer {
  const body = whole.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < body.length; at += max) {
    const part = body.subarray(at, at + max);
    records.push(Buffer.from([0x16, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(records);
}

const CCS = Buffer.from("140303000101", "hex");
const EMPTY = Buffer.from("1603010000", "hex");
const WARNING = Buffer.from("15030300020157", "hex");
const DATA = Buffer.from("1703030005aaaaaaaaaa", "hex");

describe("hellos", () => {
  it("are read and passed on whole, of both versions, in one piece, byte by byte and in many records", async () => {
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const whole = await hello({ servername: "a.test", maxVersion });
      const good = { verdict: true, asked: ["a.test"] };
      expect(await read([whole, DATA], ["a.test"])).toEqual({
        ...good,
        passed: whole.length,
        left: DATA.length,
      });
      const drops = [...whole].map((byte) => Buffer.from([byte]));
      expect(await read(drops, ["a.test"])).toMatchObject({ ...good, passed: whole.length });
      const many = inRecords(whole, 100);
      expect(await read([many, DATA], ["a.test"])).toMatchObject({ ...good, passed: many.length });
    }
  });

  it("that ask for another host are not passed on, whether first or second", async () => {
    const [good, evil] = [await hello({ servername: "a.test" }), await hello({ servername: "evil.test" })];
    expect(await read([evil], ["a.test"])).toMatchObject({ verdict: false, asked: ["evil.test"], passed: 0 });
    const some = [
      [],
      [CCS],
      [EMPTY],
      [CCS, EMPTY],
      [WARNING],
      [DATA, CCS, DATA],
      Array<Buffer>(16).fill(CCS),
    ];
    for (const between of some) {
      const passed = good.length + Buffer.concat(between.filter((one) => one !== EMPTY)).length;
      expect(await read([good, ...between, evil], ["a.test"], true)).toMatchObject({
        verdict: false,
        asked: ["a.test", "evil.test"],
        passed,
      });
      expect(await read([good, ...between, good, evil], ["a.test"], true)).toMatchObject({
        verdict: true,
        asked: ["a.test", "a.test"],
        left: evil.length,
      });
    }
    const many = Array<Buffer>(17).fill(CCS);
    for (const second of [
      many,
      [Buffer.from("160303000102", "hex")],
      [Buffer.from("1602010005", "hex"), good],
    ])
      expect(await read([good, ...second, evil], ["a.test"], true)).toMatchObject({
        verdict: false,
        asked: ["a.test", null],
      });
  });

  it("are over with the first where the server wants no other: what looks like one is encrypted", async () => {
    const good = await hello({ servername: "a.test" });
    const finished = Buffer.from("160303000501020304aa", "hex");
    expect(await read([good, CCS, finished], ["a.test"])).toEqual({
      verdict: true,
      asked: ["a.test"],
      passed: good.length,
      left: CCS.length + finished.length,
    });
  });

  it("that ask for none do so; what can't be read, or is not what comes first, is nobody's", async () => {
    const nobody = { verdict: false, asked: [null], passed: 0 };
    const evil = await hello({ servername: "evil.test" });
    const none = await hello({ servername: "" });
    expect(await read([none], ["a.test"])).toMatchObject({ verdict: false, asked: [""], passed: 0 });
    expect(await read([none], [""])).toMatchObject({ verdict: true });
    for (const record of [
      "140303000101",
      "1403030000",
      "15030100020170",
      "1502010002",
      "1603010000140303000101",
    ])
      expect(await read([Buffer.from(record, "hex"), evil], ["a.test", ""])).toMatchObject(nobody);
    for (const version of [0x0201, 0x0000, 0x0401, 0x0fff]) {
      const other = Buffer.from(evil);
      other.writeUInt16BE(version, 1);
      expect(await read([other], ["evil.test"])).toMatchObject(nobody);
    }
    expect(await read([Buffer.from("802e010301", "hex"), evil])).toMatchObject(nobody);
    expect(await read([Buffer.from("1603010005010000010a", "hex")])).toMatchObject(nobody);
    expect(await read([Buffer.from("16030100090100000100aabbccdd", "hex")])).toMatchObject(nobody);
    // Behind an empty record there is a hello all the same.
    expect(await read([EMPTY, evil], ["evil.test"])).toMatchObject({ verdict: true, asked: ["evil.test"] });
  });

  it("that end too early are passed on to nobody", async () => {
    const whole = await hello({ servername: "a.test" });
    expect((await read([whole.subarray(0, 50)], ["a.test"])).passed).toBe(0);
    expect(await read([whole.subarray(0, 6)], ["a.test"])).toMatchObject({ verdict: "broken", passed: 0 });
    // Not even the beginning of one.
    expect(await read([whole.subarray(0, 4)])).toMatchObject({ verdict: true, left: 4 });
  });
});

describe("what is no TLS", () => {
  it.each([
    ["nothing", ""],
    ["a word", Buffer.from("GET / HTTP/1.1\r\n").toString("hex")],
    ["a greeting of SSH", Buffer.from("SSH-2.0-x\r\n").toString("hex")],
    ["one byte", "16"],
    ["a database's length", "0000000804d2162f"],
    ["a record of another protocol", "161000000501"],
    ["a short message of a database", "1500000001000000"],
    ["what holds no hello", "160301000402000000"],
    ["the end of a line", "0d0a"],
    ["a high byte", "80ff02"],
  ])("is passed on as it is: %s", async (_what, hex) => {
    const bytes = Buffer.from(hex, "hex");
    expect(await read(bytes.length === 0 ? [] : [bytes])).toEqual({
      verdict: true,
      asked: [],
      passed: 0,
      left: bytes.length,
    });
  });
});

describe("a server's first words", () => {
  const retry = "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c";
  const said = (random: string) => Buffer.from(`160303007a020000760303${random}00`, "hex");

  it("say that it wants another hello by its random bytes, behind warnings too, as soon as they are whole", () => {
    for (const before of ["", "15030300020170"]) {
      const whole = Buffer.concat([Buffer.from(before, "hex"), said(retry)]);
      for (let length = 0; length <= whole.length; length += 1)
        expect(asksAgain(whole.subarray(0, length))).toBe(length < whole.length - 1 ? null : true);
      expect(asksAgain(Buffer.concat([Buffer.from(before, "hex"), said(retry.replace("c", "d"))]))).toBe(
        false,
      );
    }
  });

  it("say no such thing otherwise", () => {
    for (const hex of ["48", "17", "14", "160303000401", "15030300020228485454"])
      expect(asksAgain(Buffer.from(hex, "hex"))).toBe(false);
  });
});

describe("the host that a hello asks for", () => {
  /** As OpenSSL reads it; null where it never says. */
  async function byOpenSsl(record: Buffer): Promise<string | null> {
    let asked: string | null = null;
    const wire = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    const server = new TLSSocket(wire, {
      isServer: true,
      secureContext: createSecureContext(),
      SNICallback: (name) => {
        asked = name;
      },
    });
    const failed = once(server, "error").catch(() => undefined);
    wire.push(record);
    for (let turns = 0; asked === null && turns < 8; turns += 1) await turn();
    server.destroy();
    wire.destroy();
    await Promise.race([failed, turn()]);
    return asked;
  }

  it("is the one that OpenSSL reads, or can't be read, whatever is changed in a hello", async () => {
    const seen = { same: 0, unread: 0 };
    for (const servername of ["a.test", "evil.test"])
      for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
        const whole = await hello({ servername, maxVersion });
        expect(serverNameIn(whole.subarray(9))).toBe(servername);
        for (let at = 9; at < whole.length; at += 1) {
          const changed = Buffer.from(whole);
          changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
          const [mine, theirs] = [serverNameIn(changed.subarray(9)), await byOpenSsl(changed)];
          if (theirs !== null && mine !== null) expect([at, mine]).toEqual([at, theirs]);
          seen[mine === null ? "unread" : "same"] += 1;
        }
      }
    expect(Math.min(seen.same, seen.unread)).toBeGreaterThan(20);
  });

  it("can't be read where there are two, or anything stands behind", async () => {
    const body = (await hello({ servername: "a.test", maxVersion: "TLSv1.2" })).subarray(9);
    expect(serverNameIn(Buffer.concat([body, Buffer.from([0])]))).toBeNull();
    for (let length = 0; length < body.length; length += 1)
      expect([length, serverNameIn(body.subarray(0, length))]).not.toEqual([length, "a.test"]);
    const start = Buffer.from(`0303${"00".repeat(32)}00000200050100`, "hex");
    const name = Buffer.from("0000000b0009000006612e74657374", "hex");
    const having = (extensions: Buffer) =>
      Buffer.concat([start, Buffer.from([extensions.length >> 8, extensions.length & 255]), extensions]);
    expect(serverNameIn(start)).toBe("");
    expect(serverNameIn(having(name))).toBe("a.test");
    expect(serverNameIn(having(Buffer.concat([name, name])))).toBeNull();
    expect(serverNameIn(having(Buffer.from("000000020000", "hex")))).toBeNull();
    expect(serverNameIn(having(Buffer.from("00000003000001", "hex")))).toBeNull();
  });
});
