import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { countWords } from "../src/words.js";

test("words are counted whatever their case, the most frequent first", () => {
  assert.deepEqual(countWords("To be or not to be."), [
    ["to", 2],
    ["be", 2],
    ["or", 1],
    ["not", 1],
  ]);
});

test("a text without words has none", () => {
  assert.deepEqual(countWords("1 + 1 = 2"), []);
});

test("a temporary folder can be used", async () => {
  const folder = await mkdtemp(join(tmpdir(), "words-"));
  await writeFile(join(folder, "text"), "a b a");
  assert.deepEqual(countWords(await readFile(join(folder, "text"), "utf8")), [
    ["a", 2],
    ["b", 1],
  ]);
  await rm(folder, { recursive: true });
});

test("a worker can be started", async () => {
  const worker = new Worker('require("node:worker_threads").parentPort.postMessage(6 * 7)', { eval: true });
  const answer = await new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  assert.equal(answer, 42);
});
