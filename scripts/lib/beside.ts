import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/**
 * Runs in a checkout, by what was built there, as users run it: a cold call for each line that comes in, and its
 * milliseconds back. Sources would bring a compiler into the process, and what that holds makes every fork dearer.
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
  const began = performance.now();
  const { kind } = await call();
  console.log(kind === "done" ? performance.now() - began : NaN);
}
`;

/** The times of cold calls of several checkouts that are built, milliseconds, in turn: each works in a repository of its own. */
export async function timesBeside(
  checkouts: readonly string[],
  stage: string,
  runs: { readonly warmUp: number; readonly counted: number },
): Promise<readonly (readonly number[])[]> {
  const callers = checkouts.map((checkout, index) => startCaller(checkout, join(stage, `beside-${index}`)));
  const times = callers.map((): number[] => []);
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
    call: async (): Promise<number> => {
      child.stdin.write("\n");
      const { value, done } = await answers.next();
      if (done === true || Number.isNaN(Number(value))) throw new Error(`a call of ${checkout} failed`);
      return Number(value);
    },
    end: () => child.stdin.end(),
  };
}
