import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TestTree } from "./tree.ts";

/**
 * The twin of every swap of names: checks where a path leads, and then opens it, until it was led outside both when it read
 * and when it wrote, or the time is up, in milliseconds. Says which of the two it was: [read, written].
 */
export async function ledOutside(tree: TestTree, maxMs: number): Promise<readonly [boolean, boolean]> {
  const isInside = (path: string): boolean => realpathSync(path).startsWith(`${tree.root}/`);
  const until = performance.now() + maxMs;
  let [hasLeaked, hasChanged] = [false, false];
  for (let round = 0; !(hasLeaked && hasChanged) && performance.now() < until; round += 1) {
    if (round % 100 === 0) await nextTurn();
    try {
      const path = join(tree.root, "dir/secret");
      if (isInside(path)) hasLeaked ||= readFileSync(path, "utf8") === "OUTSIDE";
      const written = join(tree.root, "dir/written");
      if (isInside(written)) writeFileSync(written, "naive");
      hasChanged ||= readFileSync(join(tree.outside, "written"), "utf8") === "naive";
    } catch {
      hasLeaked ||= false; // a name that is away for a moment
    }
  }
  return [hasLeaked, hasChanged];
}
