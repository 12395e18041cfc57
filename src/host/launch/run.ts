import type { MountPlan, Plan } from "../../backend/plan.ts";
import { goLine } from "../../backend/proxy-way.ts";
import { CofferdamError } from "../../errors.ts";
import { Connector } from "./connector.ts";
import { untilDelivered } from "./delivery.ts";
import { firstProcessOf, untilEnd } from "./ending.ts";
import { runRules } from "./mac/run-rules.ts";
import { MaskWatch } from "./mask-watch.ts";
import { Capture, MAX_KEPT } from "./output.ts";
import { LifeWatch, type ProcessId } from "./process-id.ts";
import { type Discrepancy, mountDiscrepancies, unprotectedPoints } from "./proof.ts";
import { prove } from "./prove.ts";
import { type Ended, type PlanRunOptions, SETUP_MS } from "./run-options.ts";
import { SandboxProcess } from "./sandbox-process.ts";
import { ScratchSpace } from "./scratch-space.ts";
import { explainSetupFailure } from "./setup-failure.ts";
import type { LauncherChild } from "./spawn.ts";
import { firstByte, readableAt, StartError, TwoVoices, writableAt } from "./streams.ts";
import { NOBODYS_WINDOW, reportSizes } from "./window.ts";

/**
 * Starts the plan, proves the sandbox, lets the program go, and waits for its end. In order: the call's cgroup; launch;
 * the start program's ready, and its handed-out socket; the proof; the window is the program's; go; output to its end;
 * the mounts once more. In any case no process and no cgroup of the call is left when this returns or throws. Throws
 * `SANDBOX_UNAVAILABLE` if the sandbox could not be built, is not as planned or can't be checked: then nothing ran.
 */
export async function run(plan: Plan, options: PlanRunOptions): Promise<Ended> {
  if (plan.kind === "rules") return runRules(plan, options);
  const { ahead = null, runAs, surroundings } = options;
  const how = {
    hasStdin: options.stdin !== null,
    runAs,
    cgroups: options.cgroups ?? null,
    startedBy: options.startedBy ?? null,
    surroundings,
  };
  await using launched = ahead?.take(plan, how) ?? (await SandboxProcess.start(plan, how));
  launched.sendOptions(plan);
  const ended = await runTo(launched, plan, options, () => ahead?.prepare(plan, how));
  ahead?.rest();
  return ended;
}

async function runTo(
  launched: SandboxProcess,
  plan: MountPlan,
  options: PlanRunOptions,
  onStarted: () => void,
): Promise<Ended> {
  const { child, ended, streams, cgroup } = launched;
  const start = writableAt(child, plan.startFd);
  const bytes = options.outputBytes ?? (options.sinks === null ? MAX_KEPT : Number.POSITIVE_INFINITY);
  const startError = new StartError();
  const voices = new TwoVoices(startError);
  // A terminal has one stream for all output.
  const onTerminal = plan.sizesFd === null ? undefined : startError.aside;
  const captures = [
    new Capture(streams.stdout, bytes, options.sinks?.stdout ?? null, onTerminal),
    new Capture(streams.stderr, bytes, options.sinks?.stderr ?? null, voices.aside),
  ] as const;
  const waiting = untilWaiting(child, ended, plan, options.signal);
  const init = await waiting.catch(async (cause: unknown) => {
    if (cause !== LAUNCHER_ENDED) throw cause;
    await untilDelivered(captures, options.signal);
    throw failed(voices.setupText());
  });
  const secret = await openWayOut(launched, plan, options);
  await using connector = await openWayIn(init, plan, options);
  await cgroup?.admit(init.pid);
  using watch = await prove(init.pid, plan, streams.coverName, options.surroundings);
  using life = new LifeWatch(init);
  using scratch = new ScratchSpace(init);
  const proven = watch.last;
  const changes = (): readonly Discrepancy[] => {
    const now = watch.read();
    return now === proven ? [] : mountDiscrepancies(plan.expects.mounts, now);
  };
  const { stdin, window } = options;
  const { stdin: input, sizes } = streams;
  await window?.open?.();
  // Without a window there are no keystrokes: the input is read as it is.
  const isTyped = input !== null && (window ?? null) !== null;
  using _sizes = sizes === null ? null : reportSizes(window ?? NOBODYS_WINDOW, sizes, isTyped);
  voices.open();
  options.onProven?.({
    changes,
    init,
    input,
    isRunning: () => life.isRunning(),
    keepAlive: (isKept) => launched.keepAlive(isKept),
  });
  if (options.signal?.aborted === true) throw cancelled();
  if (connector !== null) options.wayIn?.open((port) => connector.connect(port));
  start.end(`${goLine(stdin !== null, secret)}\n`);
  onStarted();
  const piped = stdin === null || stdin === "held" || input === null ? null : stdin.pipe(input);
  using masks = new MaskWatch(plan.expects.mounts, watch, options.endsUncovered === true);
  const cause = await untilEnd(child, ended, init, {
    ...options,
    hasTerminal: sizes !== null,
    uncovered: masks.signal,
  });
  if (piped !== null && stdin !== null && stdin !== "held") stdin.unpipe(piped).pause();
  const [mountChanges, reached] = [changes(), cgroup === null ? [] : cgroup.reached()];
  const unprotected = mountChanges.length === 0 ? [] : unprotectedPoints(plan.expects.mounts, watch.last);
  masks.judge();
  const [stdout, stderr] = await untilDelivered(captures, options.signal);
  const [code, { uncovered }, notStarted] = [await ended, masks, startError.reason()];
  const spaceLeft = code === 0 ? [] : scratch.left();
  return {
    cause,
    code,
    stdout,
    stderr,
    mountChanges,
    uncovered,
    unprotected,
    reached,
    notStarted,
    spaceLeft,
  };
}

async function openWayOut(
  { listener }: SandboxProcess,
  { proxy }: MountPlan,
  { egress = null }: PlanRunOptions,
): Promise<string | null> {
  if (proxy === null || listener === null) return null;
  if (egress === null) throw new CofferdamError("INTERNAL", "the call has no egress proxy");
  egress.serve(await listener.server(SETUP_MS));
  return egress.secret;
}

async function openWayIn(
  init: ProcessId,
  { connector: words }: MountPlan,
  { wayIn = null, runAs }: PlanRunOptions,
): Promise<Connector | null> {
  if (words === null) return null;
  if (wayIn === null) throw new CofferdamError("INTERNAL", "no listener for the ports of the call");
  return Connector.start(init, words, runAs);
}

const LAUNCHER_ENDED = new Error("the launcher ended");

async function untilWaiting(
  child: LauncherChild,
  ended: Promise<number>,
  plan: MountPlan,
  signal: AbortSignal | null,
): Promise<ProcessId> {
  let stop = (): void => undefined;
  const stopped = new Promise<"stopped">((resolve) => {
    stop = () => resolve("stopped");
  });
  const timer = setTimeout(stop, SETUP_MS);
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted === true) stop();
  const seen = await Promise.race([
    firstByte(readableAt(child, plan.startFd)),
    ended.then(() => "ended" as const),
    stopped,
  ]);
  clearTimeout(timer);
  signal?.removeEventListener("abort", stop);
  if (seen === "stopped")
    throw signal?.aborted === true ? cancelled() : unavailable("the sandbox was not ready in time");
  if (seen === "ended") throw LAUNCHER_ENDED;
  if (seen === "l")
    throw unavailable("a limit could not be set", "lower `sandbox.limits` to what this machine allows");
  if (seen === "n")
    throw unavailable("the connection to the egress proxy could not be made: perl failed in the sandbox");
  if (seen !== "r") throw LAUNCHER_ENDED;
  const init = firstProcessOf(child, plan.launchers);
  if (init === null) throw unavailable("the sandbox could not be inspected: the launcher has no child");
  return init;
}

function failed(stderr: string): CofferdamError {
  const { cause, fix } = explainSetupFailure(stderr);
  return unavailable(`the sandbox could not be built: ${cause}`, fix);
}

function cancelled(): CofferdamError {
  return unavailable("the call was cancelled before its program was started", "call again");
}

function unavailable(message: string, hint = "run `cofferdam doctor`", cause?: unknown): CofferdamError {
  return new CofferdamError("SANDBOX_UNAVAILABLE", message, { hint, cause });
}
