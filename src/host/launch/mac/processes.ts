import { CofferdamError } from "../../../errors.ts";
import type { AbsolutePath } from "../../../profile/path.ts";
import { ask } from "../spawn.ts";

/** One process of the machine, as ps(1) lists it. */
export interface Listed {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly uid: number;
  /** It has ended and waits for its parent. */
  readonly isOver: boolean;
  /** Start time, as a date in words; with the pid it identifies the process. */
  readonly startedAt: string;
}

/** One option each: all text after `=` would be the column's heading (ps(1), `-o`). The date has spaces in it. */
const COLUMNS = ["pid=", "ppid=", "pgid=", "uid=", "state=", "lstart="].flatMap((column) => ["-o", column]);

/** A process about to end may have no state; a date begins with its day, as `%c` of strftime(3). */
const LINE =
  /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(?:([A-Z?]\S*)\s+)?((?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)\s.*\S)\s*$/;

/** Every process, of every user. Throws `SANDBOX_UNAVAILABLE`. */
export async function listProcesses(ps: AbsolutePath): Promise<readonly Listed[]> {
  const { status, stdout } = await ask(ps, ["-A", ...COLUMNS]);
  const listed = stdout.split("\n").flatMap((line): readonly Listed[] => {
    const [, pid, parent, group, uid, state = "", startedAt = ""] = LINE.exec(line) ?? [];
    if (pid === undefined) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        uid: Number(uid),
        isOver: state.startsWith("Z"),
        startedAt,
      },
    ];
  });
  if (status === 0 && listed.some(({ pid }) => pid === process.pid)) return listed;
  throw new CofferdamError("SANDBOX_UNAVAILABLE", `${ps} did not list the processes of this machine`, {
    hint: `run \`${ps} -A\` to see why`,
  });
}

/** Identity of the process: a pid is reused, but not within the second of its start time. */
export function keyOf({ pid, startedAt }: Listed): string {
  return `${pid} ${startedAt}`;
}

/** True if a process is a descendant of another in the list. */
export function isBelow(one: Listed, top: number, all: ReadonlyMap<number, Listed>): boolean {
  return one.parent === top || eldersOf(one, all).some(({ parent }) => parent === top);
}

/** The ancestors of a process, nearest first, as far as they are in the list. */
export function eldersOf(one: Listed, all: ReadonlyMap<number, Listed>): readonly Listed[] {
  const elders = new Set<Listed>();
  for (let at = all.get(one.parent); at !== undefined && !elders.has(at); at = all.get(at.parent))
    elders.add(at);
  return [...elders];
}
