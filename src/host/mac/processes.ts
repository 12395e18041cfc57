import { CofferdamError } from "../../errors.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import { ask } from "../spawn.ts";

/** One process of the machine, as ps(1) lists it. */
export interface Listed {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly uid: number;
  /** It has ended and waits for its parent. */
  readonly isOver: boolean;
  /** When it started, as a date in words; with the pid it says which process it is. */
  readonly startedAt: string;
}

/** One option each: behind `=` all that follows would be the column's heading (ps(1), `-o`). The date has spaces in it. */
const COLUMNS = ["pid=", "ppid=", "pgid=", "uid=", "state=", "lstart="].flatMap((column) => ["-o", column]);

/** Of a process that is about to end there may be no state at all; a date begins with its day, as `%c` of strftime(3). */
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
  throw new CofferdamError("SANDBOX_UNAVAILABLE", `${ps} does not list the processes of this machine`, {
    hint: `run \`${ps} -A\` to see why`,
  });
}

/** Which process: a pid comes round again, but not within the second that its start says. */
export function keyOf({ pid, startedAt }: Listed): string {
  return `${pid} ${startedAt}`;
}

/** Whether a process lies below another in the list: its child, or that one's, and so on. */
export function isBelow(one: Listed, top: number, all: ReadonlyMap<number, Listed>): boolean {
  return one.parent === top || eldersOf(one, all).some(({ parent }) => parent === top);
}

/** The parent of a process, that one's, and so on, as far as they are in the list. */
export function eldersOf(one: Listed, all: ReadonlyMap<number, Listed>): readonly Listed[] {
  const elders = new Set<Listed>();
  for (let at = all.get(one.parent); at !== undefined && !elders.has(at); at = all.get(at.parent))
    elders.add(at);
  return [...elders];
}
