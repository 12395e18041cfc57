import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { parseMessages } from "../../../src/mcp/wrap/json-rpc.ts";
import { LineReader } from "../../../src/mcp/wrap/line-reader.ts";
import { Outbox, type OutboxInput } from "../../../src/mcp/wrap/outbox.ts";
import { ServerLog } from "../../../src/mcp/wrap/server-log.ts";
import { allSteps } from "../../../src/policy/steps.ts";
import { plainServer, Scripted } from "../../support/mcp/scripted.ts";

/** The bytes in pieces, cut at these places. */
function cutAt(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const cuts = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
}

describe("lines", () => {
  it("are the same however their bytes come, for any bytes", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.stringMatching(/^[a\né\r ]{0,60}$/).map((text) => new TextEncoder().encode(text)),
    );
    fc.assert(
      fc.property(
        bytes,
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.integer({ min: 1, max: 20 }),
        (given, places, max) => {
          const all = Buffer.from(given);
          const whole = new LineReader(max).read(all);
          const reader = new LineReader(max);
          expect(cutAt(all, places).flatMap((part) => reader.read(part))).toEqual(whole);
          for (const line of whole)
            if (line.kind === "text") expect(Buffer.byteLength(line.text)).toBeLessThanOrEqual(max);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("are held one at a time: of one that is too long nothing is kept, and the next is whole", () => {
    const reader = new LineReader(10);
    const said = ["123456", "7890", "x".repeat(50), "\nnext\nla"].flatMap((text) =>
      reader.read(Buffer.from(text)),
    );
    expect(said).toEqual([{ kind: "too-long" }, { kind: "text", text: "next" }]);
    expect(reader.read(Buffer.from("st\n"))).toEqual([{ kind: "text", text: "last" }]);
    expect(reader.read(Buffer.from([0xc3, 0x28, 10]))).toEqual([{ kind: "not-utf8", text: "\ufffd(" }]);
  });
});

/** An input whose lines are taken in this way. */
const reader = (take: (line: string) => Promise<void>): OutboxInput => ({
  write: (line, done) => void take(line).then(done),
});

describe("what waits for a slow reader", () => {
  it("goes in order, what came before there was a reader first, and is held back when it is too much", async () => {
    const written: string[] = [];
    const box = new Outbox(() => undefined);
    box.send("a");
    await box.untilRoom();
    const large = "x".repeat(40 * 1024 ** 2);
    box.send(large);
    let hasRoom = false;
    const room = box.untilRoom().then(() => {
      hasRoom = true;
    });
    await pause(10);
    expect(hasRoom).toBe(false);
    box.open(
      reader(async (line) => {
        await pause(1);
        written.push(line.slice(0, 3));
      }),
    );
    box.send("b");
    await room;
    await pause(20);
    expect(written).toEqual(["a", "xxx", "b"]);
  });

  it("is given up when the reader takes nothing, and nobody waits for it any more", async () => {
    let isStuck = false;
    const box = new Outbox(() => {
      isStuck = true;
      box.close();
    }, 20);
    box.open(reader(() => new Promise(() => undefined)));
    box.send("x".repeat(40 * 1024 ** 2));
    await box.untilRoom();
    expect(isStuck).toBe(true);
  });
});

describe("what waits for a reader that falls behind", () => {
  it("is given up when it is too much, whoever sends it", () => {
    let isStuck = false;
    const box = new Outbox(() => {
      isStuck = true;
    });
    box.open(reader(() => new Promise(() => undefined)));
    for (let times = 0; times < 80 && !isStuck; times += 1) box.send("é".repeat(1024 ** 2 / 2));
    expect(isStuck).toBe(true);
  });

  it("is given up when it waits too long, though lines before it are taken one by one", async () => {
    let isStuck = false;
    let taken = 0;
    const box = new Outbox(() => {
      isStuck = true;
    }, 50);
    box.open(
      reader(async () => {
        await pause(20);
        taken += 1;
      }),
    );
    for (let times = 0; times < 100; times += 1) box.send("x");
    await vi.waitUntil(() => isStuck, { timeout: 3_000 });
    expect(taken).toBeGreaterThan(3);
    expect(taken).toBeLessThan(50);
  });

  it("lets all go on that wait for room, once there is some", async () => {
    const box = new Outbox(() => undefined);
    box.send("x".repeat(40 * 1024 ** 2));
    const rooms = [box.untilRoom(), box.untilRoom()];
    box.open(reader(async () => undefined));
    await Promise.all(rooms);
  });

  it("mcp.gate: holds back a server that asks and reads no answers", async () => {
    using at = new Scripted({ server: plainServer(), reading: () => new Promise(() => undefined) });
    at.client({ method: "notifications/initialized" });
    await pause(10);
    const pings = Array.from(
      { length: 4_000 },
      (_, index) => `{"jsonrpc":"2.0","id":"${"i".repeat(240)}${index}","method":"ping"}\n`,
    ).join("");
    let isHeldBack = false;
    for (let times = 0; times < 60 && !isHeldBack; times += 1) {
      const taken = at.gateway.readServer(Buffer.from(pings)).then(() => true);
      isHeldBack = (await Promise.race([taken, pause(500)])) !== true;
    }
    expect([isHeldBack, at.over]).toEqual([true, null]);
  });
});

describe("what costs more than it may", () => {
  it.each([
    ["of so many values", `[${"{},".repeat(2_000_000)}{}]`, "it has more than 400,000 values"],
    ["of so many members", `{"a":[${"1,".repeat(2_000_000)}1]}`, "it has more than 400,000 values"],
    ["nested so deep", `${"[".repeat(600)}${"]".repeat(600)}`, "it is nested more than 512 levels deep"],
    ["nested without end", '{"a":'.repeat(1_000_000), "it is nested more than 512 levels deep"],
  ])("is no message: a line %s is not read to its end", (_claim, line, because) => {
    const steps = parseMessages(line);
    let count = 1;
    let step = steps.next();
    for (; step.done !== true; count += 1) step = steps.next();
    expect(step.value).toEqual([{ kind: "fault", because, id: null, isResponse: false }]);
    // Each is 10,000 tokens; the longest line has 6,000,000.
    expect(count).toBeLessThan(150);
  });

  it("is not what stands in a text", () => {
    const text = `${'[{,"'.repeat(300_000)}\\`;
    const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x", params: { text } });
    expect(allSteps(parseMessages(line))).toMatchObject([{ kind: "request" }]);
  });

  it("is no line in many small pieces: they take the room of one", () => {
    const reader = new LineReader();
    const before = process.memoryUsage();
    for (let times = 0; times < 1_000_000; times += 1) reader.read(Buffer.of(65));
    const after = process.memoryUsage();
    const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
    expect(grown).toBeLessThan(64 * 1024 ** 2);
    expect(reader.read(Buffer.of(10))).toEqual([{ kind: "text", text: "A".repeat(1_000_000) }]);
  });
});

describe("what a server says beside the protocol", () => {
  const talk = () => {
    const clock = { now: 0 };
    const told: string[] = [];
    return {
      clock,
      told,
      said: new ServerLog(
        "fs",
        (line) => told.push(line),
        () => clock.now,
      ),
    };
  };

  it("stands behind its name, line by line and made visible, however its bytes come", () => {
    const { told, said } = talk();
    for (const byte of Buffer.from("a\u202e\r\n\ncofferdam: é\x1b[2J\nend")) said.write(Buffer.from([byte]));
    said.end();
    expect(told).toEqual(["fs: a\\u{202e}", "fs: cofferdam: é\\u{1b}[2J", "fs: end"]);
  });

  it("is cut where it is too long, and left out where it comes too fast, which is told", () => {
    const { told, said, clock } = talk();
    said.write(Buffer.from(`${"x".repeat(1024 ** 2)}\n`));
    expect(told).toEqual([`fs: ${"x".repeat(2000)}…`]);
    for (let times = 0; times < 100; times += 1) said.write(Buffer.from(`${"y".repeat(1500)}\n`));
    const before = told.length;
    expect(before).toBeLessThan(60);
    clock.now = 61_000;
    said.write(Buffer.from("again\n"));
    expect(told.slice(before)).toEqual([
      `fs: … ${101 - before} lines left out: too much output`,
      "fs: again",
    ]);
  });
});
