import type { DecidedCall } from "../approval/gate-result.ts";
import type { ValueOutcome } from "../decide/outcome.ts";
import { CofferdamError, visible } from "../errors.ts";
import type { EndedCall } from "../journal/call-log.ts";
import { nearest } from "../policy/nearest.ts";
import type { NotRun } from "../policy/not-run.ts";
import { endStopped } from "./end-stopped.ts";
import type { CallName, ToolRunner } from "./pipeline.ts";
import type { SessionContext } from "./session-context.ts";

/** The longest part of an unknown name that is reported. */
const MAX_NAME = 128;

/** The runner for a tool that does not exist: the call fails, is recorded, and the model reads the names. */
export class UnknownTool implements ToolRunner<DecidedCall, ValueOutcome> {
  readonly isAwaited = true;
  readonly #context: SessionContext;
  readonly #name: string;
  readonly #names: readonly string[];
  readonly #throws: boolean;

  /** `throws`: it is thrown, instead of an outcome. */
  constructor(context: SessionContext, name: string, names: readonly string[], throws: boolean) {
    this.#context = context;
    this.#name = name.slice(0, MAX_NAME);
    this.#names = names;
    this.#throws = throws;
  }

  identify(): CallName {
    const { shared, options } = this.#context;
    return { callId: shared.host.id(), tool: this.#name, agent: options.agent ?? null };
  }

  async decide(): Promise<never> {
    throw this.#error();
  }

  async execute(): Promise<never> {
    throw this.#error();
  }

  isCurrent(): boolean {
    return true;
  }

  stopped(stop: NotRun): EndedCall<NotRun> {
    return endStopped(stop);
  }

  failed(error: unknown): EndedCall<ValueOutcome> | null {
    if (this.#throws) return null;
    const outcome = { kind: "failed", error, receipt: null, durationMs: 0 } as const;
    return { kind: "ended", outcome, end: { outcome: "failed", reason: this.#error().message } };
  }

  #error(): CofferdamError {
    const near = nearest(this.#name, this.#names);
    const all = `use one of: ${this.#names.join(", ")}`;
    return new CofferdamError("USAGE", `unknown tool ${visible(this.#name)}`, {
      hint: near === null ? all : `did you mean \`${near}\`? ${all}`,
    });
  }
}
