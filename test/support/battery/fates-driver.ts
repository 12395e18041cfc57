/**
 * A process that asks about a call, says yes to it and runs it, over a store that outlives it: `fates-driver.ts JOB`.
 * It kills itself at the step of the store that the job says, before the step or behind it; without that it prints how
 * many there are.
 */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { thisHost } from "../../../src/host/look/host.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { createSupervisor } from "../../../src/session/supervisor.ts";
import { SqliteStore } from "../../../src/store/sqlite.ts";

/** What it is to do. */
const FatesJob = z.strictObject({
  config: z.string(),
  cwd: z.string(),
  store: z.string(),
  script: z.string(),
  /** The number of the step at which it ends, from 1; null: none. */
  killAt: z.int().nullable(),
});

const job = FatesJob.parse(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")));
let count = 0;

async function mortally<Result>(step: () => Promise<Result>): Promise<Result> {
  next();
  const result = await step();
  next();
  return result;
}

function next(): void {
  count += 1;
  if (count === job.killAt) process.kill(process.pid, "SIGKILL");
}

/** A store of which every step is one at which the process may end, before it or behind it. */
class Mortal extends SqliteStore {
  override add(...given: Parameters<SqliteStore["add"]>) {
    return mortally(() => super.add(...given));
  }

  override resolve(...given: Parameters<SqliteStore["resolve"]>) {
    return mortally(() => super.resolve(...given));
  }

  override claim(...given: Parameters<SqliteStore["claim"]>) {
    return mortally(() => super.claim(...given));
  }

  override finish(...given: Parameters<SqliteStore["finish"]>) {
    return mortally(() => super.finish(...given));
  }

  override keepAlive(...given: Parameters<SqliteStore["keepAlive"]>) {
    return mortally(() => super.keepAlive(...given));
  }
}

const store = new Mortal(absolutePath(job.store));
const host = thisHost({ operatorFolders: [] });
await using supervisor = await createSupervisor({
  host,
  config: job.config,
  cwd: absolutePath(job.cwd),
  store,
});
await using session = supervisor.session();
const outcome = await session.call("shell", { script: job.script });
if (outcome.kind !== "pending") throw new Error(JSON.stringify(outcome));
const { approvalId } = outcome;
await supervisor.broker.respond(approvalId, { approved: true }, "ann");
const ended = await supervisor.resume(approvalId);
console.log(JSON.stringify({ count, kind: ended.kind }));
