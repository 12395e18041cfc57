import { isDeepStrictEqual } from "node:util";
import type { ApprovedRun, DecidedCall } from "../approval/gate-result.ts";
import type { ToolOutcome } from "../approval/tool-outcome.ts";
import { decideTool, type ToolPolicy } from "../approval/tool-question.ts";
import { CofferdamError, thrownText, visible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { inTurns, MAX_AT_ONCE, otherTurns } from "../host/turns.ts";
import type { CallLog, EndedCall } from "../journal/call-log.ts";
import { asJson, type Json, readJsonInSteps } from "../policy/canonical-json.ts";
import { jsonSize } from "../policy/json-size.ts";
import type { NotRun } from "../policy/not-run.ts";
import { redact } from "../policy/redact.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import type { CallContext, CheckOptions, PassOptions, ReadyCall, ToolRunner } from "./pipeline.ts";

/** An argument name that a model could use to bring an approval along; only the host may pass one. */
const TOKEN = "_approval_token";

/** The needs of function calls beyond those of every call. */
export interface FunctionContext extends CallContext {
  readonly host: Pick<Host, "id" | "now">;
  readonly agent: string | null;
  readonly cwd: string;
  /** The folder of the config: an approval is found again only for calls of the same project. */
  readonly project: string;
  /** The policy at this moment. Throws `CallsStoppedError`. */
  readonly policyNow: () => Promise<ToolPolicyNow>;
}

/** The policy for function tools, and whether it is still the newest. */
export interface ToolPolicyNow {
  readonly policy: ToolPolicy;
  readonly isCurrent: () => boolean;
}

/** How one function is called. */
export interface FunctionCallOptions extends PassOptions {
  /** Further data of a framework; passed to the tool and its checks. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** How one call of a function is checked. */
export interface FunctionCheckOptions extends CheckOptions {
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Runs one call of a tool that is a function of this process. */
export class FunctionRunner implements ToolRunner<DecidedCall, ToolOutcome> {
  readonly isAwaited = false;
  readonly #throws: boolean;
  readonly #context: FunctionContext;
  readonly #name: string;
  readonly #tool: DefinedTool | CofferdamError;
  /** Read immediately: the caller may change its own copy afterwards. */
  readonly #input: Promise<Json>;
  readonly #around: {
    readonly signal: AbortSignal | null;
    readonly metadata: Readonly<Record<string, unknown>>;
  };
  /** The arguments given last, as the tool read them when they were shown. */
  #args: Json = null;
  #shown: Json = null;
  #isCurrent: () => boolean = () => false;

  /** With an error for a tool the call fails by it. `throws`: a failure is thrown instead of returned. */
  constructor(
    context: FunctionContext,
    name: string,
    tool: DefinedTool | CofferdamError,
    args: unknown,
    { signal, metadata = {} }: Pick<FunctionCallOptions, "signal" | "metadata">,
    throws = false,
  ) {
    this.#throws = throws;
    this.#context = context;
    this.#name = name;
    this.#tool = tool;
    this.#input = readArguments(args);
    // The error is reported when the call is decided.
    this.#input.catch(() => undefined);
    this.#around = { signal: signal ?? null, metadata };
  }

  identify() {
    return { callId: this.#context.host.id(), tool: this.#name, agent: this.#context.agent };
  }

  async decide(log: CallLog): Promise<ReadyCall<DecidedCall>> {
    if (this.#tool instanceof CofferdamError) throw this.#tool;
    const input = await this.#input;
    this.#args = input;
    log.received(redact(input).safeArgs);
    const decided = await this.#decide(this.#tool, log);
    const decideAgain = async (edited?: unknown): Promise<DecidedCall> => {
      if (edited !== undefined) {
        this.#args = withoutToken(asJson(edited));
        log.received(redact(this.#args).safeArgs);
      }
      return this.#decide(this.#used, log);
    };
    const { risk } = this.#tool;
    return { kind: "ready", decided, decideAgain, risk, kept: { input, cwd: this.#context.cwd } };
  }

  async execute({
    by,
  }: ApprovedRun<DecidedCall>): Promise<EndedCall<Extract<ToolOutcome, { readonly kind: "done" }>>> {
    // The arguments are read again from the input: a check may have changed its own copy.
    const use = this.#used.use(this.#args, this.#around);
    if (!isDeepStrictEqual(use.args, this.#shown)) throw unstable(this.#name);
    this.#around.signal?.throwIfAborted();
    const value = await use.run?.({ by });
    return { kind: "ended", outcome: { kind: "done", value }, end: { outcome: "done" } };
  }

  isCurrent(): boolean {
    return this.#isCurrent();
  }

  stopped(stop: NotRun): EndedCall<Extract<ToolOutcome, NotRun>> {
    const { kind, reason } = stop;
    const end = { outcome: kind, reason };
    if (kind === "pending") return { kind: "ended", outcome: stop, end };
    return { kind: "ended", outcome: { ...stop, code: codeOf(stop) }, end };
  }

  failed(error: unknown): EndedCall<Extract<ToolOutcome, { readonly kind: "failed" }>> | null {
    if (this.#throws) return null;
    return {
      kind: "ended",
      outcome: { kind: "failed", error },
      end: { outcome: "failed", reason: thrownText(error) },
    };
  }

  get #used(): DefinedTool {
    if (this.#tool instanceof CofferdamError) throw this.#tool;
    return this.#tool;
  }

  async #decide(tool: DefinedTool, log: CallLog): Promise<DecidedCall> {
    const { broker, sessionId, agent, cwd, project, policyNow } = this.#context;
    const { policy, isCurrent } = await policyNow();
    this.#isCurrent = isCurrent;
    const use = tool.use(this.#args, this.#around);
    const memory = await broker.memory.of(sessionId);
    await otherTurns(jsonSize(use.args, MAX_AT_ONCE));
    this.#shown = use.args;
    const decided = await decideTool({ tool, args: use.args, use, agent, cwd, project }, policy, memory);
    log.judged(decided.verdict);
    return decided;
  }
}

/** Functions have no denials but those of the gate. */
function codeOf({ code }: NotRun): Extract<ToolOutcome, { readonly kind: "denied" }>["code"] {
  switch (code) {
    case "APPROVAL_BLOCKED":
    case "APPROVAL_DENIED":
    case "APPROVAL_TIMEOUT":
      return code;
    case "FACTS_UNSTABLE":
      return "APPROVAL_DENIED";
    default:
      return "APPROVAL_BLOCKED";
  }
}

function unstable(name: string): CofferdamError {
  return new CofferdamError(
    "FACTS_UNSTABLE",
    `the schema of ${visible(name)} changes the same arguments in another way each time`,
    { hint: "make the schema independent of the time and of chance" },
  );
}

/** Arguments as immutable data. Throws `USAGE` for values that are not JSON. */
async function readArguments(given: unknown): Promise<Json> {
  const args = withoutToken(await inTurns(readJsonInSteps(given)));
  await otherTurns(jsonSize(args, MAX_AT_ONCE));
  return args;
}

function withoutToken(args: Json): Json {
  if (typeof args === "object" && args !== null && TOKEN in args)
    throw new CofferdamError(
      "USAGE",
      `${visible(TOKEN)} is not an argument: a call can't contain its own approval`,
      { hint: "pass `approvalId` beside the arguments" },
    );
  return args;
}
