/** The least of so many runs is what the work takes: the rest is the machine's, or the collector's. */
const RUNS = 3;
/** What else a machine does may still fall on all of them: what is linear holds in one of so many tries. */
const TRIES = 5;

/** What is that fast is hardly measured at all. */
const CLOCK_MS = 20;

/**
 * Whether work takes time in proportion to its input: four times as much takes no more than eight times as long (what
 * is quadratic takes sixteen times as long), and no longer than `maxMs`. Time of this thread alone.
 */
export function isLinear(work: (length: number) => void, length: number, maxMs: number): boolean {
  work(length >> 4);
  return Array.from({ length: TRIES }).some(() => {
    const quarter = leastMs(work, length >> 2);
    const whole = leastMs(work, length);
    return whole < maxMs && whole < 8 * quarter + CLOCK_MS;
  });
}

function leastMs(work: (length: number) => void, length: number): number {
  const times = Array.from({ length: RUNS }, () => {
    const began = process.threadCpuUsage().user;
    work(length);
    return (process.threadCpuUsage().user - began) / 1_000;
  });
  return Math.min(...times);
}
