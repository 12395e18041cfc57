import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Job } from "./job.ts";

/** The result of a job. */
export interface Outcome {
  readonly job: Job;
  /** Failures, a line each; empty if all holds. */
  readonly problems: readonly string[];
  /** The result in a few words. */
  readonly seen: string;
  readonly seconds: number;
}

/** The output of `doctor --json`, as far as it is used here. */
const Doctor = z.object({
  problem: z.string().nullable(),
  cgroups: z.int().nullable(),
  tree: z.record(z.string(), z.object({ kind: z.string(), reason: z.string().optional() })),
  probes: z.array(z.object({ name: z.string(), result: z.object({ kind: z.string() }) })),
});

/** The output of `selftest --json`. */
const Selftest = z.object({
  tried: z.array(
    z.object({
      claim: z.string(),
      title: z.string(),
      holds: z.boolean().nullable(),
      control: z.boolean().nullable(),
      note: z.string().nullable(),
    }),
  ),
});

/** The report of Vitest. */
const Tests = z.object({
  numPassedTests: z.int(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

/** Jobs that are tests: their report is a file. */
const TESTS: ReadonlySet<Job["kind"]> = new Set(["agreement", "limits"]);

type Found = Pick<Outcome, "problems" | "seen">;

/** Reads the result of a job from the folder of its machine. A job without output has failed. */
export function outcomeOf(job: Job, out: string): Outcome {
  const text = (ending: string): string => {
    try {
      return readFileSync(join(out, `${job.name}.${ending}`), "utf8");
    } catch {
      return "";
    }
  };
  const ended = text("status");
  if (ended === "") return { job, problems: ["it did not end"], seen: "", seconds: 0 };
  const { problems, seen } = foundBy(job, text(TESTS.has(job.kind) ? "report" : "stdout"));
  const [status = 0, seconds = 0, left = 0] = ended.split(" ").map(Number);
  const ways = [
    ...(status === 0 ? [] : [`it ended with ${status}`]),
    ...(left === 0 ? [] : [`${left} cgroups of calls are left`]),
  ];
  return { job, problems: [...ways, ...problems], seen, seconds };
}

function foundBy({ kind }: Job, report: string): Found {
  try {
    const said: unknown = JSON.parse(report);
    switch (kind) {
      case "doctor":
        return doctorFound(Doctor.parse(said));
      case "selftest":
        return selftestFound(Selftest.parse(said));
      case "agreement":
      case "limits":
        return testsFound(Tests.parse(said));
    }
  } catch {
    return { problems: ["it left no report"], seen: "" };
  }
}

function doctorFound({ problem, cgroups, tree, probes }: z.infer<typeof Doctor>): Found {
  const failed = probes
    .filter(({ result }) => result.kind !== "works")
    .map(({ name }) => `${name} does not work`);
  const absent = Object.entries(tree).flatMap(([name, { kind, reason }]) =>
    kind === "held" ? [] : [`${name}: ${reason ?? kind}`],
  );
  return {
    problems: [
      ...(problem === null ? [] : [problem]),
      ...failed,
      ...(cgroups === 2 ? [] : [`cgroups of version ${cgroups}`]),
      ...absent,
    ],
    seen: counted(probes.length - failed.length, "part works", "parts work"),
  };
}

function selftestFound({ tried }: z.infer<typeof Selftest>): Found {
  const wrong = tried.filter(({ holds, control }) => holds !== true || control === false);
  return {
    problems: wrong.map(
      ({ claim, title, holds, note }) =>
        `${claim}: ${title}: ${holds === true ? "the control failed" : holds === null ? "not tried" : "was done"}${note === null ? "" : ` (${note})`}`,
    ),
    seen: counted(tried.length - wrong.length, "act refused", "acts refused"),
  };
}

/** A skipped test gives its reason, for example that it needs root. If all are skipped, there is no result. */
function testsFound({ numPassedTests, testResults }: z.infer<typeof Tests>): Found {
  const problems = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((one) => one.status === "failed");
    if (status === "failed" && failed.length === 0) return [`${name}: ${firstLine(message)}`];
    return failed.map(
      ({ fullName, failureMessages }) => `${fullName}: ${firstLine(failureMessages?.[0] ?? "")}`,
    );
  });
  return {
    problems: numPassedTests + problems.length === 0 ? ["no test was tried"] : problems,
    seen: counted(numPassedTests, "test passes", "tests pass"),
  };
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}
