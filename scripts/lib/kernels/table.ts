import type { Kernel } from "./archive.ts";
import type { Outcome } from "./outcome.ts";

/** A kernel, and the results of its jobs. */
export interface Tried {
  readonly kernel: Kernel;
  readonly outcomes: readonly Outcome[];
  /** The folder with its machine's output. */
  readonly out: string;
  /** The reason if the machine ended before its jobs; else null. */
  readonly broken: string | null;
}

/** A row for each job on each kernel, failed ones first, with their failures. */
export function tableOf(tried: readonly Tried[]): string {
  const rows = tried.flatMap(({ kernel, outcomes }) => outcomes.map((outcome) => ({ kernel, ...outcome })));
  const ordered = rows.toSorted((a, b) => Number(b.problems.length > 0) - Number(a.problems.length > 0));
  const broken = tried.flatMap(({ kernel, broken }) =>
    broken === null ? [] : [`FAILED  ${kernel.series.padEnd(5)}  ${broken}`],
  );
  const lines = ordered.flatMap(({ kernel, job, problems, seen, seconds }) => [
    [
      problems.length === 0 ? "holds " : "FAILED",
      kernel.series.padEnd(5),
      (job.user === "root" ? "root" : "ordinary user").padEnd(13),
      job.kind.padEnd(9),
      `${seconds} s`.padStart(7),
      ` ${seen}`,
    ].join("  "),
    ...problems.map((problem) => `        ${problem}`),
  ]);
  return [...broken, ...lines].join("\n");
}
