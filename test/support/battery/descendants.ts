import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** The processes that a process started, and behind them those started by them; those that have ended are left out. */
export function descendantsOf(pid: number): readonly number[] {
  const all = readdirSync("/proc").flatMap(parentOf);
  const found = [pid];
  // What is started later may have a lower pid: the kernel begins anew where there are no higher ones.
  for (const above of found) found.push(...all.flatMap(([one, parent]) => (parent === above ? [one] : [])));
  return found.slice(1);
}

/** The processes that a process started itself and that have not ended. */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync("/proc")
    .flatMap(parentOf)
    .flatMap(([one, parent]) => (parent === pid ? [one] : []));
}

/** Of a process's descendants, those that work on files. */
export function workersOf(pid: number): readonly number[] {
  return descendantsOf(pid).filter((one) =>
    /^[^\0]*node[^\0]*\0(--[^\0]*\0)*\/cofferdam-worker\.mjs\0$/.test(wordsOf(one)),
  );
}

/** The parents of processes: of workers, the processes that end their sandbox with them. */
export function parentsOf(pids: readonly number[]): readonly number[] {
  return pids.flatMap((pid) => parentOf(String(pid)).map(([, parent]) => parent));
}

/** Waits until they have ended; throws when one has not after five seconds. */
export async function untilGone(pids: readonly number[]): Promise<void> {
  const until = performance.now() + 5_000;
  const left = (): readonly number[] => pids.filter((pid) => parentOf(String(pid)).length > 0);
  while (left().length > 0) {
    if (performance.now() > until) throw new Error(`still there: ${left().join(", ")}`);
    await pause(5);
  }
}

function parentOf(name: string): [number, number][] {
  if (!/^\d+$/.test(name)) return [];
  try {
    const stat = readFileSync(`/proc/${name}/stat`, "latin1");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? [] : [[Number(name), Number(parent)]];
  } catch {
    return [];
  }
}

function wordsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}
