/** A supervisor as a process of its own: does the job in the file that it is given, and prints a line for each reply. */
import { readFileSync } from "node:fs";
import { doJob } from "./do-job.ts";
import { Job } from "./job.ts";

try {
  const job = Job.parse(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")));
  await doJob(job, (reply) => process.stdout.write(`${JSON.stringify(reply)}\n`));
} finally {
  process.stdin.destroy();
}
