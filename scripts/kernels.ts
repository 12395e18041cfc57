import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { constants, homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { setup as bundle } from "./lib/bundle.ts";
import { fetchKernel, type Kernel, SERIES } from "./lib/kernels/archive.ts";
import { JOBS } from "./lib/kernels/job.ts";
import { runMachine } from "./lib/kernels/machine.ts";
import { type Outcome, outcomeOf } from "./lib/kernels/outcome.ts";
import { record } from "./lib/kernels/record.ts";
import { type Tried, tableOf } from "./lib/kernels/table.ts";

const USAGE = `usage: scripts/kernels [--only SERIES] [--job TEXT] [--logs FOLDER] [--record]

  --only SERIES  one of ${SERIES.map(({ name }) => name).join(", ")}
  --job TEXT     jobs whose name holds the text: ${JOBS.map(({ name }) => name).join(", ")}
  --logs FOLDER  keep there what every machine said, and what its jobs said
  --record       write to docs/reference/kernels.json what was seen, for each job that held`;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    job: { type: "string", default: "" },
    logs: { type: "string" },
    record: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit();
}
const series = SERIES.filter(({ name }) => name === (values.only ?? name));
const jobs = JOBS.filter(({ name }) => name.includes(values.job));
if (series.length === 0 || jobs.length === 0) {
  console.error(`scripts/kernels: nothing is called so\n${USAGE}`);
  process.exit(64);
}

const ending = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => {
    process.exitCode = 128 + constants.signals[signal];
    ending.abort();
  });

const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "cofferdam-kernels");
const stage =
  values.logs === undefined ? mkdtempSync(join(tmpdir(), "cofferdam-kernels-")) : resolve(values.logs);
try {
  // The machines run the same bundles as the tests here.
  await bundle();
  const tried: Tried[] = [];
  for (const one of series) tried.push(await tryKernel(fetchKernel(one, cache)));
  report(tried);
} catch (cause) {
  if (!ending.signal.aborted) throw cause;
} finally {
  if (values.logs === undefined) rmSync(stage, { recursive: true, force: true });
}

async function tryKernel(kernel: Kernel): Promise<Tried> {
  const out = join(stage, kernel.series);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  console.error(`${kernel.version}, emulated`);
  const broken = await runMachine({
    ...{ kernel, jobs, out, signal: ending.signal },
    onDone: (job) => {
      const outcome = outcomeOf(job, out);
      console.error(inWords(outcome));
      if (values.record) record(kernel, [outcome], out);
    },
  });
  return { kernel, outcomes: jobs.map((job) => outcomeOf(job, out)), out, broken };
}

/** The table is the last word. */
function report(tried: readonly Tried[]): void {
  console.log(tableOf(tried));
  const isWrong = ({ broken, outcomes }: Tried): boolean =>
    broken !== null || outcomes.some(({ problems }) => problems.length > 0);
  if (tried.some(isWrong)) process.exitCode = 1;
}

function inWords({ job, problems, seen, seconds }: Outcome): string {
  return `  ${job.name}: ${problems.length === 0 ? seen : problems.join("; ")}, ${seconds} s`;
}
