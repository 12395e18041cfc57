import { z } from "zod";

/** What a process of its own is to try: how many random cases, from which seed, in which folders. */
export const Job = z.strictObject({
  kind: z.enum(["agreement", "never-widen", "explain", "mutants", "found"]),
  cases: z.int(),
  seed: z.int(),
  places: z.array(z.string()),
  stateFolder: z.string(),
  canMount: z.boolean(),
});
export type Job = z.infer<typeof Job>;

/** What came of a job. Counts are of cases or probes by what happened to them. */
export const Report = z.strictObject({
  /** Cases in which a sandbox was entered, and those whose profile was refused, by field. */
  cases: z.int(),
  refused: z.record(z.string(), z.int()),
  probes: z.int(),
  counts: z.record(z.string(), z.int()),
  /** The first case that broke a law, for a reader; or null. */
  failure: z.string().nullable(),
  /** Placeholders, processes and folders that were left. */
  left: z.array(z.string()).readonly(),
  milliseconds: z.int(),
});
export type Report = z.infer<typeof Report>;

/** Counts while a job runs. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Two reports as one: cases and counts add up, the first failure stays. */
export function together(reports: readonly Report[]): Report {
  const sum = (pick: (report: Report) => Readonly<Record<string, number>>): Record<string, number> => {
    const tally = new Tally();
    for (const report of reports)
      for (const [name, count] of Object.entries(pick(report))) tally.add(name, count);
    return tally.counts();
  };
  const total = (pick: (report: Report) => number): number =>
    reports.reduce((before, report) => before + pick(report), 0);
  return {
    cases: total((report) => report.cases),
    refused: sum((report) => report.refused),
    probes: total((report) => report.probes),
    counts: sum((report) => report.counts),
    failure: reports.find((report) => report.failure !== null)?.failure ?? null,
    left: reports.flatMap((report) => report.left),
    milliseconds: Math.max(...reports.map((report) => report.milliseconds)),
  };
}

/** A table of counts with their shares of a whole. */
export function table(title: string, counts: Readonly<Record<string, number>>, whole: number): string {
  const width = Math.max(...Object.keys(counts).map((name) => name.length));
  const lines = Object.entries(counts).map(
    ([name, count]) =>
      `  ${name.padEnd(width)} ${String(count).padStart(8)}  ${((100 * count) / whole).toFixed(2).padStart(6)} %`,
  );
  return [title, ...lines].join("\n");
}
