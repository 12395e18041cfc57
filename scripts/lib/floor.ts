import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { MountPlan } from "../../src/backend/plan.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
const O_PATH = 0o10000000;
const NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

/** Folders like those of a supervisor and a repository, and the folder for cgroups. */
export interface Floor {
  readonly state: string;
  readonly git: string;
  readonly cgroups: string | null;
}

/** Makes the folders that `hardeningCalls` works in. */
export function layFloor(stage: string, cgroups: string | null): Floor {
  const [state, git] = [join(stage, "floor/state"), join(stage, "floor/workspace/.git")];
  for (const name of ["live", "ledger", "live-lock", "ledger-lock"])
    mkdirSync(join(state, name), { recursive: true });
  for (const name of ["live-lock", "ledger-lock"]) writeFileSync(join(state, name, "free"), "");
  mkdirSync(join(git, "hooks"), { recursive: true });
  writeFileSync(join(git, "config"), "");
  return { state, git, cgroups };
}

/**
 * The system calls of a cold call for concurrency, cleanup and reports, in order and alone: the registry, the ledger
 * with two placeholders of a repository, its cgroup, and the looks at the repository before and after. The rest of a
 * call's time is not the kernel's. In the loop of a benchmark they are quicker than in a call, whose caches are cold.
 */
export function hardeningCalls({ state, git, cgroups }: Floor): void {
  const [live, ledger] = [join(state, "live/call"), join(state, "ledger/call")];
  look(git);
  readdirSync(join(state, "ledger"));
  locked(join(state, "live-lock"), () => {
    readdirSync(join(state, "live"));
    writeFileSync(live, WORDS);
  });
  readdirSync(join(state, "ledger"));
  const held = locked(join(state, "ledger-lock"), () => {
    readdirSync(join(state, "ledger"));
    writeFileSync(`${ledger}.unfinished`, WORDS);
    renameSync(`${ledger}.unfinished`, ledger);
    return hold(git);
  });
  if (cgroups !== null) enterCgroup(cgroups);
  writeFileSync(`${live}-init`, "");
  if (cgroups !== null) leaveCgroup(cgroups);
  locked(join(state, "ledger-lock"), () => {
    readdirSync(join(state, "ledger"));
    release(held);
    unlinkSync(ledger);
  });
  closeSync(held);
  look(git);
  unlinkSync(live);
  unlinkSync(`${live}-init`);
}

/** The number of bytes that a call writes about itself. */
const WORDS = "x".repeat(2_000);

function locked<Value>(lock: string, work: () => Value): Value {
  renameSync(join(lock, "free"), join(lock, "mine"));
  const done = work();
  renameSync(join(lock, "mine"), join(lock, "free"));
  return done;
}

function look(git: string): void {
  for (const name of ["", "/hooks", "/commondir", "/config.worktree", "/HEAD"])
    lstatSync(`${git}${name}`, { throwIfNoEntry: false });
  readdirSync(git);
  readFileSync(join(git, "config"));
}

/** Makes the two placeholders; the one with a text atomically. */
function hold(git: string): number {
  const folder = openSync(git, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  readlinkSync(`/proc/self/fd/${folder}`);
  const at = (name: string): string => `/proc/self/fd/${folder}/${name}`;
  for (const name of ["commondir", "config.worktree"]) lstatSync(at(name), { throwIfNoEntry: false });
  const fresh = openSync(at("fresh"), NEW, 0o644);
  writeSync(fresh, ".\n");
  linkSync(at("fresh"), at("commondir"));
  closeSync(fresh);
  unlinkSync(at("fresh"));
  closeSync(openSync(at("config.worktree"), NEW, 0o644));
  return folder;
}

/** Moves them aside, looks at them, and removes them. */
function release(folder: number): void {
  const at = (name: string): string => `/proc/self/fd/${folder}/${name}`;
  for (const name of ["commondir", "config.worktree"]) {
    lstatSync(at(name));
    renameSync(at(name), at("aside"));
    const aside = openSync(at("aside"), O_RDONLY | O_NOFOLLOW);
    readSync(aside, Buffer.alloc(fstatSync(aside).size));
    closeSync(aside);
    unlinkSync(at("aside"));
  }
}

function enterCgroup(folder: string): void {
  const cgroup = join(folder, `cofferdam-floor-${process.pid}`);
  mkdirSync(cgroup);
  writeFileSync(join(cgroup, "pids.max"), "4096");
  closeSync(openSync(join(cgroup, "cgroup.procs"), O_WRONLY));
}

function leaveCgroup(folder: string): void {
  const cgroup = join(folder, `cofferdam-floor-${process.pid}`);
  readFileSync(join(cgroup, "pids.events"));
  rmdirSync(cgroup);
}

/** The same plan without the mounts over placeholders. */
export function withoutPlaceholders(plan: MountPlan): MountPlan {
  const paths = new Set<string>(plan.placeholders.map(({ path }) => path));
  const isOver = (words: readonly string[], at: number): boolean =>
    words[at] === "--ro-bind" && paths.has(words[at + 2] ?? "");
  const inputs = plan.inputs.map((input) => {
    if (!("bytes" in input)) return input;
    const words = Buffer.from(input.bytes).toString("latin1").split("\0");
    const kept = words.filter((_, at) => ![at, at - 1, at - 2].some((first) => isOver(words, first)));
    return kept.length === words.length ? input : { ...input, bytes: Buffer.from(kept.join("\0"), "latin1") };
  });
  return { ...plan, inputs };
}
