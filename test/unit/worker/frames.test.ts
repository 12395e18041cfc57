import { truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { printProfile } from "../../../src/profile/canonical.ts";
import { LARGEST_FRAME, TEMPORARY } from "../../../src/tool/files/protocol.ts";
import * as worker from "../../../src/worker/frames.ts";
import { Request } from "../../../src/worker/request.ts";
import { frameOf, WorkerClient } from "../../support/worker/client.ts";
import { answerOf, faultOf, textOf } from "../../support/worker/told.ts";
import { TestTree } from "../../support/worker/tree.ts";

test("the worker's limit of a frame and its name of temporaries are those of the protocol", () => {
  expect(worker.LARGEST_FRAME).toBe(LARGEST_FRAME);
  const sweep = (prefix: string): boolean => Request.safeParse({ op: "sweep", folder: "/", prefix }).success;
  expect(
    [`${TEMPORARY}abcdef-1`, `${TEMPORARY}`, `${TEMPORARY}a/b`, `${TEMPORARY}..`, "x"].map(sweep),
  ).toEqual([true, false, false, false, false]);
});

const malformed: readonly (readonly [string, Buffer])[] = [
  ["a frame that is longer than any may be", Buffer.from([0x05, 0, 0, 1, 0, 0, 0, 1])],
  ["a header that is longer than its frame", Buffer.from([0, 0, 0, 5, 0, 0, 0, 2, 0x7b])],
  ["a frame without room for its header's length", Buffer.from([0, 0, 0, 3, 0, 0, 0, 0])],
  ["a header that is no JSON", frameOf("{")],
  ["an operation that there is not", frameOf('{"op":"chmod","path":"/"}')],
  ["a key too many", frameOf('{"op":"look","path":"/","end":"itself","x":1}')],
  ["a request before the hello", frameOf('{"op":"look","path":"/","end":"itself"}')],
  ["a hello with no profile", frameOf('{"op":"hello","profile":"{}"}')],
];

test.each(malformed)("%s ends the process with 70, and nothing is answered", async (_claim, bytes) => {
  const client = new WorkerClient();
  let said = 0;
  client.child.stdout?.on("data", (got: Buffer) => {
    said += got.length;
  });
  client.send(bytes);
  expect(await client.ended).toBe(70);
  expect(said).toBe(0);
});

test("an input that ends within a frame ends the process with 70, between two with 0", async () => {
  const cut = new WorkerClient();
  cut.send(frameOf('{"op":"hello"}').subarray(0, 12));
  cut.child.stdin?.end();
  expect(await cut.ended).toBe(70);
  const whole = new WorkerClient();
  whole.child.stdin?.end();
  expect(await whole.ended).toBe(0);
});

test("a second hello ends the process with 70", async () => {
  using tree = new TestTree();
  const client = await WorkerClient.of(tree.profile());
  client.send(frameOf(JSON.stringify({ op: "hello", profile: printProfile(tree.profile()) })));
  expect(await client.ended).toBe(70);
});

test("requests that come in one piece, and byte by byte, are answered in turn", async () => {
  using tree = new TestTree();
  const path = tree.file("a.txt", "hello");
  await using client = await WorkerClient.of(tree.profile());
  const asked = [1, 2, 3].map((maxBytes) => client.ask({ op: "read", path, from: 0, maxBytes }));
  expect((await Promise.all(asked)).map(textOf)).toEqual(["h", "he", "hel"]);
  const bytes = frameOf(JSON.stringify({ op: "read", path, from: 1, maxBytes: 9 }));
  const answered = new Promise<string>((resolve) => {
    client.child.stdout?.once("data", (got: Buffer) => resolve(got.toString()));
  });
  for (const byte of bytes) {
    client.send(Uint8Array.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await answered).toMatch(/ello$/);
});

test("a body of 64 MiB goes in and comes out as it is", async () => {
  using tree = new TestTree();
  const path = join(tree.root, "large");
  await using client = await WorkerClient.of(tree.profile());
  const body = Buffer.alloc(64 * 1024 ** 2, "0123456789abcdefghijklmnopqrstuvwxy");
  const written = await client.ask(
    { op: "write", path, expected: { kind: "missing" }, temporary: `${TEMPORARY}large`, folders: false },
    body,
  );
  expect(answerOf(written).isNew).toBe(true);
  const back = await client.ask({ op: "read", path, from: 0, maxBytes: body.length });
  expect(back.fault ?? back.body.equals(body)).toBe(true);
});

test("a file that does not fit a frame is read in parts, not at once", async () => {
  using tree = new TestTree();
  const path = tree.file("sparse");
  truncateSync(path, 2 ** 30);
  await using client = await WorkerClient.of(tree.profile());
  const whole = { op: "read", path, from: 0, maxBytes: 2 ** 30 } as const;
  expect(faultOf(await client.ask(whole))).toBe(`TOO_LARGE ${path}`);
  const part = await client.ask({ ...whole, from: 2 ** 30 - 4 });
  expect([part.fault ?? part.body, answerOf(part).bytes]).toEqual([Buffer.alloc(4), 2 ** 30]);
});
