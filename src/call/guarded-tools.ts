import type { DecidedCall } from "../approval/gate-result.ts";
import { approvalError, type ToolOutcome } from "../approval/tool-outcome.ts";
import { CofferdamError, visible } from "../errors.ts";
import type { CheckResult } from "../policy/not-run.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { assertDefinedTools } from "../tool/defined-tools.ts";
import {
  type FunctionCallOptions,
  type FunctionCheckOptions,
  type FunctionContext,
  FunctionRunner,
} from "./function-runner.ts";
import { checkCall, runCall } from "./pipeline.ts";

/** One call of a turn. `args` is data, or JSON text as a model sends it. */
export interface ToolCall {
  readonly tool: string;
  readonly args: unknown;
}

/** Function tools behind a gate: every call of them passes it. */
export class GuardedTools {
  readonly #tools: ReadonlyMap<string, DefinedTool>;
  readonly #context: FunctionContext;

  /** @internal */
  constructor(tools: readonly DefinedTool[], context: FunctionContext) {
    assertDefinedTools(tools);
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#context = context;
    const program = tools.find(({ needs }) => needs !== null);
    if (program !== undefined)
      throw new CofferdamError(
        "USAGE",
        `${visible(program.name)} is a program: a gate alone has no sandbox for it`,
        { hint: "pass it to a session: `supervisor.session({ tools })`" },
      );
    if (this.#tools.size < tools.length)
      throw new CofferdamError("USAGE", "two tools have the same name", { hint: "rename one of them" });
  }

  /** True for a tool behind this gate. */
  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /**
   * Calls a tool by its name. The outcome reports the result: this throws if an event can't be recorded, and `USAGE`
   * after the end of the session. Calls of unknown tools, and with invalid arguments, never reach the gate.
   */
  call(name: string, args: unknown, options: FunctionCallOptions = {}): Promise<ToolOutcome> {
    const runner = new FunctionRunner(this.#context, name, this.#toolOf(name), args, options);
    return runCall<DecidedCall, ToolOutcome>(this.#context, runner, options);
  }

  /**
   * Calls every tool of a turn at the same time. They are asked about as one group, each gets its own answer, and no
   * denial or failure of one stops another. The outcomes are in the order of the calls.
   */
  async callAll(
    calls: readonly ToolCall[],
    options: Omit<FunctionCallOptions, "approvalId"> = {},
  ): Promise<readonly ToolOutcome[]> {
    const groupId = options.groupId ?? this.#context.host.id();
    return Promise.all(calls.map(({ tool, args }) => this.call(tool, args, { ...options, groupId })));
  }

  /**
   * A tool as a function: it returns the tool's value. It throws an `ApprovalError` if the call did not run, and the
   * tool's own errors.
   */
  guarded(name: string): (args: unknown, options?: FunctionCallOptions) => Promise<unknown> {
    return async (args, options) => {
      const outcome = await this.call(name, args, options);
      if (outcome.kind === "done") return outcome.value;
      throw outcome.kind === "failed" ? outcome.error : approvalError(name, outcome);
    };
  }

  /**
   * Checks whether a tool may be called, without calling it. Throws `USAGE` for an unknown tool and for arguments that
   * it does not take, and errors of its schema.
   */
  ask(name: string, args: unknown, options: FunctionCheckOptions = {}): Promise<CheckResult> {
    const runner = new FunctionRunner(this.#context, name, this.#toolOf(name), args, options, true);
    return checkCall<DecidedCall, ToolOutcome>(this.#context, runner, options);
  }

  /** The tool of a name; the error that its call ends with if there is none. */
  #toolOf(name: string): DefinedTool | CofferdamError {
    return (
      this.#tools.get(name) ??
      new CofferdamError("USAGE", `tool ${visible(name)} not found`, {
        hint: `use one of: ${[...this.#tools.keys()].join(", ")}`,
      })
    );
  }
}
