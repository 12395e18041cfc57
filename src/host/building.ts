import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { GATE_MARK } from "../backend/bubblewrap/gate.ts";
import { isRunning, type ProcessId, processAt } from "./process-id.ts";

/** For how long walls that are being built are waited for, and how long before looking again, in milliseconds. */
const WAIT_MS = 2_000;
const PAUSE_MS = 3;

/**
 * Waits until none of the launchers that build walls now does so any more: the walls stand, or it has ended. One whose
 * supervisor was killed goes on until it finds the gate closed, and makes what it mounts on anew where that is missing. At
 * most two seconds: one that was stopped, say, is not waited for.
 */
export async function untilBuilt(): Promise<void> {
  const until = performance.now() + WAIT_MS;
  let building = launchers().filter(isBuilding);
  while (building.length > 0 && performance.now() < until) {
    await pause(PAUSE_MS);
    building = building.filter(isBuilding);
  }
}

/** Processes that are to become a gate, or have a child that is; the gate itself has other words in front. */
function launchers(): readonly ProcessId[] {
  return readdirSync("/proc").flatMap((name) => {
    const found = /^\d+$/.test(name) && isLauncher(name) ? processAt(Number(name)) : null;
    return found === null ? [] : [found];
  });
}

function isLauncher(pid: number | string): boolean {
  const words = textOf(`/proc/${pid}/cmdline`);
  return words.includes("\0--args\0") && words.includes(GATE_MARK);
}

/** It has no child, or one that is no gate yet. */
function isBuilding(one: ProcessId): boolean {
  if (!isRunning(one) || !isLauncher(one.pid)) return false;
  const children = textOf(`/proc/${one.pid}/task/${one.pid}/children`).split(" ").filter(Boolean);
  return children.length === 0 || children.some(isLauncher);
}

/** Empty when it is gone, or another user's. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
