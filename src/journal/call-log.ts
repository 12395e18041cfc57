import { type Attributes, type Span, SpanStatusCode, trace } from "@opentelemetry/api";
import type { EventBody } from "../event/event.ts";
import { orNull } from "../host/or-null.ts";
import type { Json } from "../policy/canonical-json.ts";
import type { Decision } from "../policy/decision.ts";
import { redactText } from "../policy/redact.ts";
import type { Verdict } from "../policy/verdict.ts";
import type { Recorder } from "./recorder.ts";

const SCOPE = "cofferdam";

/** Maximum length of a reason: an error of a tool may say anything, at any length. */
const MAX_REASON_LENGTH = 16 * 1024;

/** The call of a log. */
export interface LoggedCall {
  readonly sessionId: string;
  readonly callId: string;
  readonly tool: string;
  readonly agent: string | null;
}

type EndedEvent = Extract<EventBody, { readonly type: "call.ended" }>;

/** The recorded end of a call; an omitted field is null or 0. */
export type CallEnd = Pick<EndedEvent, "outcome"> & Partial<Omit<EndedEvent, "type" | "outcome">>;

/** The outcome of a call together with its end in the record. */
export interface EndedCall<Outcome> {
  readonly kind: "ended";
  readonly outcome: Outcome;
  readonly end: CallEnd;
}

/**
 * The log of one call: its events in the journal, and a span with an event for each decision, for collectors of traces
 * (https://opentelemetry.io). Without a collector a span costs nothing. A span never holds arguments or output, nor
 * texts of a tool or a person, which may include them. Errors of a collector are ignored.
 */
export class CallLog implements Disposable {
  readonly callId: string;
  readonly tool: string;
  readonly #recorder: Recorder;
  readonly #call: LoggedCall;
  /** Null if it could not be started. */
  readonly #span: Span | null;
  #hasEnded = false;

  constructor(recorder: Recorder, call: LoggedCall) {
    this.callId = call.callId;
    this.tool = call.tool;
    this.#recorder = recorder;
    this.#call = call;
    const attributes = attributesOf(call, recorder.runId);
    this.#span = orNull(() => trace.getTracer(SCOPE).startSpan(`${SCOPE}.call`, { attributes }));
  }

  /** Records an event. Throws if that fails: then nothing may happen. */
  record(body: EventBody): void {
    this.#recorder.write(this.#call.sessionId, this.callId, body);
    if (body.type === "approval.auto") this.#decided({ approved: body.approved, asked: false });
    if (body.type === "call.ended") this.#trace((span) => span.setAttributes(endingOf(body)));
    if (body.type === "call.ended" && body.outcome === "failed")
      this.#trace((span) => span.setStatus({ code: SpanStatusCode.ERROR }));
  }

  received(safeArgs: Json): void {
    const { tool, agent } = this.#call;
    this.record({ type: "call.received", tool, words: [], safeArgs, cwd: ".", caller: "agent", agent });
  }

  judged({ action, reason, hits }: Verdict): void {
    this.record({ type: "call.judged", action, reason, hits: [...hits] });
  }

  /** Adds an answer, or its absence, to the span. The broker has recorded it already. */
  answered(approvalId: string, decision: Decision): void {
    const by = "by" in decision ? decision.by : "nobody";
    const { status } = decision;
    this.#decided({ approved: status === "approved", status, by, asked: true, approval_id: approvalId });
  }

  /** Records the end of the call, once, and returns its outcome. */
  end<Outcome>({ outcome, end }: EndedCall<Outcome>): Outcome {
    if (this.#hasEnded) return outcome;
    this.#hasEnded = true;
    const { reason = null } = end;
    this.record({
      type: "call.ended",
      code: null,
      durationMs: 0,
      stdoutBytes: 0,
      stderrBytes: 0,
      ...end,
      reason: reason === null ? null : redactText(reason, MAX_REASON_LENGTH).text,
    });
    return outcome;
  }

  [Symbol.dispose](): void {
    this.#trace((span) => span.end());
  }

  #decided(attributes: Attributes): void {
    this.#trace((span) => span.addEvent("approval_decision", attributes));
  }

  /** A collector must never affect a call. */
  #trace(change: (span: Span) => unknown): void {
    const span = this.#span;
    if (span !== null) orNull(() => change(span));
  }
}

function attributesOf({ tool, callId, sessionId, agent }: LoggedCall, runId: string): Attributes {
  return {
    [`${SCOPE}.tool`]: tool,
    [`${SCOPE}.call_id`]: callId,
    [`${SCOPE}.session_id`]: sessionId,
    [`${SCOPE}.run_id`]: runId,
    ...(agent === null ? {} : { [`${SCOPE}.agent`]: agent }),
  };
}

function endingOf({ outcome, code }: EndedEvent): Attributes {
  return { [`${SCOPE}.outcome`]: outcome, ...(code === null ? {} : { [`${SCOPE}.status`]: code }) };
}
