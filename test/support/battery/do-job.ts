import { spawnSync } from "node:child_process";
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { type Outcome, type ProgramOutcome, whyNotRun } from "../../../src/decide/outcome.ts";
import { CofferdamError } from "../../../src/errors.ts";
import { thisHost } from "../../../src/host/look/host.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { createSupervisor } from "../../../src/session/supervisor.ts";
import { localOutside } from "../web/local-outside.ts";
import type { Job, Reply } from "./job.ts";

/** Makes a supervisor, has it do a job, and prints a reply for each thing done. What is no `CofferdamError` is thrown. */
export async function doJob(job: Job, print: (reply: Reply) => void): Promise<void> {
  const printThrown = (cause: unknown): void => {
    if (!(cause instanceof CofferdamError)) throw cause;
    print({ kind: "threw", code: cause.code, message: cause.message, hint: cause.hint ?? "" });
  };
  try {
    await doAll(job, print, printThrown);
  } catch (cause) {
    printThrown(cause);
  }
}

async function doAll(
  job: Job,
  print: (reply: Reply) => void,
  printThrown: (cause: unknown) => void,
): Promise<void> {
  const helpers = job.helperFolders === null ? {} : { helperFolders: job.helperFolders.map(absolutePath) };
  const found = thisHost({ operatorFolders: [], ...helpers });
  const host =
    job.home === null ? found : { ...found, user: { ...found.user, home: absolutePath(job.home) } };
  const outside = job.outside === undefined ? found.outside : localOutside(job.outside);
  const config = job.config === null ? {} : { config: job.config };
  const nameFiles = job.nameFiles ?? found.nameFiles();
  const supervisor = await createSupervisor({
    host: { ...host, outside, nameFiles: () => nameFiles },
    cwd: absolutePath(job.cwd),
    profiles: job.profiles,
    ...config,
  });
  await using _unlessLeft = job.isLeft === true ? null : supervisor;
  print({ kind: "made" });
  const session = supervisor.session({ caller: "person" });
  const beside: Promise<void>[] = [];
  for (const { argv, cwd, ports, stdin = "none", typed, afterMs } of job.calls) {
    const options =
      typed !== undefined
        ? { window: { size: () => ({ columns: 91, rows: 33 }) }, stdin: Readable.from([typed]) }
        : stdin === "inherit"
          ? { stdin: process.stdin }
          : {};
    const run = async (): Promise<void> => {
      if (afterMs !== undefined) await pause(afterMs);
      await session
        .call("shell", cwd === undefined ? { argv, ports } : { argv, ports, cwd }, options)
        .then((outcome) => print(replyOf(outcome)), printThrown);
    };
    if (afterMs === undefined) await run();
    else beside.push(run());
  }
  await Promise.all(beside);
  for (let round = 0; round < (job.rounds ?? 1); round += 1)
    for (const step of job.steps ?? []) {
      if ("run" in step) {
        const [program = "", ...words] = step.run;
        const { status, stderr } = spawnSync(program, words, { encoding: "utf8" });
        if (status !== 0) throw new Error(`${step.run.join(" ")}: ${stderr}`);
      } else print(toldOf(await session.call(step.tool, step.input)));
    }
}

function replyOf(outcome: ProgramOutcome): Reply {
  if (!("receipt" in outcome)) {
    const { reason: message, hint } = whyNotRun(outcome);
    return { kind: "denied", code: "code" in outcome ? String(outcome.code) : "USAGE", message, hint };
  }
  const { code, stdout, stderr, receipt } = outcome;
  const standings = Object.fromEntries(
    Object.entries(receipt.enforcement).map(([id, one]) => [id, one.kind]),
  );
  return {
    kind: "ran",
    code,
    stdout: stdout.bytes.toString(),
    stderr: stderr.bytes.toString(),
    runAs: receipt.runAs,
    standings,
    limits: "reason" in receipt.enforcement.limits ? receipt.enforcement.limits.reason : "",
    limitsReached: [...receipt.limitsReached],
    ...(receipt.mountChanges.length === 0
      ? {}
      : {
          mounts: {
            changes: [...receipt.mountChanges],
            uncovered: [...receipt.uncovered],
            unprotected: receipt.unprotected.map(obeyed),
          },
        }),
    ...(receipt.ports.length === 0 ? {} : { ports: [...receipt.ports] }),
    ...(receipt.egress === null ? {} : { egress: receipt.egress }),
    ...(receipt.appeared.found.length === 0 ? {} : { appeared: receipt.appeared.found.map(obeyed) }),
    ...(outcome.denials === undefined ? {} : { denials: outcome.denials.map((one) => ({ ...one })) }),
  };
}

function obeyed({ path, runs }: { readonly path: string; readonly runs: readonly string[] }) {
  return { path, runs: [...runs] };
}

function toldOf(outcome: Outcome): Reply {
  const receipt = "receipt" in outcome ? outcome.receipt : null;
  const files = receipt?.enforcement.files.kind ?? null;
  const found = receipt?.appeared.found ?? [];
  const appeared = found.length === 0 ? {} : { appeared: found.map(obeyed) };
  if (outcome.kind === "done" && "value" in outcome)
    return { kind: "told", told: outcome.value, why: null, files, ...appeared };
  const cause = "error" in outcome ? outcome.error : outcome;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : String(cause);
  const why = cause instanceof Error ? cause.message : null;
  return { kind: "told", told: code, why, files, ...appeared };
}
