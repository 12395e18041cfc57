/** A supervisor as a process of its own: does the job in its argument, and prints a report as its last line. */
import { readdirSync, readFileSync } from "node:fs";
import { knownPath } from "../../../src/profile/path.ts";
import { agreementCase, RARE_CASES, tryAgreement } from "./agreement.ts";
import { tryCases } from "./battery.ts";
import { tryExplain } from "./explain.ts";
import { tryFound } from "./found-battery.ts";
import { tryMutants } from "./mutant-battery.ts";
import { pair, tryNeverWiden } from "./never-widen.ts";
import { Job, type Report } from "./report.ts";
import { type Stage, setStage } from "./stage.ts";

const job = Job.parse(JSON.parse(process.argv[2] ?? ""));
using stage = await setStage(job.places.map(knownPath), knownPath(job.stateFolder), job.canMount);
const report: Report = { ...(await work(stage)), left: leftBy(stage) };
process.stdout.write(`${JSON.stringify(report)}\n`);

function work(on: Stage): Promise<Omit<Report, "left">> {
  switch (job.kind) {
    case "agreement":
      return tryCases(job, agreementCase, tryAgreement(on), RARE_CASES);
    case "never-widen":
      return tryCases(job, pair, tryNeverWiden(on));
    case "explain":
      return tryCases(job, agreementCase, tryExplain(on));
    case "mutants":
      return tryMutants(on, job);
    case "found":
      return tryFound(on);
  }
}

/** Placeholders that are still held, processes that still run, and trees that still stand. */
function leftBy({ ledger, places }: Stage): readonly string[] {
  const children = readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean),
  );
  return [
    ...[...ledger.held()].map((path) => `the placeholder ${path}`),
    ...children.map((pid) => `the process ${pid}`),
    ...places.flatMap((place) => readdirSync(place).map((name) => `the tree ${name}`)),
  ];
}
