/** A supervisor as a process of its own: does the job in the file that it is given, and prints a line for each reply. */
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { CofferdamError } from "../../../src/errors.ts";
import { thisHost } from "../../../src/host/host.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import type { Outcome } from "../../../src/supervisor/outcome.ts";
import { createSupervisor } from "../../../src/supervisor/supervisor.ts";
import { Job, type Reply } from "./job.ts";

const job = Job.parse(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")));
const helpers = job.helperFolders === null ? {} : { helperFolders: job.helperFolders.map(absolutePath) };

try {
  const found = thisHost({ operatorFolders: [], ...helpers });
  const host =
    job.home === null ? found : { ...found, user: { ...found.user, home: absolutePath(job.home) } };
  const config = job.config === null ? {} : { config: job.config };
  await using supervisor = await createSupervisor({
    host,
    cwd: absolutePath(job.cwd),
    profiles: job.profiles,
    ...config,
  });
  print({ kind: "made" });
  const session = supervisor.session({ caller: "person" });
  const beside: Promise<void>[] = [];
  for (const { argv, stdin = "none", afterMs } of job.calls) {
    const run = async (): Promise<void> => {
      if (afterMs !== undefined) await pause(afterMs);
      await session
        .call({ argv }, stdin === "inherit" ? { stdin: process.stdin } : {})
        .then((outcome) => print(replyOf(outcome)), printThrown);
    };
    if (afterMs === undefined) await run();
    else beside.push(run());
  }
  await Promise.all(beside);
} catch (cause) {
  printThrown(cause);
} finally {
  process.stdin.destroy();
}

function replyOf(outcome: Outcome): Reply {
  if (!("receipt" in outcome)) {
    return { kind: "denied", code: String(outcome.code), message: outcome.reason, hint: outcome.hint };
  }
  const { code, stdout, stderr, receipt } = outcome;
  const standings = Object.fromEntries(Object.entries(receipt.standings).map(([id, one]) => [id, one.kind]));
  return {
    kind: "ran",
    code,
    stdout: stdout.bytes.toString(),
    stderr: stderr.bytes.toString(),
    runAs: receipt.runAs,
    standings,
  };
}

function printThrown(cause: unknown): void {
  if (!(cause instanceof CofferdamError)) throw cause;
  print({ kind: "threw", code: cause.code, message: cause.message, hint: cause.hint ?? "" });
}

function print(reply: Reply): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
