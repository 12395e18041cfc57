import { once } from "node:events";
import { connect, createServer } from "node:net";
import { type ConnectionOptions, connect as secure } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { ByteReader } from "../../../src/network/byte-reader.ts";
import { passHellos } from "../../../src/network/hellos.ts";

/** A hello as Node makes it. */
async function hello(options: ConnectionOptions): Promise<Buffer> {
  const said = Promise.withResolvers<Buffer>();
  const server = createServer((socket) => {
    socket
      .on("error", () => undefined)
      .once("data", (part) => {
        said.resolve(part);
        socket.destroy();
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  secure({ port, host: "127.0.0.1", ...options }).on("error", () => undefined);
  return said.promise;
}

/** What becomes of bytes that a program says: the hosts asked for, what was passed on, what was left, and the verdict. */
async function read(parts: readonly Buffer[], allowed: readonly string[] = []) {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const client = connect(typeof address === "object" && address !== null ? address.port : 0, "127.0.0.1");
  const [socket]: [ReturnType<typeof connect>] = await new Promise((resolve) =>
    server.once("connection", (one) => resolve([one])),
  );
  client.setNoDelay(true).on("error", () => undefined);
  socket.on("error", () => undefined);
  for (const part of parts) client.write(part);
  client.end();
  const asked: string[] = [];
  const passed: Buffer[] = [];
  const said = new ByteReader(socket);
  const verdict = await passHellos(
    said,
    (name) => {
      asked.push(name);
      return allowed.includes(name);
    },
    (bytes) => void passed.push(bytes),
  ).catch(() => "broken");
  const left = said.held.length;
  socket.destroy();
  return { verdict, asked, passed: Buffer.concat(passed).length, left };
}

/** The same hello in records that hold few bytes of it each. */
function inRecords(whole: Buffer, most: number): Buffer {
  const body = whole.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < body.length; at += most) {
    const part = body.subarray(at, at + most);
    records.push(Buffer.from([0x16, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(records);
}

const CCS = Buffer.from("140303000101", "hex");
const EMPTY = Buffer.from("1603010000", "hex");
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
    for (const between of [[], [CCS], [EMPTY], [CCS, EMPTY]])
      expect(await read([good, ...between, evil], ["a.test"])).toMatchObject({
        verdict: false,
        asked: ["a.test", "evil.test"],
        passed: good.length + Buffer.concat(between).length,
      });
    expect(await read([good, CCS, good, DATA], ["a.test"])).toMatchObject({
      verdict: true,
      left: DATA.length,
    });
    expect(await read([good, CCS, good, good], ["a.test"])).toMatchObject({
      verdict: false,
      asked: ["a.test", "a.test", ""],
    });
  });

  it("that can't be read, ask for nothing, or are not what comes first, ask for no host", async () => {
    const nobody = { verdict: false, asked: [""], passed: 0 };
    const evil = await hello({ servername: "evil.test" });
    expect(await read([await hello({ servername: "" })], ["a.test"])).toMatchObject(nobody);
    expect(await read([await hello({ servername: "" })], [""])).toMatchObject({ verdict: true });
    const before = [
      "140303000101",
      "1403030000",
      "15030100020170",
      "1503030000",
      "1703030000",
      "1803030000",
      "1603010000",
    ];
    for (const record of before)
      expect(await read([Buffer.from(record, "hex"), evil], ["a.test"])).toMatchObject(nobody);
    expect(await read([Buffer.from("802e010301", "hex"), evil])).toMatchObject(nobody);
    expect(await read([Buffer.from("1603010005010000010a", "hex")])).toMatchObject(nobody);
    expect(
      await read([
        Buffer.concat([
          Buffer.from("16030100", "hex"),
          Buffer.from([9]),
          Buffer.from("0100000100aabbccdd", "hex"),
        ]),
      ]),
    ).toMatchObject(nobody);
  });

  it("that end too early are passed on to nobody", async () => {
    const whole = await hello({ servername: "a.test" });
    expect((await read([whole.subarray(0, 50)], ["a.test"])).passed).toBe(0);
    expect(await read([whole.subarray(0, 4)], ["a.test"])).toMatchObject({ verdict: false, passed: 0 });
  });
});

describe("what is no TLS", () => {
  it.each([
    ["nothing", ""],
    ["a word", Buffer.from("GET / HTTP/1.1\r\n").toString("hex")],
    ["a greeting of SSH", Buffer.from("SSH-2.0-x\r\n").toString("hex")],
    ["one byte", "16"],
    ["a database's length", "0000000804d2162f"],
    ["a record of another protocol", "160200aa"],
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
