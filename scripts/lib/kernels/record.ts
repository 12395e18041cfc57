import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Kernel } from "./archive.ts";
import { JOBS } from "./job.ts";
import type { Outcome } from "./outcome.ts";

const FILE = join(import.meta.dirname, "../../../docs/reference/kernels.json");

/** The results on one kernel, without jobs that failed when they were last tried. */
export const KernelRecord = z.strictObject({
  series: z.string(),
  /** The package and its version. */
  version: z.string(),
  /** The machine's own facts: see the end of `inside.sh`. */
  facts: z.record(z.string(), z.string()),
  /** By the names of jobs. */
  seen: z.record(z.string(), z.string()),
});
export type KernelRecord = z.infer<typeof KernelRecord>;

/** The file of `scripts/kernels --record`, in the order of the series. */
export function readRecords(): readonly KernelRecord[] {
  return existsSync(FILE) ? z.array(KernelRecord).parse(JSON.parse(readFileSync(FILE, "utf8"))) : [];
}

/** Records the results of jobs on a kernel, whose machine left its facts in `out`. */
export function record(kernel: Kernel, outcomes: readonly Outcome[], out: string): void {
  const records = recorded(readRecords(), kernel, readFacts(out), outcomes);
  writeFileSync(FILE, `${JSON.stringify(records, null, 2)}\n`);
}

/** The same without the file. Results of an older kernel of the series do not count. */
export function recorded(
  records: readonly KernelRecord[],
  { series, version }: Pick<Kernel, "series" | "version">,
  facts: Readonly<Record<string, string>>,
  outcomes: readonly Pick<Outcome, "job" | "problems" | "seen">[],
): readonly KernelRecord[] {
  const before = records.find((one) => one.version === version)?.seen ?? {};
  const held = new Map(Object.entries(before));
  for (const { job, problems, seen } of outcomes)
    if (problems.length === 0) held.set(job.name, seen);
    else held.delete(job.name);
  const inOrder = JOBS.flatMap(({ name }): readonly (readonly [string, string])[] =>
    held.has(name) ? [[name, held.get(name) ?? ""]] : [],
  );
  const now = { series, version, facts, seen: Object.fromEntries(inOrder) };
  return [...records.filter((one) => one.series !== series), now].toSorted((a, b) =>
    a.series.localeCompare(b.series, "en", { numeric: true }),
  );
}

/** True where every job held. */
export function isWhole({ seen }: Pick<KernelRecord, "seen">): boolean {
  return JOBS.every(({ name }) => seen[name] !== undefined);
}

/** The lines `name=value` that a machine left. */
function readFacts(out: string): Readonly<Record<string, string>> {
  const lines = readFileSync(join(out, "facts"), "utf8").trim().split("\n");
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}
