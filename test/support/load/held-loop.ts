import { createHash } from "node:crypto";

/** What `slowness` takes where nothing else runs, in milliseconds of processor time. */
const USUAL_MS = 60;

/** How long the event loop of this process is held by a piece of work: at the longest, and the processor time of it alone. */
export async function heldMs(work: () => Promise<unknown>): Promise<number> {
  let max = 0;
  let last = cpuMs();
  const look = (): void => {
    const now = cpuMs();
    max = Math.max(max, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  look();
  return max;
}

/** Tries of a measurement: another program can disturb one of them. */
const TRIES = 4;

/** The least value of some measurements. Stops at the first that is at most `enough`. */
export async function leastOfTries(enough: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && least > enough; tries += 1) least = Math.min(least, await measure());
  return least;
}

/** How much slower this machine is, now, than one that has time: at least 1. */
export function slowness(): number {
  const began = cpuMs();
  const text = "x".repeat(1024 ** 2);
  for (let times = 0; times < 20; times += 1) {
    createHash("sha256").update(text).digest();
    JSON.stringify({ text, parts: text.slice(times, times + 20_000).split("") });
  }
  return Math.max(1, (cpuMs() - began) / USUAL_MS);
}

/** The processor time that a piece of work takes, as on a machine that has time, in milliseconds: a count of work. */
export function workMs(work: () => unknown): number {
  const began = cpuMs();
  work();
  return (cpuMs() - began) / slowness();
}

/** Of this thread: what other programs take does not count. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
