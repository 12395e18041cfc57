/**
 * Supervisors one after another in one process: does the job of each line that it reads, in the folder and the environment
 * that the line says, and prints a line with all replies to it. It ends with its input.
 */
import { createInterface } from "node:readline";
import { doJob } from "./do-job.ts";
import type { Reply } from "./job.ts";
import { type Served, Serving } from "./serving-job.ts";

// Whoever asks may go before it has its answer, as a test does whose time is over.
process.stdout.on("error", () => process.exit());

for await (const line of createInterface({ input: process.stdin })) {
  const { job, env } = Serving.parse(JSON.parse(line));
  process.env = { ...env };
  process.chdir(job.cwd);
  const replies: Reply[] = [];
  let problem: string | null = null;
  try {
    await doJob(job, (reply) => replies.push(reply));
  } catch (cause) {
    problem = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  }
  // The folder of the job may go with its test.
  process.chdir("/");
  const served: Served = { replies, problem };
  process.stdout.write(`${JSON.stringify(served)}\n`);
}
