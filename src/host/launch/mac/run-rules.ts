import type { RulePlan } from "../../../backend/plan.ts";
import { SAID, TRIED } from "../../../backend/seatbelt/start-program.ts";
import { CofferdamError } from "../../../errors.ts";
import type { Cause } from "../ending.ts";
import { processAt } from "../process-id.ts";
import { type Ended, type PlanRunOptions, SETUP_MS, type Shortcoming } from "../run-options.ts";
import { CallFolder } from "./call-folder.ts";
import { endSandbox } from "./end-sandbox.ts";
import type { RuleGround } from "./ground.ts";
import { LaunchedRules } from "./launched-rules.ts";
import { keyOf, listProcesses } from "./processes.ts";
import type { FirstWord } from "./start-program-channel.ts";
import type { Violation } from "./violation.ts";
import type { LogWatch } from "./violation-log.ts";

/** Time for a program to end after the request, in milliseconds. */
const GRACE_MS = 1_000;

/**
 * Runs a plan of rules. In order: make the call's folder; launch; the start program checks the sandbox and reports;
 * check from outside; start the program; wait for its end; end all that it left; read its output to the end; remove the
 * folder. When this returns or throws, no folder is left, and no process except those reported as shortcomings. Throws
 * `SANDBOX_UNAVAILABLE` if the sandbox could not be built or does not work: then nothing ran.
 */
export async function runRules(plan: RulePlan, options: PlanRunOptions): Promise<Ended> {
  const ground = options.surroundings.rules;
  if (ground === null)
    throw unavailable(`a sandbox of ${plan.backend} can't be built on this platform`, "use macOS");
  const folder = new CallFolder(ground.calls, options.runAs, plan);
  try {
    const { shortcomings = [], ...ended } = await runIn(folder, plan, options, ground);
    const left = await folder.remove(ground.tools);
    return { ...ended, shortcomings: [...shortcomings, ...shortcoming("files", left)] };
  } finally {
    await folder.remove(ground.tools);
  }
}

async function runIn(
  folder: CallFolder,
  plan: RulePlan,
  options: PlanRunOptions,
  ground: RuleGround,
): Promise<Ended> {
  const { signal, stdin, runAs } = options;
  using watch = ground.log?.watch(folder.tag) ?? null;
  await using launched = new LaunchedRules(plan, folder, ground, options);
  const { child, talk } = launched;
  const [, listed] = await Promise.all([untilWaiting(launched, signal), listProcesses(ground.ps)]);
  folder.assertTried();
  launched.open();
  options.onProven?.({
    changes: () => [],
    init: processAt(child.pid ?? 0) ?? { pid: child.pid ?? 0, startedAt: null },
    input: child.stdin,
    isRunning: () => talk.isProgramRunning,
    keepAlive: (isKept) => launched.keepAlive(isKept),
  });
  if (signal?.aborted === true) throw cancelled();
  talk.go(stdin !== null, plan.proxy === null ? null : secretOf(options));
  const input = stdin === "held" ? null : stdin;
  if (input !== null && child.stdin !== null) input.pipe(child.stdin);
  const cause = await untilProgramEnds(launched, options);
  if (input !== null && child.stdin !== null) input.unpipe(child.stdin).pause();
  const uid = runAs?.uid ?? process.getuid?.() ?? 0;
  const before = new Set(listed.map(keyOf));
  const left = await endSandbox({ startProgram: child, talk, before, uid, ground });
  const status = await within(GRACE_MS, talk.ended, null);
  await launched.end();
  const { stdout, stderr } = await launched.delivered(signal);
  const { exitCode, signalCode } = child;
  // The start program may have ended without reporting the program's status.
  const code = status ?? (exitCode === null || signalCode !== null ? 137 : exitCode);
  return {
    cause,
    code,
    refused: code === 0 || watch === null ? [] : await refusedTo(watch, launched),
    stdout,
    stderr,
    mountChanges: [],
    reached: [],
    uncovered: [],
    unprotected: [],
    notStarted: launched.notStarted(),
    shortcomings: shortcoming("processes", left),
  };
}

/** The secret that programs send to the egress proxy, which listens for all calls. */
function secretOf({ egress = null }: PlanRunOptions): string {
  if (egress === null) throw new CofferdamError("INTERNAL", "the call has no egress proxy");
  return egress.secret;
}

/** The logged refusals of the call's own processes, and those that carry its tag. */
async function refusedTo(watch: LogWatch, { child, talk }: LaunchedRules): Promise<readonly Violation[]> {
  const report = await watch.collect([child.pid, talk.helper].filter((pid) => typeof pid === "number"));
  return report.kind === "reported" ? report.sightings.map(({ violation }) => violation) : [];
}

async function untilWaiting(launched: LaunchedRules, signal: AbortSignal | null): Promise<void> {
  const stopped = Promise.withResolvers<"stopped">();
  const stop = (): void => stopped.resolve("stopped");
  const timer = setTimeout(stop, SETUP_MS);
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted === true) stop();
  const first = await Promise.race([launched.talk.first, stopped.promise]);
  clearTimeout(timer);
  signal?.removeEventListener("abort", stop);
  if (first === "stopped")
    throw signal?.aborted === true ? cancelled() : unavailable("the sandbox was not ready in time");
  if (first === null) {
    const { message, hint } = await launched.explainEnd();
    throw unavailable(message, hint);
  }
  if (first.word !== SAID.ready) throw notReady(first);
}

function notReady({ word, rest }: FirstWord): CofferdamError {
  if (word === SAID.limit)
    return unavailable("a limit could not be set", "lower `sandbox.limits` to what this machine allows");
  if (word === SAID.folder)
    return unavailable(
      "the working folder of the call can't be entered in the sandbox",
      "grant it, or start the call in a granted folder",
    );
  const what = new Map<string, string>(Object.entries(TRIED)).get(rest);
  return word === SAID.open && what !== undefined
    ? unavailable(`the sandbox differs from the plan: ${what}`)
    : unavailable("the sandbox differs from the plan: the start program sent an unknown message");
}

/** Waits until the program has ended, the start program is gone, or the grace time after the request to end is over. */
async function untilProgramEnds(launched: LaunchedRules, options: PlanRunOptions): Promise<Cause> {
  const { talk } = launched;
  let cause: Cause = "exited";
  const over = Promise.withResolvers<void>();
  const timers: NodeJS.Timeout[] = [];
  const stop = (why: "timed-out" | "aborted"): void => {
    if (cause !== "exited" || !talk.isProgramRunning) return;
    cause = why;
    launched.ask("SIGTERM");
    timers.push(setTimeout(over.resolve, GRACE_MS));
  };
  const onAbort = (): void => stop("aborted");
  if (options.wallMs !== null) timers.push(setTimeout(() => stop("timed-out"), options.wallMs));
  options.signal?.addEventListener("abort", onAbort, { once: true });
  if (options.signal?.aborted === true) onAbort();
  await Promise.race([talk.ended, talk.closed, launched.exited, over.promise]);
  for (const timer of timers) clearTimeout(timer);
  options.signal?.removeEventListener("abort", onAbort);
  return cause;
}

async function within<Value>(ms: number, wanted: Promise<Value>, otherwise: Value): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Value>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), ms);
  });
  const value = await Promise.race([wanted, late]);
  clearTimeout(timer);
  return value;
}

function shortcoming(protection: Shortcoming["protection"], reason: string | null): readonly Shortcoming[] {
  return reason === null ? [] : [{ protection, reason }];
}

function cancelled(): CofferdamError {
  return unavailable("the call was cancelled before its program was started", "call again");
}

function unavailable(message: string, hint = "run `cofferdam doctor`"): CofferdamError {
  return new CofferdamError("SANDBOX_UNAVAILABLE", message, { hint });
}
