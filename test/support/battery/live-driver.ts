/**
 * A process that enters calls until it is killed: `live-driver.ts STATE MARKS`. Each is isolated and works on a random few
 * of the same folders; for each folder that it writes it makes a mark that nobody else may have. Prints `ready`, then a
 * line for everything that should not be.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { LiveCalls } from "../../../src/host/launch/live-calls.ts";
import { isRunning, printProcess, readProcess, thisProcess } from "../../../src/host/launch/process-id.ts";
import type { CallWork } from "../../../src/host/launch/work.ts";
import { absolutePath } from "../../../src/profile/path.ts";

const [, , state = "", marks = ""] = process.argv;
const live = new LiveCalls(absolutePath(state), true);
const me = printProcess(thisProcess());
console.log("ready");

for (let round = 0; ; round += 1) {
  const places = ["/a", "/b", "/b/c"].flatMap((path): CallWork["places"] => {
    const roll = Math.random();
    const access = roll < 0.3 ? "write" : "read";
    return roll < 0.6 ? [{ path, device: null, root: null, access }] : [];
  });
  try {
    using _entered = await live.enter({ places, isIsolated: true, acts: true, builds: true }, null);
    for (const { path, access } of places) mark(`${path.replaceAll("/", "_")}+${access}`, round);
    if (Math.random() < 0.5) await pause(Math.random() * 3);
    for (const { path, access } of places) {
      tellClash(path, access);
      rmSync(join(marks, `${path.replaceAll("/", "_")}+${access}+${me}+${round}`));
    }
  } catch (error) {
    console.log(`threw: ${String(error)}`);
  }
}

function mark(name: string, round: number): void {
  mkdirSync(marks, { recursive: true });
  writeFileSync(join(marks, `${name}+${me}+${round}`), "");
}

/** Others of live processes that share the folder, where one of both writes there. */
function tellClash(path: string, access: string): void {
  for (const name of readdirSync(marks)) {
    const [where = "", how = "", who = ""] = name.split("+");
    const owner = readProcess(who);
    if (who === me || owner === null || !isRunning(owner)) continue;
    const theirs = where.replaceAll("_", "/");
    const isShared = theirs === path || theirs.startsWith(`${path}/`) || path.startsWith(`${theirs}/`);
    if (isShared && (how === "write" || access === "write"))
      console.log(`${path} (${access}) beside ${name}`);
  }
}
