/**
 * A process that takes a lock again and again until it is killed: `lock-driver.ts LOCK MARKS`. While it has the lock it
 * leaves a mark of itself in the folder MARKS. Prints `ready`, then a line for everything that should not be.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { lock } from "../../../src/host/launch/lock.ts";
import { absolutePath } from "../../../src/profile/path.ts";

/** Others die with the lock, and their death is seen at once; the rest is waiting in turn. */
const MAX_MS = 3_000;

const [, , folder = "", marks = ""] = process.argv;
const mine = String(process.pid);
console.log("ready");
for (;;) {
  const began = performance.now();
  try {
    using _lock = await lock(absolutePath(folder));
    const waited = performance.now() - began;
    if (waited > MAX_MS) console.log(`waited ${Math.round(waited)} ms`);
    mkdirSync(join(marks, mine));
    spin(Math.random() * 2);
    for (const other of readdirSync(marks)) {
      if (other === mine) continue;
      if (runs(other)) console.log(`two at once: ${mine} and ${other}`);
      else rmdirSync(join(marks, other));
    }
    rmdirSync(join(marks, mine));
  } catch (error) {
    console.log(`threw: ${String(error)}`);
  }
}

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

function runs(pid: string): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
