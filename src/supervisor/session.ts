import { z } from "zod";
import { visible } from "../errors.ts";
import type { EventBody } from "../event/event.ts";
import { lookUpFacts } from "../host/facts.ts";
import { type Call, readShellInput, type ShellInput, wordsOf } from "../tool/call.ts";
import { type Approval, readApproval } from "./approval.ts";
import { CALL_OPTIONS, type CallOptions, ended, enforce } from "./enforce.ts";
import { lookAtCall } from "./look.ts";
import { assertOptions, callback, type OptionsOf } from "./options.ts";
import type { Outcome } from "./outcome.ts";
import { type CallFacts, type Prepared, prepare, printShortfalls, type Side, sideOf } from "./prepare.ts";
import type { Shared } from "./shared.ts";

/** What a person is shown before they say yes or no. */
export interface ApprovalRequest {
  readonly call: Call;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly reason: string;
  readonly onYes: Side;
  readonly argsHash: string;
}

/** How a session asks, and what its calls share. */
export interface SessionOptions {
  /** Asks a person. Without it an ask is answered no: silence is never a yes. */
  readonly approve?: (request: ApprovalRequest, signal: AbortSignal | null) => Promise<Approval>;
  readonly caller?: Call["caller"];
}

/** How the same is checked when it comes from JavaScript. */
export const SESSION_OPTIONS: OptionsOf<SessionOptions> = z.strictObject({
  approve: callback("a function that answers `{ approved, by }`").optional(),
  caller: z.enum(["agent", "person"], { error: "`agent` or `person`" }).optional(),
});

/** More changes than this while people think, and the call is given up. */
const MOST_TRIES = 3;

/** Calls of one agent or person. */
export class Session {
  readonly sessionId: string;
  readonly #shared: Shared;
  readonly #options: SessionOptions;
  #isStarted = false;

  constructor(shared: Shared, options: SessionOptions) {
    this.#shared = shared;
    this.#options = options;
    this.sessionId = shared.host.id();
  }

  /** Decides a call without running it. Throws `USAGE` for an input that the tool does not take. */
  async prepare(input: ShellInput): Promise<Prepared> {
    return this.#prepare(this.#callOf(input));
  }

  /** Looks up what a call is about, for callers that prepare by themselves. Throws `USAGE`, `SANDBOX_UNAVAILABLE`. */
  async look(input: ShellInput): Promise<CallFacts> {
    return this.#look(this.#callOf(input));
  }

  /**
   * The corridor that every call walks: look, prepare, judge, ask, look again, launch, receipt. A denial is a value.
   * Throws `USAGE` for an input that the tool does not take, options that there are not and an answer that is none,
   * `FACTS_UNSTABLE` when files change while they are looked at, `SANDBOX_UNAVAILABLE` when the walls did not stand.
   */
  async call(input: ShellInput, options: CallOptions = {}): Promise<Outcome> {
    assertOptions("call", CALL_OPTIONS, options);
    const call = this.#callOf(input);
    this.#emit(call, {
      type: "call.received",
      tool: call.tool,
      words: [...wordsOf(call.input)],
      cwd: call.input.cwd ?? ".",
      caller: call.caller,
    });
    try {
      return await this.#walk(call, options);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : "something was thrown that is no error";
      this.#emit(call, ended("failed", { reason }));
      throw cause;
    }
  }

  async #walk(call: Call, options: CallOptions): Promise<Outcome> {
    const { walls } = this.#shared;
    if (walls.kind === "unavailable")
      return this.#deny(call, walls.error.code, walls.error.message, walls.error.hint ?? "");
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const prepared = await this.#prepare(call);
      this.#emitPrepared(call, prepared);
      if (prepared.verdict.action === "deny")
        return this.#deny(
          call,
          "DENIED",
          prepared.verdict.reason,
          "an operator or project rule would have to allow it",
        );
      if (prepared.verdict.action === "allow") {
        this.#emit(call, {
          type: "approval.auto",
          argsHash: prepared.argsHash,
          approved: true,
          by: prepared.verdict.reason,
        });
        return this.#launch(call, sideOf(prepared, false), prepared, options);
      }
      // Nobody is asked about what could not run anyway.
      if (prepared.onYes.rendering.kind !== "plan")
        return this.#launch(call, prepared.onYes, prepared, options);
      const approval = await this.#ask(call, prepared, options.signal ?? null);
      if (!approval.approved)
        return this.#deny(
          call,
          "DENIED",
          approval.reason ?? `${approval.by} said no`,
          "ask for something else, or run it again to be asked again",
        );
      const again = await this.#prepare(call);
      if (again.verdict.action !== "deny" && again.argsHash === prepared.argsHash)
        return this.#launch(call, sideOf(again, true), again, options);
    }
    return this.#deny(
      call,
      "FACTS_UNSTABLE",
      "what the call is about kept changing while it waited for an answer",
      "run it again when the files are at rest",
    );
  }

  #callOf(given: ShellInput): Call {
    const { host, recorder } = this.#shared;
    const input = readShellInput(given);
    return {
      callId: host.id(),
      runId: recorder.runId,
      sessionId: this.sessionId,
      tool: "shell",
      input,
      caller: this.#options.caller ?? "agent",
    };
  }

  async #prepare(call: Call): Promise<Prepared> {
    return prepare(call, this.#shared.standing, await this.#look(call));
  }

  async #look(call: Call): Promise<CallFacts> {
    const { host, standing, walls, memory, ledger, cwd } = this.#shared;
    if (walls.kind === "unavailable") throw walls.error;
    const profiles = [standing.unasked.profile, standing.onYes.profile];
    const facts = await lookUpFacts(host, walls.machine.facts, profiles, memory, ledger.held());
    return { ...lookAtCall(call.input, standing, cwd), facts, callerEnv: host.env };
  }

  async #ask(call: Call, prepared: Prepared, signal: AbortSignal | null): Promise<Approval> {
    const { verdict, onYes, argsHash } = prepared;
    this.#emit(call, { type: "approval.requested", argsHash, granted: onYes.digest, reason: verdict.reason });
    const words = wordsOf(call.input);
    const request = {
      call,
      words,
      cwd: onYes.launch?.cwd ?? call.input.cwd ?? ".",
      reason: verdict.reason,
      onYes,
      argsHash,
    };
    const { approve } = this.#options;
    const approval: Approval =
      approve === undefined
        ? { approved: false, by: "nobody", reason: `nobody was there to ask: ${verdict.reason}` }
        : readApproval(await approve(request, signal));
    this.#emit(call, { type: "approval.resolved", argsHash, approved: approval.approved, by: approval.by });
    return approval;
  }

  async #launch(call: Call, side: Side, prepared: Prepared, options: CallOptions): Promise<Outcome> {
    const { rendering } = side;
    switch (rendering.kind) {
      case "denied":
        return this.#deny(call, rendering.code, rendering.refusal.reason, rendering.refusal.remedy);
      case "refusal":
        return this.#deny(call, "NOT_ENFORCEABLE", rendering.refusal.reason, rendering.refusal.remedy);
      case "not-found":
        return this.#notFound(call);
      case "plan":
        return enforce(
          this.#shared,
          { call, side, plan: rendering.plan, argsHash: prepared.argsHash },
          options,
          (body) => this.#emit(call, body),
        );
    }
  }

  #notFound(call: Call): Outcome {
    const [program] = wordsOf(call.input);
    const folders = this.#shared.standing.settings.runtimes.flatMap((runtime) => runtime.path);
    const reason = `${visible(program)} is not there inside the walls`;
    const hint = program.includes("/")
      ? "it must be an executable file in a granted folder"
      : `PATH inside is ${folders.join(":")}; add what it needs under \`sandbox.runtimes\``;
    this.#emit(call, ended("failed", { code: 127, reason }));
    return { kind: "not-found", code: 127, reason, hint };
  }

  #deny(
    call: Call,
    code: Extract<Outcome, { kind: "denied" }>["code"],
    reason: string,
    hint: string,
  ): Outcome {
    this.#emit(call, ended("denied", { reason: `${code}: ${reason}` }));
    return { kind: "denied", code, reason, hint };
  }

  #emitPrepared(call: Call, { verdict, unasked, onYes, argsHash }: Prepared): void {
    this.#emit(call, {
      type: "call.prepared",
      argsHash,
      unasked: unasked.digest,
      onYes: onYes.digest,
      shortfall: [...printShortfalls(onYes)],
    });
    this.#emit(call, {
      type: "call.judged",
      action: verdict.action,
      reason: verdict.reason,
      hits: verdict.hits.map((hit) => ({ ...hit })),
    });
  }

  #emit(call: Call, body: EventBody): void {
    const { recorder, loaded, standing } = this.#shared;
    if (!this.#isStarted) {
      this.#isStarted = true;
      const { origin } = loaded.config;
      recorder.write(this.sessionId, null, {
        type: "session.started",
        config: origin.kind === "default" ? null : origin.file,
        ceiling: [...loaded.ceiling.labels],
        mode: standing.mode,
      });
    }
    recorder.write(this.sessionId, call.callId, body);
  }
}
