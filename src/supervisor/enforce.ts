import type { Facts } from "../backend/facts.ts";
import { type Plan, type Standings, weaker } from "../backend/plan.ts";
import { CofferdamError, visible } from "../errors.ts";
import type { EventBody } from "../event/event.ts";
import type { Appearances } from "../host/appeared.ts";
import { failures } from "../host/attest.ts";
import type { Ledger } from "../host/ledger.ts";
import type { Entered } from "../host/live-calls.ts";
import { isOutOfTime } from "../host/processor-time.ts";
import { run } from "../host/run.ts";
import type { Ended, RunOptions } from "../host/run-options.ts";
import type { PortListeners } from "../network/port-listeners.ts";
import { ROOT } from "../profile/path.ts";
import { type Call, wordsOf } from "../tool/call.ts";
import type { MadeByCall } from "./appeared/made-by-call.ts";
import { planBeside, unprotectedBeside } from "./beside.ts";
import type { ProgramFacts } from "./binding.ts";
import type { RunOptions as CallOptions } from "./call-options.ts";
import { endedDenials } from "./ended-denials.ts";
import { belowFloor, weakened } from "./floor.ts";
import { gitDenials } from "./git-denials.ts";
import { grantedView } from "./granted-view.ts";
import { inEnglish } from "./in-english.ts";
import { lookAtProgram } from "./look.ts";
import { usedEvent } from "./network-use.ts";
import type { ProgramOutcome, Ran } from "./outcome.ts";
import type { Side } from "./prepare.ts";
import { lostOf, planned, type Receipt, receiptOf } from "./receipt.ts";
import { Said } from "./said.ts";
import type { Shared } from "./shared.ts";
import type { Standing } from "./standing.ts";
import type { Amender, CallWayOut, WayOutBy } from "./way-out.ts";

/** A call that may run, and the plan it runs under. */
export interface Permitted {
  readonly call: Call;
  readonly side: Side;
  /** What the calls of this tool have in common. */
  readonly standing: Standing;
  readonly plan: Plan;
  /** What others know of it while it runs. */
  readonly live: Entered;
  readonly argsHash: string;
  /** The program that was judged, and shown where somebody was asked. */
  readonly program: ProgramFacts;
  /** What the machine looked like when the call was decided. */
  readonly facts: Facts;
  /** What it makes, as far as hosts execute it. */
  readonly made: MadeByCall;
}

/** Writes one event about the call. */
export type Announce = (body: EventBody) => void;

/**
 * Runs a permitted call inside its walls: the floor is checked, placeholders are held, the plan is started and proven,
 * and what was seen goes into the receipt. Throws `SANDBOX_UNAVAILABLE` when the walls did not stand: then nothing ran.
 */
export async function enforce(
  shared: Shared,
  permitted: Permitted,
  options: CallOptions,
  record: Announce,
  amender: Amender | null,
): Promise<ProgramOutcome> {
  const { walls, ledger, loaded } = shared;
  const { call, side, live, argsHash } = permitted;
  const plan = planBeside(live, permitted);
  if (walls.kind === "unavailable") throw walls.error;
  const { limits } = side.profile;
  const isWatched = options.window !== undefined && options.sinks !== undefined;
  const isHeld = options.stdin === "held";
  const promised = isHeld
    ? timeless(plan.standings, limits)
    : isWatched
      ? unbounded(plan.standings, limits)
      : plan.standings;
  const standings = weakened(promised, failures(walls.machine.attestation));
  const [below] = loaded.config.sandbox.require_os_sandbox
    ? belowFloor(standings, side.profile, permitted.standing.backend)
    : [];
  if (below !== undefined) {
    const why = "reason" in below.standing ? below.standing.reason : below.standing.kind;
    const reason = `${below.protection} can't be enforced as demanded: ${why}`;
    record(ended("denied", { reason: `SANDBOX_UNAVAILABLE: ${reason}` }));
    return { kind: "denied", code: "SANDBOX_UNAVAILABLE", reason, hint: "run `cofferdam doctor`" };
  }
  const wayIn = await openWayIn(plan);
  if (wayIn instanceof CofferdamError) {
    record(ended("denied", { reason: `PORT_IN_USE: ${wayIn.message}` }));
    return { kind: "denied", code: "PORT_IN_USE", reason: wayIn.message, hint: wayIn.hint ?? "" };
  }
  using _ports = wayIn;
  record(
    planned(plan, side.digest, [...Object.keys(side.launch?.env ?? {}), ...(plan.proxy?.variables ?? [])]),
  );
  using wayOut =
    plan.proxy === null ? null : await openWayOut(shared, byWay(side, permitted.standing), amender, record);
  const began = performance.now();
  const said = new Said(plan, call);
  const result = await runHeld(ledger, call.callId, plan, {
    stdin: options.stdin ?? null,
    wallMs: isHeld ? null : shorter(limits.wallMs, options.timeoutMs),
    outputBytes: isWatched || isHeld ? null : (limits.outputBytes ?? null),
    sinks: options.sinks === undefined ? null : said.hear(options.sinks),
    window: options.window ?? null,
    signal: options.signal ?? null,
    runAs: walls.machine.runAs,
    surroundings: walls.surroundings,
    ahead: walls.ahead,
    cgroups: walls.machine.cgroups,
    egress: wayOut,
    wayIn,
    endsUncovered: true,
    onProven: (proven) => {
      assertSameProgram(permitted);
      live.stands(proven.init);
      permitted.made.begin(plan.placeholders);
      record({ type: "walls.proven", backend: plan.backend, standings });
      const { profile } = side;
      const settle = (): Promise<Appearances> => permitted.made.settleMeanwhile();
      options.onProven?.(proven, { profile, view: grantedView(side, permitted.standing.settings), settle });
    },
  });
  // What is seen to after the call may take a person's time.
  wayIn?.[Symbol.dispose]();
  const mountChanges = result.mountChanges.map((change) => change.message);
  const { uncovered } = result;
  const unprotected = unprotectedBeside(shared, permitted.facts, result.unprotected);
  const durationMs = performance.now() - began;
  const appeared = await permitted.made.settle();
  const egress = wayOut?.use() ?? null;
  if (egress !== null) record(usedEvent(egress));
  const receipt = receiptOf({
    plan,
    granted: side.digest,
    argsHash,
    walls,
    standings,
    mountChanges,
    uncovered,
    unprotected,
    appeared,
    egress,
    shortcomings: result.shortcomings ?? [],
    reached: result.reached,
    isOutOfTime: isOutOfTime(result, limits, durationMs),
  });
  const outcome = finish(result, receipt, durationMs, record);
  const text = inEnglish(said.whole(result), side.launch?.env ?? {});
  const { env } = shared.host;
  const denials = [
    ...endedDenials(permitted, plan, { ended: result, kind: outcome.kind, said: text, egress, env }),
    ...gitDenials(permitted, { isFailed: outcome.kind === "failed", said: text }, shared.toldOnce),
  ];
  return denials.length === 0 ? outcome : { ...outcome, denials };
}

function byWay({ profile }: Pick<Side, "profile">, { settings }: Pick<Standing, "settings">): WayOutBy {
  return { profile, upstream: settings.upstream ?? null };
}

/** Loaded when something is to reach hosts: it takes all of HTTP along. */
async function openWayOut(
  shared: Shared,
  by: WayOutBy,
  amender: Amender | null,
  record: Announce,
): Promise<CallWayOut> {
  const { CallWayOut } = await import("./way-out.ts");
  return new CallWayOut(shared, by, amender, record);
}

/**
 * Listens where ports lead into the call; an error where one is in use. Programs under rules share the machine's loopback and
 * listen there themselves: for them it is only tried.
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

/** Its placeholders stand for no longer: folders are then as the next look finds them. */
async function runHeld(ledger: Ledger, callId: string, plan: Plan, options: RunOptions): Promise<Ended> {
  await using _held = await ledger.hold(callId, plan.placeholders);
  return await run(plan, options);
}

/** Nobody's work is cut off before their eyes: on a terminal that somebody looks at, output has no bound. */
function unbounded(standings: Standings, { outputBytes }: Side["profile"]["limits"]): Standings {
  if (outputBytes === undefined) return standings;
  const reason = "what a person is shown on the program's own terminal is not bounded";
  return { ...standings, limits: weaker(standings.limits, { kind: "partial", reason }) };
}

/** What is held ends with its session: time and output are bounded for each thing that it is asked, by whoever asks. */
function timeless(standings: Standings, { wallMs, outputBytes }: Side["profile"]["limits"]): Standings {
  if (wallMs === undefined && outputBytes === undefined) return standings;
  const reason = "a program that is held has no wall time and no bound on its output in all";
  return { ...standings, limits: weaker(standings.limits, { kind: "partial", reason }) };
}

function shorter(a: number | undefined, b: number | undefined): number | null {
  if (a === undefined || b === undefined) return a ?? b ?? null;
  return Math.min(a, b);
}

/** The last look before the program may start. Throws `FACTS_UNSTABLE` where it is another one by now. */
function assertSameProgram({ call, side, standing, program }: Permitted): void {
  const [word] = wordsOf(call.input);
  const now = lookAtProgram(word, side.launch?.cwd ?? ROOT, standing.settings);
  const isSame =
    now.path === program.path &&
    now.real === program.real &&
    now.id === program.id &&
    now.content === program.content;
  if (!isSame)
    throw new CofferdamError("FACTS_UNSTABLE", `${visible(word)} changed right before it was to start`, {
      hint: "run it again when the files are at rest",
    });
}

function finish(
  result: Ended,
  receipt: Receipt,
  durationMs: number,
  record: Announce,
): Extract<ProgramOutcome, Ran> {
  const { code, stdout, stderr, cause } = result;
  const ran: Ran = { code, stdout, stderr, receipt, durationMs };
  const kind = cause === "timed-out" ? "timed-out" : code === 0 && cause === "exited" ? "done" : "failed";
  record(
    ended(kind, {
      code,
      reason: reasonOf(result, receipt),
      durationMs,
      stdoutBytes: stdout.takenBytes + stdout.droppedBytes,
      stderrBytes: stderr.takenBytes + stderr.droppedBytes,
    }),
  );
  return { kind, ...ran };
}

/** Why it ended as it did, and what else its status does not say. */
function reasonOf({ cause, uncovered, shortcomings = [] }: Ended, receipt: Receipt): string | null {
  const { limitsReached } = receipt;
  const reasons = [
    ...(cause === "aborted" ? ["cancelled"] : []),
    ...(uncovered.length === 0 ? [] : [`no longer hidden: ${uncovered.join(", ")}`]),
    ...(limitsReached.length === 0 ? [] : [`limits reached: ${limitsReached.join(", ")}`]),
    ...lostOf(receipt),
    ...shortcomings.map(({ reason }) => reason),
  ];
  return reasons.length === 0 ? null : reasons.join("; ");
}

type Ending = Extract<EventBody, { readonly type: "call.ended" }>;

/** The event that ends a call; what is not said of it did not happen. */
function ended(outcome: Ending["outcome"], said: Partial<Ending>): Ending {
  return {
    type: "call.ended",
    outcome,
    code: null,
    reason: null,
    durationMs: 0,
    stdoutBytes: 0,
    stderrBytes: 0,
    ...said,
  };
}
