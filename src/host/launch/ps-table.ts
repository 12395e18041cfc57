import { absolutePath } from "../../profile/path.ts";
import { orNull } from "../or-null.ts";
import { pause } from "../pause.ts";
import { codeOf } from "../system-error.ts";
import type { ProcessStatus, ProcessTable } from "./process-table.ts";
import { askNowForText } from "./spawn.ts";

/**
 * macOS: ps(1), which shows other users' processes too, and those that wait for their parent. A start is in whole
 * seconds since 1970; there a pid returns after 99,999 others, which no machine starts within one. Each look takes some
 * milliseconds: so kill(2) alone finds a free pid, and looks are further apart.
 */
export function psTable(read: ReadPs = readPs): ProcessTable {
  const status = (pid: number): ProcessStatus | null =>
    hasPid(pid) ? (read(["-p", String(pid)]).find((one) => one.pid === pid) ?? null) : null;
  return {
    status,
    hasPid,
    firstChild: (parent) => read(["-A"]).find((one) => one.parent === parent) ?? null,
    below: (pid) => orNull(() => allBelow(pid, read(["-A"]))) ?? [],
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

/** Asks `ps` for the selected processes, itself left out. Throws the system's error if that fails. */
export type ReadPs = (selection: readonly string[]) => readonly ProcessStatus[];

const PAUSE_MS = 20;
const PS = absolutePath("/bin/ps");

/** One option each: after `=` all the rest would be the column's heading (ps(1), `-o`). The date has spaces in it. */
const COLUMNS = ["pid=", "ppid=", "state=", "lstart="].flatMap((column) => ["-o", column]);

/** The date is written as `%c` of strftime(3), so both the language and the zone are set. */
const ENVIRONMENT = { LC_ALL: "C", TZ: "UTC0" };

function readPs(selection: readonly string[]): readonly ProcessStatus[] {
  const { pid: ownPid, status, stdout } = askNowForText(PS, [...selection, ...COLUMNS], ENVIRONMENT);
  // Status 1 means that it found no process.
  if (status !== 0 && (status !== 1 || stdout !== ""))
    throw new Error(`${PS} ended with status ${status ?? "none"}`);
  return parsePs(stdout).filter(({ pid }) => pid !== ownPid);
}

/** The output of `ps` in these columns. Throws for any other text. */
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

/** Letters after the first are details of the state; a process that is about to end may have none at all. */
const LINE = /^\s*(\d+)\s+(\d+)\s+(?:(\S)\S*\s+)?((?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)\s.*\S)\s*$/;

/** Uses kill(2) with no signal: only `ESRCH` means that there is none; for other users' processes it is `EPERM`. */
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
