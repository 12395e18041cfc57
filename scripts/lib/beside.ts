import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { execa } from "execa";

/**
 * Runs the build of a checkout. Each input line starts a cold call and then four more at once; the answer is the
 * milliseconds of the first and the last. Sources would load a compiler, whose memory makes every fork slower.
 */
const CALLER = `
import { createInterface } from "node:readline";
const [stateFolder, cwd] = process.argv.slice(1);
const { createSupervisor, MemoryJournal, thisHost: ofOlder } = await import("./dist/index.js");
const thisHost = ofOlder ?? (await import("./dist/host/look/host.js")).thisHost;
const host = thisHost({ stateFolder });
await using supervisor = await createSupervisor({ host, cwd, journal: new MemoryJournal() });
const session = supervisor.session({ caller: "person" });
const input = { argv: ["true"] };
// In older commits, sessions only ran commands.
const call = session.callAll === undefined ? () => session.call(input) : () => session.call("shell", input);
for await (const _ of createInterface({ input: process.stdin })) {
  const times = [performance.now()];
  for (let run = 0; run < 5; run += 1) times.push((await call()).kind === "done" ? performance.now() : NaN);
  console.log(times[1] - times[0], times[5] - times[4]);
}
`;

/** Milliseconds: of a call after a pause, and of one that comes at once after others. */
export type Pair = readonly [paused: number, atOnce: number];

/** The times of cold calls of several built checkouts, in turn, each in its own repository. */
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
  const workspace = repositoryIn(place);
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

/** A new repository, in a checkout's own folder. */
function repositoryIn(place: string): string {
  const workspace = join(place, "workspace");
  mkdirSync(join(workspace, ".git/hooks"), { recursive: true });
  writeFileSync(join(workspace, ".git/config"), "");
  return workspace;
}

/**
 * Runs the sources of a checkout: prints the milliseconds of each part of a call. Each round has its own process, so that
 * no compiled code or cache is shared. The first half of all looks is not counted: uncompiled, they take twice as long
 * and vary more than two commits differ.
 */
const FIGURES = `
import { existsSync } from "node:fs";
import { join } from "node:path";
const [stateFolder, cwd, tree] = process.argv.slice(1);
const from = (file) => import(join(process.cwd(), file));
// Commits before the rooms \`decide\`, \`call\` and \`session\` have these in \`supervisor\`, under other names.
const isOld = existsSync(join(process.cwd(), "src/supervisor"));
const { thisHost } = await from(isOld ? "src/host/host.ts" : "src/host/look/host.ts");
const { MemoryJournal } = await from("src/journal/journal.ts");
const { createSupervisor } = await from(isOld ? "src/supervisor/supervisor.ts" : "src/session/supervisor.ts");
const { prepare } = await from(isOld ? "src/supervisor/prepare.ts" : "src/decide/prepare.ts");
const profileFor = async (options) =>
  isOld
    ? (await from("src/supervisor/supervisor.ts")).decideStanding(options).standing.onYes.profile
    : (await from("src/session/resolve-setup.ts")).resolvePolicy(options).policy.withApproval.profile;
const { MaskSearch } = await from(isOld ? "src/host/search/search.ts" : "src/host/look/search/search.ts");
const { verdictTimes } = await from("test/support/approval/figures.ts");
const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
const host = thisHost({ stateFolder });
const searched = await profileFor({ host, cwd: tree });
const looks = async (times, searchNow) => {
  const taken = [];
  for (let look = 0; look < 2 * times; look += 1) {
    const search = searchNow();
    const began = performance.now();
    await search.find([searched]);
    if (look >= times) taken.push(performance.now() - began);
  }
  return median(taken);
};
const first = await looks(20, () => new MaskSearch());
const again = new MaskSearch();
const warm = await looks(200, () => again);
await using supervisor = await createSupervisor({ host, cwd, journal: new MemoryJournal() });
const input = { argv: ["true"] };
const look = await supervisor.session({ caller: "person" }).look(input);
const ids = { callId: "c", runId: "r", sessionId: "s", caller: "person", agent: null };
const call = { ...ids, tool: "shell", input, use: null, stdin: "none" };
const prepared = [];
for (let run = -100; run < 300; run += 1) {
  const changed = { ...look, facts: { ...look.facts } };
  const began = performance.now();
  prepare(call, isOld ? supervisor.shared.standing : supervisor.shared.policy, changed);
  if (run >= 0) prepared.push(performance.now() - began);
}
console.log(JSON.stringify([first, warm, median(prepared), median(verdictTimes(20, 100))]));
`;

/** The names of a round's figures, in order; the last is that of the built command line. */
export const FIGURE_NAMES = [
  "a first search of the tree",
  "the same search again",
  "prepare",
  "a verdict for 1,000 rules",
  "cofferdam run -- true",
] as const;

/** The figures of each round for each checkout, in turn: on an existing tree, and in its own workspace. */
export async function figuresBeside(
  checkouts: readonly string[],
  { stage, tree, rounds }: { readonly stage: string; readonly tree: string; readonly rounds: number },
): Promise<readonly (readonly (readonly number[])[])[]> {
  const all = checkouts.map((): number[][] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, checkout] of checkouts.entries()) {
      const place = join(stage, `figures-${index}`);
      const workspace = repositoryIn(place);
      const words = [join(place, "state"), workspace, tree];
      const options = { cwd: checkout, stdio: ["ignore", "pipe", "inherit"] } as const;
      const { stdout } = await execa(
        process.execPath,
        ["--input-type=module", "-e", FIGURES, ...words],
        options,
      );
      all[index]?.push([...(JSON.parse(stdout) as number[]), await start(checkout, workspace, place)]);
    }
  return all;
}

async function start(checkout: string, cwd: string, place: string): Promise<number> {
  const env = { XDG_STATE_HOME: join(place, "state") };
  const began = performance.now();
  await execa(process.execPath, [join(checkout, "dist/cli/main.js"), "run", "--", "true"], {
    cwd,
    env,
  });
  return performance.now() - began;
}
