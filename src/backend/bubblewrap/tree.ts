import type { Limits } from "../../profile/limits.ts";
import type { Profile } from "../../profile/profile.ts";
import { CONTROLLERS, type Facts } from "../facts.ts";
import type { TreeBounds } from "../plan.ts";

/** Our own processes: the start program, which is the first and waits for the program's end, and the terminal relay. */
const OURS = { start: 1, terminal: 1 } as const;

/** The maximum number of concurrent processes, including our own. */
export function processesInAll({ processes }: Limits, hasTerminal: boolean): number | null {
  if (processes === undefined) return null;
  return processes + OURS.start + (hasTerminal ? OURS.terminal : 0);
}

/**
 * True where the start program bounds processes: for each namespace and user since Linux 5.14 (kernel/ucount.c), but
 * not root.
 */
export function isCountedByUser({ user }: Pick<Facts, "user">): boolean {
  return user.uid !== 0;
}

/** The limits that nothing but a cgroup holds. `firstDoor` is the first free descriptor for its doors. */
export function treeBounds(
  { limits, terminal }: Pick<Profile, "limits" | "terminal">,
  facts: Facts,
  firstDoor: number,
): TreeBounds | null {
  const wanted = {
    memory: limits.memoryBytes ?? null,
    pids: isCountedByUser(facts) ? null : processesInAll(limits, terminal),
  };
  const held = CONTROLLERS.flatMap((name) => {
    const bound = facts.tree[name];
    return wanted[name] !== null && bound.kind === "held" ? [{ name, door: bound.door }] : [];
  });
  if (held.length === 0) return null;
  const has = (name: (typeof CONTROLLERS)[number]): boolean => held.some((one) => one.name === name);
  const doors = [...new Set(held.flatMap(({ door }) => (door === null ? [] : [door])))];
  return {
    memoryBytes: has("memory") ? wanted.memory : null,
    processes: has("pids") ? wanted.pids : null,
    doors: doors.map((_, index) => firstDoor + index),
  };
}
