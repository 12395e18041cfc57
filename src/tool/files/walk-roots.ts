import { isInside } from "../../profile/path.ts";
import type { Root } from "../facts.ts";
import type { Target, Touch } from "./file-tool.ts";

/** How long one walk through one root may take, in milliseconds. */
export const WALK_MS = 10_000;

/** Where a walk begins: at the path that was written, or at every root that can be read without asking. */
export function startsOf(written: string | undefined, roots: readonly Root[]): readonly Touch[] {
  const starts = written === undefined ? openRoots(roots).map(({ name }) => `${name}:`) : [written];
  const argument = written === undefined ? null : "path";
  return starts.map((start) => ({ written: start, argument, need: "read", end: "followed" }));
}

/** A root that lies in another one is walked with that. */
function openRoots(roots: readonly Root[]): readonly Root[] {
  const open = roots.filter((root) => !root.readApproval);
  return open.filter((root) => !open.some((other) => other !== root && isInside(root.path, other.path)));
}

/** What was found in several roots together, up to a number. */
export interface Gathered<Found, Stopped> {
  readonly found: readonly Found[];
  readonly stopped: Stopped | null;
}

/** Walks one start after the other until enough was found, or a walk ended early. */
export async function gather<Found, Stopped extends string>(
  targets: readonly Target[],
  most: number,
  walk: (
    target: Target,
    most: number,
  ) => Promise<{ readonly found: readonly Found[]; readonly stopped: Stopped | null }>,
): Promise<Gathered<Found, Stopped>> {
  const found: Found[] = [];
  for (const target of targets) {
    const one = await walk(target, most - found.length);
    found.push(...one.found);
    if (one.stopped !== null) return { found, stopped: one.stopped };
  }
  return { found, stopped: null };
}
