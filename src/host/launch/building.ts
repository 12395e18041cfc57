import { readFileSync } from "node:fs";
import { START_MARK } from "../../backend/bubblewrap/start-program.ts";
import { namesIn } from "../look/names-in.ts";
import { orNull } from "../or-null.ts";
import { pause } from "../pause.ts";
import { isRunning, type ProcessId, processAt, signal } from "./process-id.ts";

/** Maximum of the wait for sandboxes under construction, and the pause between two looks, in milliseconds. */
const WAIT_MS = 2_000;
const PAUSE_MS = 3;

/**
 * Waits, at most two seconds, until each launcher that is building a sandbox now has finished or ended. One whose
 * supervisor was killed goes on until it finds the start descriptor closed, and creates missing mount points again.
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
 * Ends the child that a killed launcher left: one not yet released (bubblewrap.c, `child_wait_fd`) never ends by
 * itself. It is below a process above this one, or the machine's first, and in another PID namespace; a launcher with a
 * living parent is not.
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

/** The number of PID namespaces of a process, from this one's on. */
function depthOf(pid: number | string): number {
  return (/^NSpid:\s*(.*)$/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? "").split(/\s+/).length;
}

function childrenOf(pid: number | string): readonly string[] {
  const tasks = `/proc/${pid}/task`;
  return namesIn(tasks).flatMap((task) => textOf(`${tasks}/${task}/children`).split(" ").filter(Boolean));
}

/**
 * Processes that will become a start program, or have one below. Root's tools may run as another user; no other user's
 * matter.
 */
function launchers(): readonly ProcessId[] {
  const own = process.getuid?.() ?? 0;
  return namesIn("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || !isLauncher(name) || (own !== 0 && uidOf(name) !== own)) return [];
    const found = processAt(Number(name));
    return found === null ? [] : [found];
  });
}

function uidOf(pid: string): number {
  return Number(/^Uid:\s*(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? Number.NaN);
}

function isLauncher(pid: number | string): boolean {
  const words = textOf(`/proc/${pid}/cmdline`);
  return words.includes("\0--args\0") && words.includes(START_MARK);
}

function isBuilding(one: ProcessId): boolean {
  return isRunning(one) && hasNoStartProgram(one.pid) && !isWaiting(one.pid);
}

/** True if it has no child yet, or one that is still building. */
function hasNoStartProgram(pid: number | string): boolean {
  if (!isLauncher(pid)) return false;
  const children = childrenOf(pid);
  return children.length === 0 || children.some(hasNoStartProgram);
}

/** True if it sleeps, its options' pipe is still open, and it is no orphan: its supervisor has not sent them yet. */
function isWaiting(pid: number | string): boolean {
  const words = textOf(`/proc/${pid}/cmdline`).split("\0");
  const options = words[words.indexOf("--args") + 1] ?? "";
  const isUnread = (): boolean => namesIn(`/proc/${pid}/fd`).includes(options);
  if (childrenOf(pid).length > 0 || !isUnread()) return false;
  const status = textOf(`/proc/${pid}/status`);
  const parent = /^PPid:\s*(\d+)/m.exec(status)?.[1] ?? "1";
  const isOrphan = ["1", ...processesAbove()].includes(parent);
  return /^State:\s*S/m.test(status) && !isOrphan && isUnread();
}

function textOf(file: string): string {
  return orNull(() => readFileSync(file, "latin1")) ?? "";
}
