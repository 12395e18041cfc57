import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/**
 * Runs in a checkout, by what was built there, as users run it: for each line that comes in a cold call and four more at once
 * after it, and the milliseconds of the first and the last back. Sources would bring a compiler into the process, and what that holds makes every fork dearer.
 */
const CALLER = `
import { createInterface } from "node:readline";
const [stateFolder, cwd] = process.argv.slice(1);
const { thisHost } = await import("./dist/host/host.js");
const { MemoryJournal } = await import("./dist/journal/journal.js");
const { createSupervisor } = await import("./dist/supervisor/supervisor.js");
const host = thisHost({ stateFolder });
await using supervisor = await createSupervisor({ host, cwd, journal: new MemoryJournal() });
const session = supervisor.session({ caller: "person" });
const input = { argv: ["true"] };
// Before there were tools a session called commands alone.
const call = session.callAll === undefined ? () => session.call(input) : () => session.call("shell", input);
for await (const _ of createInterface({ input: process.stdin })) {
  const times = [performance.now()];
  for (let run = 0; run < 5; run += 1) times.push((await call()).kind === "done" ? performance.now() : NaN);
  console.log(times[1] - times[0], times[5] - times[4]);
}
`;

/** Milliseconds: of a call after a pause, and of one that comes at once after others. */
export type Pair = readonly [paused: number, atOnce: number];

/** The times of cold calls of several checkouts that are built, in turn: each works in a repository of its own. */
export async function timesBeside(
  checkouts: readonly string[],
  stage: string,
  runs: { readonly warmUp: number; readonly counted: number },
): Promise<readonly (readonly Pair[])[]> {
  const callers = checkouts.map((checkout, index) => startCaller(checkout, join(stage, `beside-${index}`)));
  const times = callers.map((): Pair[] => []);
  for (let run = -runs.warmUp; run < runs.counted; run += 1)
    for (const [index, caller] of callers.entries()) {
      const time = await caller.call();
      if (run >= 0) times[index]?.push(time);
    }
  for (const caller of callers) caller.end();
  return times;
}

function startCaller(checkout: string, place: string) {
  const workspace = join(place, "workspace");
  mkdirSync(join(workspace, ".git/hooks"), { recursive: true });
  writeFileSync(join(workspace, ".git/config"), "");
  const child = spawn(
    process.execPath,
    ["--input-type=module", "-e", CALLER, join(place, "state"), workspace],
    { cwd: checkout, stdio: ["pipe", "pipe", "inherit"] },
  );
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    call: async (): Promise<Pair> => {
      child.stdin.write("\n");
      const { value, done } = await answers.next();
      const [paused = Number.NaN, atOnce = Number.NaN] = String(value).split(" ").map(Number);
      if (done === true || Number.isNaN(paused + atOnce)) throw new Error(`a call of ${checkout} failed`);
      return [paused, atOnce];
    },
    end: () => child.stdin.end(),
  };
}
