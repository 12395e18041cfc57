import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { GATE_MARK } from "../backend/bubblewrap/gate.ts";
import { isRunning, type ProcessId, processAt, signal } from "./process-id.ts";

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

/**
 * Ends what waits for a launcher that was killed: the child that this had just made, and had not let go on yet
 * (bubblewrap.c, `child_wait_fd`), never ends by itself. It is found below a process above this one, or the machine's
 * first, which are who inherits orphans, and it is in another namespace of processes than that; a launcher of somebody who
 * lives is not.
 */
export function endForsaken(): void {
  for (const above of [...processesAbove(), 1])
    for (const child of childrenOf(above)) {
      const found = isLauncher(child) && depthOf(child) > depthOf(above) ? processAt(Number(child)) : null;
      if (found !== null) signal(found, "SIGKILL");
    }
}

/** This process, its parent, and so on. */
function processesAbove(): readonly string[] {
  const found: string[] = [];
  for (let at = "self"; at !== "" && at !== "0" && at !== "1"; ) {
    found.push(at);
    at = /^PPid:\s*(\d+)/m.exec(textOf(`/proc/${at}/status`))?.[1] ?? "";
  }
  return found;
}

/** In how many namespaces of processes it is, from this one's on. */
function depthOf(pid: number | string): number {
  return (/^NSpid:\s*(.*)$/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? "").split(/\s+/).length;
}

function childrenOf(pid: number | string): readonly string[] {
  const tasks = `/proc/${pid}/task`;
  return listed(tasks).flatMap((task) => textOf(`${tasks}/${task}/children`).split(" ").filter(Boolean));
}

/**
 * Processes that are to become a gate, or have one below them; the gate itself has other words in front. Root's tools may be
 * another user's; to any other user's launchers this user's supervisors have no part.
 */
function launchers(): readonly ProcessId[] {
  const own = process.getuid?.() ?? 0;
  return listed("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || !isLauncher(name) || (own !== 0 && uidOf(name) !== own)) return [];
    const found = processAt(Number(name));
    return found === null ? [] : [found];
  });
}

/** Who it runs as; not a number where it is gone. */
function uidOf(pid: string): number {
  return Number(/^Uid:\s*(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? Number.NaN);
}

function isLauncher(pid: number | string): boolean {
  const words = textOf(`/proc/${pid}/cmdline`);
  return words.includes("\0--args\0") && words.includes(GATE_MARK);
}

function isBuilding(one: ProcessId): boolean {
  return isRunning(one) && hasNoGate(one.pid) && !isWaiting(one.pid);
}

/** It has no child yet, or one that goes on building. */
function hasNoGate(pid: number | string): boolean {
  if (!isLauncher(pid)) return false;
  const children = childrenOf(pid);
  return children.length === 0 || children.some(hasNoGate);
}

/**
 * It sleeps, has not closed the pipe that its options come by, as it does once it has read them, and is nobody's who inherits
 * orphans: whoever started it lives, and has not told it anything yet.
 */
function isWaiting(pid: number | string): boolean {
  const words = textOf(`/proc/${pid}/cmdline`).split("\0");
  const options = words[words.indexOf("--args") + 1] ?? "";
  const isUnread = (): boolean => listed(`/proc/${pid}/fd`).includes(options);
  if (childrenOf(pid).length > 0 || !isUnread()) return false;
  const status = textOf(`/proc/${pid}/status`);
  const parent = /^PPid:\s*(\d+)/m.exec(status)?.[1] ?? "1";
  const isOrphan = ["1", ...processesAbove()].includes(parent);
  return /^State:\s*S/m.test(status) && !isOrphan && isUnread();
}

/** Empty when it is gone. */
function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty when it is gone, or another user's. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
