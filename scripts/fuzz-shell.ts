import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { tryLines } from "../test/support/shell/fuzz.ts";

/** Given to the processes that try a part of the lines each. */
const PART = "--part";

const [count = "100000", given, minutes = "Infinity", part] = process.argv.slice(2);
const seed = given === undefined ? Date.now() % 4_294_967_296 : Number(given);
if (part === PART) await tryPart();
else await tryAll();

async function tryPart(): Promise<void> {
  const limits = { count: Number(count), maxMs: Number(minutes) * 60_000 };
  const { unsound, ...trial } = await tryLines(seed, limits);
  console.log(JSON.stringify({ seed, ...trial, unsound: unsound.length }));
  for (const line of unsound) console.error(`\nread wrongly:\n${line}`);
  process.exitCode = unsound.length === 0 ? 0 : 1;
}

/** One process for each processor, each with a seed of its own: most of the time goes into starting bash. */
async function tryAll(): Promise<void> {
  const parts = Math.max(1, Math.min(availableParallelism(), Number(count)));
  const codes = Array.from({ length: parts }, (_, at) => {
    const some = Math.floor(Number(count) / parts) + (at < Number(count) % parts ? 1 : 0);
    const child = fork(import.meta.filename, [String(some), String(seed + at), minutes, PART]);
    return new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
  });
  process.exitCode = Math.max(...(await Promise.all(codes)));
}
