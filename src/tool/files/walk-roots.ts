import { isInside } from "../../profile/path.ts";
import type { Root } from "../facts.ts";
import type { Touch, TouchedPath } from "./file-tool.ts";

/** Maximum time of one walk through one root, in milliseconds. */
export const WALK_MS = 10_000;

/** Starts of a walk: the written path, or every root that is readable without approval. */
export function startsOf(written: string | undefined, roots: readonly Root[]): readonly Touch[] {
  const starts = written === undefined ? openRoots(roots).map(({ name }) => `${name}:`) : [written];
  const argument = written === undefined ? null : "path";
  return starts.map((start) => ({ written: start, argument, need: "read", end: "followed" }));
}

/** A root inside another one is walked with the outer one. */
function openRoots(roots: readonly Root[]): readonly Root[] {
  const open = roots.filter((root) => !root.readApproval);
  return open.filter((root) => !open.some((other) => other !== root && isInside(root.path, other.path)));
}

/** Results from several roots together, up to a maximum. */
export interface Gathered<Found, Stopped> {
  readonly found: readonly Found[];
  readonly stopped: Stopped | null;
}

/** Walks one start after the other until enough is found, or a walk ends early. */
export async function gather<Found, Stopped extends string>(
  targets: readonly TouchedPath[],
  max: number,
  walk: (
    target: TouchedPath,
    max: number,
  ) => Promise<{ readonly found: readonly Found[]; readonly stopped: Stopped | null }>,
): Promise<Gathered<Found, Stopped>> {
  const found: Found[] = [];
  for (const target of targets) {
    const one = await walk(target, max - found.length);
    found.push(...one.found);
    if (one.stopped !== null) return { found, stopped: one.stopped };
  }
  return { found, stopped: null };
}
