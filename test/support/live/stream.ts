import { setTimeout as pause } from "node:timers/promises";
import { AT_START, type Change, changeFrom, type Deciding, may, ROOTS, type RootName } from "./changes.ts";
import type { LiveProject } from "./project.ts";

/** Prints the time of its start, then each root that it could write. */
export const PROBE = `date +%s%N; for root in ${ROOTS.join(" ")}; do if : > ../$root/probe; then echo $root; fi; done 2>/dev/null`;

/** Makes the call; returns its output, or null if it did not run. */
export type MakeProbe = () => Promise<string | null>;

/** One state of the files, from the beginning of the change that led to it until the end of the next. */
interface Phase {
  readonly name: string;
  readonly state: Deciding;
  readonly beganAtMs: number;
  endedAtMs: number;
}

/** One call: when it was made, when its program started, and what that could write; null if it did not run. */
interface Probe {
  readonly askedAtMs: number;
  readonly startedAtMs: number;
  readonly wrote: readonly RootName[] | null;
}

/** The outcome of a stream of calls during changes. */
export interface Streamed {
  /** Calls that got more than any state between their request and their start allows. */
  readonly tooWide: readonly string[];
  readonly calls: number;
  /** Calls that ran and wrote something. */
  readonly wrote: number;
}

export interface StreamOptions {
  readonly project: LiveProject;
  readonly probe: MakeProbe;
  readonly changes: number;
  /** Numbers in [0, 1), the same for the same seed. */
  readonly random: () => number;
  /** Calls that are made at the same time. */
  readonly atOnce?: number;
}

/**
 * Makes calls one after another while the config, an operator profile and trust change. Each call is held against the
 * states of the files from its request to the start of its program: it may have no more than one of them allows.
 */
export async function streamOfCalls({
  project,
  probe,
  changes,
  random,
  atOnce = 2,
}: StreamOptions): Promise<Streamed> {
  const phases: Phase[] = [phaseOf("start", AT_START, 0)];
  const probes: Probe[] = [];
  let isOver = false;
  const stream = async (): Promise<void> => {
    while (!isOver) {
      probes.push(await probed(probe));
      // A call that is denied at once waits for nothing: changes must have their turn.
      await pause(1);
    }
  };
  const streams = Array.from({ length: atOnce }, stream);
  for (let made = 0; made < changes; made += 1) {
    // Some changes come in a row, others once a call has begun and ended under the state before.
    const waited = probes.length + atOnce + 1;
    if (random() < 0.5) await pause(random() * 50);
    else while (probes.length < waited) await pause(5);
    makeChange(changeFrom(lastOf(phases).state, random), phases, project);
  }
  isOver = true;
  await Promise.all(streams);
  return judged(probes, phases);
}

/** Makes a change; the state before it ends when it is made. */
export function makeChange(change: Change, phases: Phase[], project: LiveProject): void {
  const before = lastOf(phases);
  phases.push(phaseOf(change.name, change.after, now()));
  change.make(project);
  before.endedAtMs = now() + 1;
}

/** Holds each call against the states that it may have been decided by. */
export function judged(probes: readonly Probe[], phases: readonly Phase[]): Streamed {
  const tooWide = probes.flatMap(({ askedAtMs, startedAtMs, wrote }) => {
    if (wrote === null) return [];
    const during = phases.filter((one) => one.beganAtMs <= startedAtMs && one.endedAtMs >= askedAtMs);
    const isAllowed = during.some(({ state }) => {
      const roots = may(state);
      return roots !== null && wrote.every((root) => roots.includes(root));
    });
    return isAllowed
      ? []
      : [`${wrote.join("") || "ran"} during ${during.map(({ name }) => name).join("; ")}`];
  });
  const wrote = probes.filter((one) => one.wrote !== null && one.wrote.length > 0).length;
  return { tooWide, calls: probes.length, wrote };
}

/** Makes one call and notes its times. */
export async function probed(probe: MakeProbe): Promise<Probe> {
  const askedAtMs = now();
  const output = await probe();
  if (output === null) return { askedAtMs, startedAtMs: now(), wrote: null };
  const [time = "", ...names] = output.trimEnd().split("\n");
  const startedAtMs = Number(BigInt(time) / 1_000_000n);
  return { askedAtMs, startedAtMs, wrote: ROOTS.filter((root) => names.includes(root)) };
}

function phaseOf(name: string, state: Deciding, beganAtMs: number): Phase {
  return { name, state, beganAtMs, endedAtMs: Number.POSITIVE_INFINITY };
}

function lastOf(phases: readonly Phase[]): Phase {
  const last = phases.at(-1);
  if (last === undefined) throw new Error("no state is known");
  return last;
}

/** The wall clock in whole milliseconds, rounded down; programs inside a sandbox see it as well. */
function now(): number {
  return Date.now();
}
