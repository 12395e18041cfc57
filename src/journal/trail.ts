import { type Attributes, type Span, SpanStatusCode, trace } from "@opentelemetry/api";
import type { EventBody } from "../event/event.ts";
import type { Json } from "../policy/canonical-json.ts";
import type { Decision } from "../policy/decision.ts";
import { redactText } from "../policy/redact.ts";
import type { Verdict } from "../policy/verdict.ts";
import type { Recorder } from "./recorder.ts";

/** The name that spans and their attributes begin with. */
const SCOPE = "cofferdam";

/** An error of a tool may say anything, and as much as it likes. */
const MOST_OF_A_REASON = 16 * 1024;

/** Whose trail it is. */
export interface Walker {
  readonly sessionId: string;
  readonly callId: string;
  readonly tool: string;
  readonly agent: string | null;
}

type Ending = Extract<EventBody, { readonly type: "call.ended" }>;

/**
 * What one call leaves behind: its events in the journal, and a span with an event for each decision, for whoever
 * collects traces (https://opentelemetry.io); without a collector a span costs nothing. Arguments and output never stand
 * in a span, nor do words that a tool or a person put together, which may hold them. A collector that throws is left out.
 */
export class Trail implements Disposable {
  readonly callId: string;
  readonly tool: string;
  readonly #recorder: Recorder;
  readonly #walker: Walker;
  /** Null where it could not be begun. */
  readonly #span: Span | null;

  constructor(recorder: Recorder, walker: Walker) {
    this.callId = walker.callId;
    this.tool = walker.tool;
    this.#recorder = recorder;
    this.#walker = walker;
    const attributes = attributesOf(walker, recorder.runId);
    this.#span = attempt(() => trace.getTracer(SCOPE).startSpan(`${SCOPE}.call`, { attributes }));
  }

  /** Writes an event down. Throws when it can't be: then nothing may happen. */
  record(body: EventBody): void {
    this.#recorder.write(this.#walker.sessionId, this.callId, body);
    if (body.type === "approval.auto") this.#decided({ approved: body.approved, asked: false });
    if (body.type === "call.ended") this.#tell((span) => span.setAttributes(endingOf(body)));
    if (body.type === "call.ended" && body.outcome === "failed")
      this.#tell((span) => span.setStatus({ code: SpanStatusCode.ERROR }));
  }

  /** A function tool was called, with these arguments as far as they can be shown. */
  received(safeArgs: Json): void {
    const { tool, agent } = this.#walker;
    this.record({ type: "call.received", tool, words: [], safeArgs, cwd: ".", caller: "agent", agent });
  }

  /** The rules have spoken. */
  judged({ action, reason, hits }: Verdict): void {
    this.record({ type: "call.judged", action, reason, hits: [...hits] });
  }

  /** A person answered, or nobody did. The broker has written it down; here it is told to the span. */
  answered(approvalId: string, decision: Decision): void {
    const by = "by" in decision ? decision.by : "nobody";
    const { status } = decision;
    this.#decided({ approved: status === "approved", status, by, asked: true, approval_id: approvalId });
  }

  /** The call is over; what is not said of it did not happen. */
  ended(outcome: Ending["outcome"], said: Partial<Ending> = {}): void {
    const { reason = null } = said;
    this.record({
      type: "call.ended",
      outcome,
      code: null,
      durationMs: 0,
      stdoutBytes: 0,
      stderrBytes: 0,
      ...said,
      reason: reason === null ? null : redactText(reason, MOST_OF_A_REASON).text,
    });
  }

  [Symbol.dispose](): void {
    this.#tell((span) => span.end());
  }

  #decided(attributes: Attributes): void {
    this.#tell((span) => span.addEvent("approval_decision", attributes));
  }

  #tell(tell: (span: Span) => unknown): void {
    const span = this.#span;
    if (span !== null) attempt(() => tell(span));
  }
}

/** What it makes, or null where it throws: a collector must never decide what becomes of a call. */
function attempt<Made>(make: () => Made): Made | null {
  try {
    return make();
  } catch {
    return null;
  }
}

function attributesOf({ tool, callId, sessionId, agent }: Walker, runId: string): Attributes {
  return {
    [`${SCOPE}.tool`]: tool,
    [`${SCOPE}.call_id`]: callId,
    [`${SCOPE}.session_id`]: sessionId,
    [`${SCOPE}.run_id`]: runId,
    ...(agent === null ? {} : { [`${SCOPE}.agent`]: agent }),
  };
}

function endingOf({ outcome, code }: Ending): Attributes {
  return { [`${SCOPE}.outcome`]: outcome, ...(code === null ? {} : { [`${SCOPE}.status`]: code }) };
}
