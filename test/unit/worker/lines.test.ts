import { truncateSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { WorkerClient } from "../../support/worker/client.ts";
import { answerOf, faultOf, textOf } from "../../support/worker/told.ts";
import { TestTree } from "../../support/worker/tree.ts";

/** The asked lines of a text, taken the plain way. */
function plainly(text: string, first: number, maxLines: number, maxBytes: number) {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const whole = lines.slice(first - 1, first - 1 + maxLines);
  const body = whole.join("").slice(0, maxBytes);
  const taken = body.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const isEnd = lines.slice(0, first - 1).join("").length + body.length === text.length;
  const last = taken.at(-1);
  const isLineCut = last !== undefined && last !== whole[taken.length - 1];
  return { body, lines: taken.length, isLineCut, isEnd };
}

test("lines are those of the text, whatever its ends, the first line and the bounds", {
  timeout: 60_000,
}, async () => {
  using tree = new TestTree();
  await using worker = await WorkerClient.of(tree.profile());
  const text = fc
    .array(fc.constantFrom("a", "bc", "\n", "\r\n", "\n\n"), { maxLength: 12 })
    .map((parts) => parts.join(""));
  const count = fc.integer({ min: 0, max: 9 });
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.integer({ min: 1, max: 9 }),
      count,
      fc.integer({ min: 0, max: 20 }),
      async (content, first, maxLines, maxBytes) => {
        const path = tree.file("a", content);
        const reply = await worker.ask({ op: "read-lines", path, first, maxLines, maxBytes });
        const { lines, isLineCut, isEnd, bytes } = answerOf(reply);
        expect({ body: textOf(reply), lines, isLineCut, isEnd }).toEqual(
          plainly(content, first, maxLines, maxBytes),
        );
        expect(bytes).toBe(content.length);
      },
    ),
    { numRuns: 500 },
  );
});

test("a first line behind the end is no line, and the end", async () => {
  using tree = new TestTree();
  const path = tree.file("a", "1\n2\n");
  await using worker = await WorkerClient.of(tree.profile());
  const behind = await worker.ask({ op: "read-lines", path, first: 3, maxLines: 9, maxBytes: 99 });
  expect([textOf(behind), answerOf(behind)]).toMatchObject(["", { lines: 0, isLineCut: false, isEnd: true }]);
  const last = await worker.ask({ op: "read-lines", path, first: 2, maxLines: 9, maxBytes: 99 });
  expect([textOf(last), answerOf(last)]).toMatchObject(["2\n", { lines: 1, isLineCut: false, isEnd: true }]);
  expect(
    faultOf(await worker.ask({ op: "read-lines", path: `${path}x`, first: 1, maxLines: 1, maxBytes: 1 })),
  ).toBe(`NOT_FOUND ${path}x`);
});

test("a file of 1 GiB without a newline, and a line of 10 MB, are read up to the bound", async () => {
  using tree = new TestTree();
  const sparse = tree.file("sparse");
  truncateSync(sparse, 2 ** 30);
  const long = tree.file("long", `${"x".repeat(10_000_000)}\nshort\n`);
  await using worker = await WorkerClient.of(tree.profile());
  const of = (path: string, first: number, maxBytes = 1000) =>
    worker.ask({ op: "read-lines", path, first, maxLines: 5, maxBytes });
  expect(answerOf(await of(sparse, 1))).toMatchObject({
    lines: 1,
    isLineCut: true,
    isEnd: false,
    bytes: 2 ** 30,
  });
  expect(answerOf(await of(sparse, 2))).toMatchObject({ lines: 0, isLineCut: false, isEnd: true });
  expect(answerOf(await of(long, 1))).toMatchObject({ lines: 1, isLineCut: true, isEnd: false });
  expect(textOf(await of(long, 2))).toBe("short\n");
  const whole = await of(long, 1, 20_000_000);
  expect([textOf(whole).length, answerOf(whole)]).toMatchObject([10_000_007, { lines: 2, isEnd: true }]);
});
