import { setTimeout as pause } from "node:timers/promises";
import { absolutePath } from "../profile/path.ts";
import type { ProcessStatus, ProcessTable } from "./process-table.ts";
import { askNowForText } from "./spawn.ts";
import { codeOf } from "./system-error.ts";

/**
 * macOS: ps(1), which shows other users' processes too, and those that wait for their parent. A start is told in whole
 * seconds since 1970; there a pid comes round again behind 99,999 others, which no machine starts within one.
 * Each look takes some milliseconds: so a pid that nobody has is told by kill(2) alone, and looks are further apart.
 */
export function psTable(read: ReadPs = readPs): ProcessTable {
  const status = (pid: number): ProcessStatus | null =>
    hasPid(pid) ? (read(["-p", String(pid)]).find((one) => one.pid === pid) ?? null) : null;
  return {
    status,
    hasPid,
    firstChild: (parent) => read(["-A"]).find((one) => one.parent === parent) ?? null,
    below: (pid) => {
      try {
        return allBelow(pid, read(["-A"]));
      } catch {
        return [];
      }
    },
    watch: ({ pid, startedAt }) => ({
      isRunning: () => {
        try {
          const now = status(pid);
          return now !== null && now.startedAt === startedAt && now.state !== "Z";
        } catch {
          return true;
        }
      },
      [Symbol.dispose]: () => undefined,
    }),
    pause: () => pause(PAUSE_MS),
  };
}

/** Asks `ps` for those that its words select, itself left out. Throws the system's error where that can't be told. */
export type ReadPs = (selection: readonly string[]) => readonly ProcessStatus[];

const PAUSE_MS = 20;
const PS = absolutePath("/bin/ps");

/** One option each: behind `=` all that follows would be the column's heading (ps(1), `-o`). The date has spaces in it. */
const COLUMNS = ["pid=", "ppid=", "state=", "lstart="].flatMap((column) => ["-o", column]);

/** The date is written as `%c` of strftime(3), so both the language and the zone are said. */
const ENVIRONMENT = { LC_ALL: "C", TZ: "UTC0" };

function readPs(selection: readonly string[]): readonly ProcessStatus[] {
  const { pid: ownPid, status, stdout } = askNowForText(PS, [...selection, ...COLUMNS], ENVIRONMENT);
  // With status 1 it says that it found nobody.
  if (status !== 0 && (status !== 1 || stdout !== ""))
    throw new Error(`${PS} ended with status ${status ?? "none"}`);
  return parsePs(stdout).filter(({ pid }) => pid !== ownPid);
}

/** What `ps` wrote in these columns. Throws where it wrote anything else. */
export function parsePs(text: string): readonly ProcessStatus[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, pid, parent, state = "?", date] = LINE.exec(line) ?? [];
      const startedMs = Date.parse(`${date} UTC`);
      if (pid === undefined || parent === undefined || Number.isNaN(startedMs))
        throw new Error(`${PS} wrote a line that can't be read: ${line}`);
      return { pid: Number(pid), parent: Number(parent), state, startedAt: String(startedMs / 1_000) };
    });
}

/** Letters behind the first say more of the state, and of a process that is about to end there may be none at all. */
const LINE = /^\s*(\d+)\s+(\d+)\s+(?:(\S)\S*\s+)?((?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)\s.*\S)\s*$/;

/** By kill(2) with no signal: only `ESRCH` says that there is none; to a process of others it says `EPERM`. */
function hasPid(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return codeOf(cause) !== "ESRCH";
  }
}

function allBelow(pid: number, all: readonly ProcessStatus[]): readonly ProcessStatus[] {
  return all
    .filter((one) => one.parent === pid && one.pid !== pid)
    .flatMap((child) => [child, ...allBelow(child.pid, all)]);
}
