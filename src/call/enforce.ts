import type { Facts } from "../backend/facts.ts";
import { type EnforcementReport, type Plan, weakest } from "../backend/plan.ts";
import type { ProgramFacts } from "../decide/binding.ts";
import type { CallPolicy } from "../decide/call-policy.ts";
import { belowFloor, weakened } from "../decide/floor.ts";
import { grantedView } from "../decide/granted-view.ts";
import { usedEvent } from "../decide/network-use.ts";
import type { ProgramOutcome, Ran } from "../decide/outcome.ts";
import type { PreparedRun } from "../decide/prepare.ts";
import type { Receipt } from "../decide/receipt.ts";
import { CofferdamError, visible } from "../errors.ts";
import type { EventBody } from "../event/event.ts";
import type { Appearances } from "../host/launch/appeared.ts";
import type { Ledger } from "../host/launch/ledger.ts";
import type { LiveCall } from "../host/launch/live-calls.ts";
import { isOutOfTime } from "../host/launch/processor-time.ts";
import { run } from "../host/launch/run.ts";
import type { Ended, PlanRunOptions } from "../host/launch/run-options.ts";
import { failures } from "../host/launch/self-check.ts";
import type { EndedCall } from "../journal/call-log.ts";
import type { PortListeners } from "../network/port-listeners.ts";
import type { Network } from "../profile/network.ts";
import { ROOT } from "../profile/path.ts";
import { type Call, wordsOf } from "../tool/call.ts";
import type { MadeByCall } from "./appeared/made-by-call.ts";
import type { ProgramRunOptions as CallOptions } from "./call-options.ts";
import { planForShared, unprotectedDuring } from "./concurrency.ts";
import { endedDenials } from "./denials/ended.ts";
import { gitDenials } from "./denials/git.ts";
import { stoppedDenials, whyStopped } from "./denials/stopped.ts";
import { endDeniedBy, endStopped } from "./end-stopped.ts";
import { inEnglish } from "./in-english.ts";
import { lookAtProgram } from "./look.ts";
import { lostOf, planned, receiptOf } from "./receipt.ts";
import { ProgramMessages } from "./said.ts";
import type { SupervisorContext } from "./supervisor-context.ts";
import type { CallWayOut, HostPrompt, WayOutBy } from "./way-out.ts";

/** A call that may run, and the plan it runs under. */
export interface PermittedRun {
  readonly call: Call;
  readonly side: PreparedRun;
  readonly policy: CallPolicy;
  readonly plan: Plan;
  readonly live: LiveCall;
  readonly argsHash: string;
  /** The program that was judged, and shown if a person was asked. */
  readonly program: ProgramFacts;
  readonly facts: Facts;
  readonly made: MadeByCall;
  /** The network that the config leaves to such calls at this moment. */
  readonly networkNow: () => Promise<Network>;
}

/** Records one event about the call. */
export type Announce = (body: EventBody) => void;

/**
 * Runs a permitted call in its sandbox: checks the floor, holds placeholders, starts and proves the plan, and fills the
 * receipt. Throws `SANDBOX_UNAVAILABLE` if the sandbox could not be built: then nothing ran.
 */
export async function enforce(
  shared: SupervisorContext,
  permitted: PermittedRun,
  options: CallOptions,
  record: Announce,
  prompt: HostPrompt | null,
): Promise<EndedCall<ProgramOutcome>> {
  const { sandbox, ledger, loaded } = shared;
  const { call, side, live, argsHash } = permitted;
  const plan = planForShared(live, permitted);
  if (sandbox.kind === "unavailable") throw sandbox.error;
  const { limits } = side.profile;
  const isWatched = options.window !== undefined && options.sinks !== undefined;
  const isHeld = options.stdin === "held";
  const promised = isHeld
    ? timeless(plan.enforcement, limits)
    : isWatched
      ? unbounded(plan.enforcement, limits)
      : plan.enforcement;
  const enforcement = weakened(promised, failures(sandbox.machine.selfCheckResult));
  const [below] = loaded.config.sandbox.require_os_sandbox
    ? belowFloor(enforcement, side.profile, permitted.policy.backend)
    : [];
  if (below !== undefined) {
    const why = "reason" in below.enforcement ? below.enforcement.reason : below.enforcement.kind;
    const reason = `${below.protection} can't be enforced as required: ${why}`;
    const hint = "run `cofferdam doctor`";
    return endStopped({ kind: "denied", code: "SANDBOX_UNAVAILABLE", reason, hint });
  }
  const wayIn = await openWayIn(plan);
  if (wayIn instanceof CofferdamError) return endDeniedBy(wayIn);
  using _ports = wayIn;
  record(
    planned(plan, side.digest, [...Object.keys(side.launch?.env ?? {}), ...(plan.proxy?.variables ?? [])]),
  );
  const { networkNow } = permitted;
  const by = { profile: side.profile, upstream: permitted.policy.settings.upstream ?? null, networkNow };
  using wayOut = plan.proxy === null ? null : await openWayOut(shared, by, prompt, record);
  const began = performance.now();
  const said = new ProgramMessages(plan, call);
  const result = await runWithPlaceholders(ledger, call.callId, plan, {
    stdin: options.stdin ?? null,
    wallMs: isHeld ? null : shorter(limits.wallMs, options.timeoutMs),
    outputBytes: isWatched || isHeld ? null : (limits.outputBytes ?? null),
    sinks: options.sinks === undefined ? null : said.hear(options.sinks),
    window: options.window ?? null,
    signal: options.signal ?? null,
    runAs: sandbox.machine.runAs,
    surroundings: sandbox.surroundings,
    ahead: sandbox.ahead,
    cgroups: sandbox.machine.cgroups,
    egress: wayOut,
    wayIn,
    endsUncovered: true,
    onProven: (proven) => {
      assertCurrent(shared);
      assertSameProgram(permitted);
      live.stands(proven.init);
      permitted.made.begin(plan.placeholders);
      record({ type: "walls.proven", backend: plan.backend, standings: enforcement });
      const { profile } = side;
      const settle = (): Promise<Appearances> => permitted.made.settleMeanwhile();
      options.onProven?.(proven, { profile, view: grantedView(side, permitted.policy.settings), settle });
    },
  });
  // Work after the call may take a person's time.
  wayIn?.[Symbol.dispose]();
  const mountChanges = result.mountChanges.map((change) => change.message);
  const { uncovered } = result;
  const unprotected = unprotectedDuring(shared, permitted.facts, result.unprotected);
  const durationMs = performance.now() - began;
  const appeared = await permitted.made.settle();
  const egress = wayOut?.use() ?? null;
  if (egress !== null) record(usedEvent(egress));
  const receipt = receiptOf({
    plan,
    granted: side.digest,
    argsHash,
    sandbox,
    enforcement,
    mountChanges,
    uncovered,
    unprotected,
    appeared,
    egress,
    shortcomings: result.shortcomings ?? [],
    reached: result.reached,
    isOutOfTime: isOutOfTime(result, limits, durationMs),
  });
  const stopped = whyStopped(result, options.signal);
  const { outcome, end } = endRan(result, receipt, {
    durationMs,
    whyAborted: stopped?.message ?? "cancelled",
  });
  const text = inEnglish(said.whole(result), side.launch?.env ?? {});
  const { env } = shared.host;
  const denials = [
    ...stoppedDenials(stopped),
    ...endedDenials(permitted, plan, { ended: result, kind: outcome.kind, said: text, egress, env }),
    ...gitDenials(permitted, { isFailed: outcome.kind === "failed", said: text }, shared.reportedOnce),
  ];
  return { kind: "ended", outcome: denials.length === 0 ? outcome : { ...outcome, denials }, end };
}

/** Loaded only if the call may reach hosts: it pulls in all of HTTP. */
async function openWayOut(
  shared: SupervisorContext,
  by: WayOutBy,
  prompt: HostPrompt | null,
  record: Announce,
): Promise<CallWayOut> {
  const { CallWayOut } = await import("./way-out.ts");
  return new CallWayOut(shared, by, prompt, record);
}

/**
 * Listens on ports that lead into the call; returns an error if one is in use. Programs under rules share the machine's
 * loopback and listen there themselves: then this only tests the ports.
 */
async function openWayIn({ kind, ports }: Plan): Promise<PortListeners | CofferdamError | null> {
  if (ports.length === 0) return null;
  const { PortListeners } = await import("../network/port-listeners.ts");
  try {
    const listeners = await PortListeners.listen(ports);
    if (kind === "mounts") return listeners;
    listeners[Symbol.dispose]();
    return null;
  } catch (error) {
    if (error instanceof CofferdamError && error.code === "PORT_IN_USE") return error;
    throw error;
  }
}

/** Runs the plan. Its placeholders are removed at its end, so that the next look finds the folders as before. */
async function runWithPlaceholders(
  ledger: Ledger,
  callId: string,
  plan: Plan,
  options: PlanRunOptions,
): Promise<Ended> {
  await using _held = await ledger.hold(callId, plan.placeholders);
  return await run(plan, options);
}

/** Output on a terminal that a person watches has no bound: their work is not cut off. */
function unbounded(
  enforcement: EnforcementReport,
  { outputBytes }: PreparedRun["profile"]["limits"],
): EnforcementReport {
  if (outputBytes === undefined) return enforcement;
  const reason = "output on the program's own terminal has no limit";
  return { ...enforcement, limits: weakest(enforcement.limits, { kind: "partial", reason }) };
}

/** A resident program ends with its session. Time and output are bounded per task, by the caller. */
function timeless(
  enforcement: EnforcementReport,
  { wallMs, outputBytes }: PreparedRun["profile"]["limits"],
): EnforcementReport {
  if (wallMs === undefined && outputBytes === undefined) return enforcement;
  const reason = "a resident program has no wall time and no limit on its total output";
  return { ...enforcement, limits: weakest(enforcement.limits, { kind: "partial", reason }) };
}

function shorter(a: number | undefined, b: number | undefined): number | null {
  if (a === undefined || b === undefined) return a ?? b ?? null;
  return Math.min(a, b);
}

/** Throws `FACTS_UNSTABLE` if the config, an operator profile or trust changed while the sandbox was built. */
function assertCurrent(shared: SupervisorContext): void {
  if (shared.watch.isCurrent(shared)) return;
  throw new CofferdamError(
    "FACTS_UNSTABLE",
    "the config or an operator profile changed right before the start of the program",
    { hint: "run it again" },
  );
}

/** The last check before the program may start. Throws `FACTS_UNSTABLE` if it is another program by now. */
function assertSameProgram({ call, side, policy, program }: PermittedRun): void {
  const [word] = wordsOf(call.input);
  const now = lookAtProgram(word, side.launch?.cwd ?? ROOT, policy.settings);
  const isSame =
    now.path === program.path &&
    now.real === program.real &&
    now.id === program.id &&
    now.content === program.content;
  if (!isSame)
    throw new CofferdamError("FACTS_UNSTABLE", `${visible(word)} changed right before its start`, {
      hint: "run it again when nothing else changes these files",
    });
}

function endRan(
  result: Ended,
  receipt: Receipt,
  { durationMs, whyAborted }: { readonly durationMs: number; readonly whyAborted: string },
): EndedCall<Extract<ProgramOutcome, Ran>> {
  const { code, stdout, stderr, cause } = result;
  const kind = cause === "timed-out" ? "timed-out" : code === 0 && cause === "exited" ? "done" : "failed";
  return {
    kind: "ended",
    outcome: { kind, code, stdout, stderr, receipt, durationMs },
    end: {
      outcome: kind,
      code,
      reason: reasonOf(result, receipt, whyAborted),
      durationMs,
      stdoutBytes: stdout.takenBytes + stdout.droppedBytes,
      stderrBytes: stderr.takenBytes + stderr.droppedBytes,
    },
  };
}

/** Why it ended, and other facts that its status does not show. */
function reasonOf(
  { cause, uncovered, shortcomings = [] }: Ended,
  receipt: Receipt,
  whyAborted: string,
): string | null {
  const { limitsReached } = receipt;
  const reasons = [
    ...(cause === "aborted" ? [whyAborted] : []),
    ...(uncovered.length === 0 ? [] : [`no longer hidden: ${uncovered.join(", ")}`]),
    ...(limitsReached.length === 0 ? [] : [`limits reached: ${limitsReached.join(", ")}`]),
    ...lostOf(receipt),
    ...shortcomings.map(({ reason }) => reason),
  ];
  return reasons.length === 0 ? null : reasons.join("; ");
}
