import { expect, it } from "vitest";
import type { Person } from "./people.ts";
import { soak } from "./soak.ts";
import { ENDINGS } from "./soak-job.ts";

/**
 * So much may a call leave in the heap, in bytes. Nothing of it is kept: functions are compiled when they are first called,
 * and optimised when they have often been, some of them only after a thousand calls.
 */
const MAX_PER_CALL = 1_000;

/** Registers the test that so many calls, however they end, leave nothing and need no more at the end than at the beginning. */
export function itLeavesNothing(person: Person, calls: number, timeoutMs: number): void {
  it(`proc, fs.residue, fd: after ${calls} calls of every ending nothing is left, and nothing has grown`, {
    timeout: timeoutMs,
  }, async () => {
    const seed = 1 + Math.floor(Math.random() * 1_000_000);
    const { looks, ends, ...soaked } = await soak(person, calls, seed);
    const [first, last] = [looks.findIndex(({ processes }) => processes === 0), looks.length - 1];
    const [before, after] = [looks[first], looks[last]];
    if (before === undefined || after === undefined || first === last) throw new Error("it was not looked");
    const half = looks.slice(Math.max(first + 1, Math.floor(last / 2)), last);
    const perCall = slope(half.map((look) => [look.calls, look.heapBytes]));
    console.info(
      `as ${person.name}, seed ${seed}: ${soaked.calls} calls in ${soaked.seconds} s, ${soaked.killed} supervisors killed; ${JSON.stringify(ends)}`,
      `\nheap ${mib(before.heapBytes)} to ${mib(after.heapBytes)}, ${Math.round(perCall)} bytes a call of the second half; resident ${mib(before.rssBytes)} to ${mib(after.rssBytes)}; descriptors ${before.descriptors} to ${after.descriptors}, at most ${Math.max(...looks.map((look) => look.descriptors))}`,
    );
    expect([soaked.processes, soaked.residue]).toEqual([[], []]);
    expect([after.processes, after.descriptors, after.listeners]).toEqual([0, before.descriptors, 0]);
    expect(soaked.killed).toBeGreaterThan(0);
    // The twin: calls came to every ending.
    expect(Object.keys(ends).toSorted()).toEqual(expect.arrayContaining([...ENDINGS]));
    expect(after.heapBytes - before.heapBytes).toBeLessThan(2 * 1024 ** 2 + MAX_PER_CALL * calls);
    if (calls >= 1_000) expect(perCall).toBeLessThan(MAX_PER_CALL);
  });
}

/** Of the line through points that misses them least (least squares). */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const along = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return along / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

function mib(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
