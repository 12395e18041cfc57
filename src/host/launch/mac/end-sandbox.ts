import { pause } from "../../pause.ts";
import type { LauncherChild } from "../spawn.ts";
import type { RuleGround } from "./ground.ts";
import { eldersOf, isBelow, keyOf, type Listed, listProcesses } from "./processes.ts";
import type { StartProgramChannel } from "./start-program-channel.ts";

/** A macOS sandbox whose program has ended, or is to end. */
export interface Sandbox {
  readonly startProgram: LauncherChild;
  readonly talk: StartProgramChannel;
  /** Processes that ran before the program started; none of them belongs to it. */
  readonly before: ReadonlySet<string>;
  readonly uid: number;
  readonly ground: RuleGround;
}

/** Time limits for the killer inside to answer, in milliseconds: for some pids, and for all possible pids. */
const ANSWER_MS = 5_000;
const ALL_MS = 60_000;

/** Time during which new processes may keep appearing before every pid is tried, and the pause between looks. */
const MAX_MS = 2_000;
const PAUSE_MS = 5;

const LEFT = {
  gone: "the program ended the helper that ends its remaining processes: some of them may still run",
  open: "processes outside could be signalled, so not all remaining processes of the program were ended",
  more: "some remaining processes of the program did not end",
} as const;

/**
 * Ends all processes of a sandbox but its start program and killer. Candidates started after it, under its user,
 * without another known origin. The kernel lets the killer reach nothing outside; first it must fail to kill the
 * outsider. Repeats until nothing is killed; if processes keep appearing, tries every pid. Returns why some may be
 * left, or null.
 */
export async function endSandbox(sandbox: Sandbox): Promise<string | null> {
  const { talk } = sandbox;
  const reason = await endFromInside(sandbox)
    .catch(async () => {
      // Without a list, any pid may be one of its processes.
      return (await isOutsiderSafe(sandbox)) && (await talk.killAll(ALL_MS)) !== null ? null : LEFT.gone;
    })
    .catch(() => LEFT.gone);
  if (reason === null) return null;
  if (reason !== LEFT.more && (await isEndedFromOutside(sandbox).catch(() => false))) return null;
  // A start program that loses its host once more kills everything it may: the best that can be done about remains.
  if (reason !== LEFT.open) talk.hangUp();
  return reason;
}

/**
 * A look after which no kill succeeded has seen everything: any process inside is older, or a child of one that it saw.
 * After a kill, or an end before the kill, two looks in a row are needed: a list is not made in one instant. A process
 * that has gone by the next look may have left another.
 */
async function endFromInside(sandbox: Sandbox): Promise<string | null> {
  const { talk } = sandbox;
  const rest = new Rest(sandbox);
  let until = performance.now() + MAX_MS;
  let clean = 0;
  let [isProven, isAllTried] = [false, false];
  for (;;) {
    const { fresh, dying, gone } = await rest.look();
    if (fresh.length > 0 && !isProven) {
      if (!(await isOutsiderSafe(sandbox))) return talk.isOpen ? LEFT.open : LEFT.gone;
      isProven = true;
    }
    const killed = await rest.kill(fresh);
    if (killed === null) return LEFT.gone;
    clean = killed.length === 0 && dying === 0 && gone === 0 ? clean + 1 : 0;
    if (clean > (rest.isDoubtful ? 1 : 0)) return null;
    if (performance.now() > until) {
      if (isAllTried) return LEFT.more;
      if ((await talk.killAll(ALL_MS)) === null) return LEFT.gone;
      isAllTried = true;
      until = performance.now() + MAX_MS;
    } else if (killed.length === 0) await pause(PAUSE_MS);
  }
}

/** False if the outsider was killed, or nothing answers. */
async function isOutsiderSafe({ talk, ground }: Sandbox): Promise<boolean> {
  const killed = await talk.kill([ground.outsider.pid()], ANSWER_MS);
  return killed !== null && killed.length === 0;
}

class Rest {
  readonly #sandbox: Sandbox;
  readonly #tried = new Set<string>();
  readonly #killed = new Set<string>();
  /** Possible members at the last look: one that ended before it could be killed may have left children. */
  #strays: readonly string[] = [];
  #hadStrays = false;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** True if a process was killed, or may have been inside. */
  get isDoubtful(): boolean {
    return this.#killed.size > 0 || this.#hadStrays;
  }

  /** Counts the untried candidates, the killed that still exist, and the others that have gone. */
  async look(): Promise<{
    readonly fresh: readonly Listed[];
    readonly dying: number;
    readonly gone: number;
  }> {
    const { candidates, strays } = await candidatesOf(this.#sandbox);
    const there = new Set(candidates.map(keyOf));
    const gone = this.#strays.filter((key) => !there.has(key) && !this.#killed.has(key)).length;
    this.#strays = strays.map(keyOf);
    this.#hadStrays ||= strays.length > 0;
    return {
      fresh: candidates.filter((one) => !this.#tried.has(keyOf(one))),
      dying: candidates.filter((one) => this.#killed.has(keyOf(one))).length,
      gone,
    };
  }

  async kill(fresh: readonly Listed[]): Promise<readonly number[] | null> {
    if (fresh.length === 0) return [];
    const killed = await this.#sandbox.talk.kill(
      fresh.map(({ pid }) => pid),
      ANSWER_MS,
    );
    for (const one of killed === null ? [] : fresh) {
      this.#tried.add(keyOf(one));
      if (killed?.includes(one.pid) === true) this.#killed.add(keyOf(one));
    }
    return killed;
  }
}

interface Candidates {
  readonly candidates: readonly Listed[];
  readonly strays: readonly Listed[];
}

/**
 * Root's processes may have changed their user. Other children of this process belong to other calls, or are helpers. A
 * process with an ancestor from before the program is foreign, except for pid 1, which adopts orphans.
 */
async function candidatesOf({ startProgram, talk, before, uid, ground }: Sandbox): Promise<Candidates> {
  const listed = await listProcesses(ground.ps);
  const all = new Map(listed.map((one) => [one.pid, one]));
  const candidates = listed.filter(
    (one) =>
      !one.isOver &&
      ![process.pid, startProgram.pid, talk.helper].includes(one.pid) &&
      (uid === 0 || one.uid === uid) &&
      !before.has(keyOf(one)) &&
      (isBelow(one, startProgram.pid ?? 0, all) || !isBelow(one, process.pid, all)),
  );
  const isElder = (one: Listed): boolean =>
    ![1, startProgram.pid, talk.helper].includes(one.pid) && before.has(keyOf(one));
  return { candidates, strays: candidates.filter((one) => !eldersOf(one, all).some(isElder)) };
}

/** Ends the known rest from outside: the start program's process group and descendants. True if nothing may be left. */
async function isEndedFromOutside(sandbox: Sandbox): Promise<boolean> {
  const { startProgram } = sandbox;
  startProgram.kill("SIGKILL");
  const until = performance.now() + MAX_MS;
  for (;;) {
    const { candidates } = await candidatesOf(sandbox);
    const all = new Map(candidates.map((one) => [one.pid, one]));
    const leaders = candidates.filter(({ group }) => group === startProgram.pid);
    const ours = candidates.filter(
      (one) => leaders.includes(one) || leaders.some(({ pid }) => isBelow(one, pid, all)),
    );
    if (ours.length === 0 || performance.now() > until) return candidates.length === 0;
    for (const { pid } of ours) killNow(pid);
    await pause(PAUSE_MS);
  }
}

function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
