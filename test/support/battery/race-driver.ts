/**
 * A supervisor whose sandboxes are built while a program in another supervisor's sandbox swaps a folder for a link to
 * somewhere else, as fast as it can: `race-driver.ts JOB`. Prints what became of the set-ups, and what was made where
 * the link leads.
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CofferdamError } from "../../../src/errors.ts";
import { run } from "../../../src/host/launch/run.ts";
import { thisHost } from "../../../src/host/look/host.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { createSupervisor } from "../../../src/session/supervisor.ts";
import { RaceJob, type RaceResult } from "./job.ts";

/**
 * Swaps two names (renameat2(2), `RENAME_EXCHANGE`) until it is ended, then once more if a link stands there: as fast
 * as it can, and in turn at the pace at which looks and set-ups come.
 */
const SWAP = `my ($at, $link) = @ARGV; my $n = (split " ", qx(uname -m))[0] eq "x86_64" ? 316 : 276;
  open my $ready, ">", "swapping"; close $ready; $SIG{TERM} = sub { $over = 1 };
  until ($over) {
    syscall($n, -100, $at, -100, $link, 2) == 0 or die "renameat2: $!";
    select undef, undef, undef, rand 0.001 if ++$swaps % 20500 > 20000;
  }
  syscall($n, -100, $at, -100, $link, 2) if -l $at`;

const job = RaceJob.parse(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")));
const host = thisHost({ operatorFolders: [] });
const base = { host, cwd: absolutePath(job.ws) };
await using attacker = await createSupervisor({ ...base, config: job.wide });
await using victim = await createSupervisor({
  host,
  cwd: absolutePath(job.root),
  config: job.narrow,
  profiles: [job.profile],
});
const session = victim.session({ caller: "person" });
const prepared = await session.prepare({ argv: ["true"] });
const { rendering } = prepared.withApproval;
const { sandbox, ledger, policy } = victim.shared;
if (rendering.kind !== "plan" || sandbox.kind !== "available") throw new Error(JSON.stringify(rendering));
await using _held = await ledger.hold("race", job.how === "calls" ? [] : rendering.plan.placeholders);
const needs = { ...prepared.facts, writable: [absolutePath(job.root)] };
const plan = job.how === "plain" ? rendering.plan : policy.backend.shelter(rendering.plan, needs);

const stop = new AbortController();
const swapping = job.isSandboxed
  ? attacker
      .session({ caller: "person" })
      .call("shell", { argv: ["perl", "-e", SWAP, job.folder, job.link] }, { signal: stop.signal })
  : new Promise((resolve) => {
      const words = ["-e", SWAP, job.folder, job.link];
      const child = spawn("/usr/bin/perl", words, { cwd: job.ws, stdio: "ignore" });
      child.once("exit", resolve);
      stop.signal.addEventListener("abort", () => child.kill());
    });
while (!readdirSync(job.ws).includes("swapping")) await pause(5);

const result: RaceResult = { ran: 0, refused: 0, notBuilt: 0, made: [] };
for (let tries = 0; tries < maxTries() && !(job.how === "plain" && result.made.length > 0); tries += 2)
  await Promise.all([tryOnce(), tryOnce()]);
stop.abort();
await swapping;
console.log(JSON.stringify(result));

/** Now and then, as the machine takes turns, what is to be seen is in too few of the tries: then there are more. */
function maxTries(): number {
  const { ran, notBuilt } = result;
  const isSeen = { calls: ran + notBuilt > 10, sheltered: Math.min(ran, notBuilt) > 0, plain: true }[job.how];
  return isSeen ? job.tries : Math.max(20 * job.tries, 2_000);
}

async function tryOnce(): Promise<void> {
  try {
    const hasRun = job.how === "calls" ? await call() : await runPlan();
    if (hasRun) result.ran += 1;
    else result.refused += 1;
  } catch (cause) {
    if (!(cause instanceof CofferdamError)) throw cause;
    if (cause.code === "SANDBOX_UNAVAILABLE") result.notBuilt += 1;
    else result.refused += 1;
  }
  for (const name of readdirSync(job.outside)) {
    result.made.push(name);
    rmSync(join(job.outside, name), { recursive: true });
  }
}

async function call(): Promise<boolean> {
  return (await session.call("shell", { argv: ["true"] })).kind === "done";
}

/** The same plan again and again, without any look at the files before. */
async function runPlan(): Promise<boolean> {
  if (sandbox.kind !== "available") return false;
  const { machine, surroundings } = sandbox;
  const { code } = await run(plan, {
    stdin: null,
    wallMs: 20_000,
    outputBytes: 0,
    sinks: null,
    signal: null,
    runAs: machine.runAs,
    surroundings,
    onProven: null,
  });
  return code === 0;
}
