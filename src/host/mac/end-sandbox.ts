import { setTimeout as pause } from "node:timers/promises";
import type { Child } from "../spawn.ts";
import type { GateTalk } from "./gate-talk.ts";
import type { RuleGround } from "./ground.ts";
import { eldersOf, isBelow, keyOf, type Listed, listProcesses } from "./processes.ts";

/** A sandbox of rules whose program has ended, or is to. */
export interface Sandbox {
  readonly gate: Child;
  readonly talk: GateTalk;
  /** What ran before the program was let go: nothing of it is the program's. */
  readonly before: ReadonlySet<string>;
  /** Whom it runs as. */
  readonly uid: number;
  readonly ground: RuleGround;
}

/** How long what kills inside may take to answer, in milliseconds: for some pids, and for all that there can be. */
const ANSWER_MS = 5_000;
const ALL_MS = 60_000;

/** How long processes may keep coming before every pid is tried, and how long before looking again. */
const MOST_MS = 2_000;
const PAUSE_MS = 5;

/** What can be wrong, in the words of a receipt. */
const LEFT = {
  gone: "the program ended what ends the processes that it leaves: some of them may go on",
  open: "processes outside could be signalled, so that not all that the program left could be ended",
  more: "some of the processes that the program left did not end",
} as const;

/**
 * Ends all processes of a sandbox but the gate and what kills inside. Nobody can list them: so what came after the program
 * was let go, is of its user, and belongs to nobody else that is known, is handed to what kills inside, where the kernel lets
 * it reach nothing outside. Before the first of them it is told to kill the outsider, and must not be let. That is repeated
 * until nothing is killed any more; where they keep coming, every pid is tried. Says why some may be left, or null.
 */
export async function endSandbox(sandbox: Sandbox): Promise<string | null> {
  const { talk } = sandbox;
  const reason = await endFromInside(sandbox)
    .catch(async () => {
      // Without a list every pid is one of its processes' as much as anybody's.
      return (await isOutsiderSafe(sandbox)) && (await talk.killAll(ALL_MS)) !== null ? null : LEFT.gone;
    })
    .catch(() => LEFT.gone);
  if (reason === null) return null;
  if (reason !== LEFT.more && (await isEndedFromOutside(sandbox).catch(() => false))) return null;
  // Whose host is gone kills all that it is let, once more: of what may be left that is as much as can be done.
  if (reason !== LEFT.open) talk.hangUp();
  return reason;
}

/**
 * A look after which nothing was let be killed has seen all: whatever runs inside has come before it, or from one that it
 * saw. Where something was killed, or might have gone before it could be, it takes two in a row, since a list is not made in
 * one instant; and what was seen and is gone at the next look may have left another.
 */
async function endFromInside(sandbox: Sandbox): Promise<string | null> {
  const { talk } = sandbox;
  const rest = new Rest(sandbox);
  let until = performance.now() + MOST_MS;
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
      until = performance.now() + MOST_MS;
    } else if (killed.length === 0) await pause(PAUSE_MS);
  }
}

/** False where it was killed, or nobody answers. */
async function isOutsiderSafe({ talk, ground }: Sandbox): Promise<boolean> {
  const killed = await talk.kill([ground.outsider.pid()], ANSWER_MS);
  return killed !== null && killed.length === 0;
}

/** What is left of a sandbox, as far as lists of processes tell. */
class Rest {
  readonly #sandbox: Sandbox;
  readonly #tried = new Set<string>();
  readonly #killed = new Set<string>();
  /** Those of the last look that may be inside: of one that is gone before it could be killed there may be children. */
  #strays: readonly string[] = [];
  #hadStrays = false;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** Something was killed, or may have been inside. */
  get isDoubtful(): boolean {
    return this.#killed.size > 0 || this.#hadStrays;
  }

  /** Candidates that were not tried yet, how many were killed and are still there, and how many others have gone. */
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

/** What may be a sandbox's, and of that, what nobody outside is known to have started. */
interface Candidates {
  readonly candidates: readonly Listed[];
  readonly strays: readonly Listed[];
}

/**
 * Root's may have become anybody's. Whatever else this process has started is a call's of its own, or a helper. What has an
 * elder that was there before the program is somebody else's, but for the first of all, which takes up whatever was left.
 */
async function candidatesOf({ gate, talk, before, uid, ground }: Sandbox): Promise<Candidates> {
  const listed = await listProcesses(ground.ps);
  const all = new Map(listed.map((one) => [one.pid, one]));
  const candidates = listed.filter(
    (one) =>
      !one.isOver &&
      ![process.pid, gate.pid, talk.helper].includes(one.pid) &&
      (uid === 0 || one.uid === uid) &&
      !before.has(keyOf(one)) &&
      (isBelow(one, gate.pid ?? 0, all) || !isBelow(one, process.pid, all)),
  );
  const isElder = (one: Listed): boolean =>
    ![1, gate.pid, talk.helper].includes(one.pid) && before.has(keyOf(one));
  return { candidates, strays: candidates.filter((one) => !eldersOf(one, all).some(isElder)) };
}

/**
 * What can still be told from outside: the gate's process group, and what lies below one of that. True when nothing is left
 * that may be the program's.
 */
async function isEndedFromOutside(sandbox: Sandbox): Promise<boolean> {
  const { gate } = sandbox;
  gate.kill("SIGKILL");
  const until = performance.now() + MOST_MS;
  for (;;) {
    const { candidates } = await candidatesOf(sandbox);
    const all = new Map(candidates.map((one) => [one.pid, one]));
    const leaders = candidates.filter(({ group }) => group === gate.pid);
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
    // Gone meanwhile.
  }
}
