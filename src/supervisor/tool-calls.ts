import { GuardedTools } from "../approval/guarded-tools.ts";
import type { ToolPolicy } from "../approval/tool-question.ts";
import { CofferdamError, visible } from "../errors.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { type AnyFileTool, FILE_TOOLS } from "../tool/files/all.ts";
import type { CallOptions, ClearanceOptions } from "./call-options.ts";
import type { Corridor } from "./corridor.ts";
import { fetchTools } from "./fetch-tools.ts";
import { FileCalls } from "./files/file-calls.ts";
import type { CallClearance, Outcome, ValueOutcome } from "./outcome.ts";
import { ProgramCalls } from "./program-calls.ts";
import { receiptWithoutWalls } from "./receipt.ts";
import { type ToolCard, toolCards, toolNames } from "./tool-cards.ts";

/** What decides about tools besides, and the walls that stand around them where something runs them inside. */
export type Around = Pick<ToolPolicy, "further" | "granted">;

/** Which corridor a tool's calls walk. */
type Way =
  | { readonly kind: "program"; readonly tool: DefinedTool | null }
  | { readonly kind: "file"; readonly tool: AnyFileTool }
  | { readonly kind: "function" };

/** All tools of one session, each by its name, on the corridor that is its own. */
export class ToolCalls implements AsyncDisposable {
  readonly #corridor: Corridor;
  readonly programs: ProgramCalls;
  readonly #files: FileCalls;
  /** Tools that are functions of this process, for pages and the host's own, and the host's programs. */
  readonly #defined: readonly DefinedTool[];
  readonly #functions: GuardedTools;

  /** Throws `USAGE` where two tools have one name. */
  constructor(corridor: Corridor) {
    this.#corridor = corridor;
    this.programs = new ProgramCalls(corridor);
    this.#files = new FileCalls(corridor);
    const { shared, sessionId, options } = corridor;
    const { host, broker, loaded, standing } = shared;
    const { config, ceiling } = loaded;
    const pages = fetchTools({
      settings: config.webFetch,
      ceiling,
      broker,
      sessionId,
      host,
      upstream: standing.settings.upstream,
    });
    this.#defined = [...pages, ...(options.tools ?? [])];
    assertNames(toolNames(this.#defined));
    this.#functions = this.guard(this.#defined.filter(({ needs }) => needs === null));
  }

  /** Every tool that can be called here, as a model is told of them. */
  cards(): readonly ToolCard[] {
    return toolCards(this.#defined);
  }

  /** True for a tool that runs a program: it has streams, and a time of its own. */
  isProgram(tool: string): boolean {
    return tool === "shell" || this.#program(tool) !== undefined;
  }

  /** Calls a tool by its name. Throws what `Session.call` throws. */
  async call(tool: string, input: unknown, options: CallOptions): Promise<Outcome> {
    const way = this.#wayOf(tool);
    if (way.kind === "program") return this.programs.call(way.tool, input, options);
    const { stdin, sinks, window, timeoutMs, ...rest } = options;
    if ([stdin, sinks, window, timeoutMs].some((one) => one !== undefined))
      throw new CofferdamError(
        "USAGE",
        `${visible(tool)} is no program: it has no streams and no time of its own`,
        {
          hint: "leave out `stdin`, `sinks`, `window` and `timeoutMs`; a `signal` ends any call",
        },
      );
    return way.kind === "file"
      ? this.#files.call(way.tool, input, rest)
      : this.#callFunction(tool, input, rest);
  }

  /** Whether it may be called so, without calling it. Throws what `Session.ask` throws. */
  async ask(tool: string, input: unknown, options: ClearanceOptions): Promise<CallClearance> {
    const way = this.#wayOf(tool);
    switch (way.kind) {
      case "program":
        return this.programs.ask(way.tool, input, options);
      case "file": {
        const clearance = await this.#files.ask(way.tool, input, options);
        // What can't be done needs nobody's yes: the call itself says why.
        return clearance.kind === "done" || clearance.kind === "failed" ? { kind: "allowed" } : clearance;
      }
      case "function": {
        const { ending } = this.#corridor;
        const clearance = await ending.during(() => this.#functions.ask(tool, input, options));
        return clearance.kind === "pending" ? { ...clearance, code: "APPROVAL_PENDING" } : clearance;
      }
    }
  }

  /** Functions of the host's own behind the session's gate. */
  guard(tools: readonly DefinedTool[], around: Around = {}): GuardedTools {
    const { shared, gate, sessionId, options } = this.#corridor;
    const { host, broker, recorder, standing, cwd } = shared;
    const { agent = null, legacyBareTools = "ask" } = options;
    const { ceiling, config, mode } = standing;
    const policy = {
      operator: ceiling.approval,
      approval: config.approval,
      mode,
      legacyBareTools,
      ...around,
    };
    return new GuardedTools(tools, { host, broker, recorder, gate, sessionId, agent, cwd, policy });
  }

  /** Ends what works on files. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#files[Symbol.asyncDispose]();
  }

  #program(tool: string): DefinedTool | undefined {
    return this.#defined.find(({ name, needs }) => name === tool && needs !== null);
  }

  #wayOf(tool: string): Way {
    if (tool === "shell") return { kind: "program", tool: null };
    const program = this.#program(tool);
    if (program !== undefined) return { kind: "program", tool: program };
    const file = FILE_TOOLS.find(({ name }) => name === tool);
    if (file !== undefined) return { kind: "file", tool: file };
    if (this.#functions.has(tool)) return { kind: "function" };
    throw new CofferdamError("USAGE", `there is no tool ${visible(tool)}`, {
      hint: `the tools are ${toolNames(this.#defined).join(", ")}`,
    });
  }

  async #callFunction(
    tool: string,
    args: unknown,
    options: Pick<CallOptions, "signal" | "groupId" | "approvalId">,
  ): Promise<ValueOutcome> {
    const began = performance.now();
    const outcome = await this.#functions.call(tool, args, options);
    const durationMs = performance.now() - began;
    const receipt = receiptWithoutWalls(this.#corridor.shared.host.user.uid);
    switch (outcome.kind) {
      case "done":
        return { kind: "done", value: outcome.value, receipt, durationMs };
      case "failed":
        return { kind: "failed", error: outcome.error, receipt, durationMs };
      case "denied":
        return outcome;
      case "pending":
        return { ...outcome, code: "APPROVAL_PENDING" };
    }
  }
}

/** Throws `USAGE` where two tools have one name: a rule or an answer would be for both. */
function assertNames(names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice === undefined) return;
  throw new CofferdamError("USAGE", `there are two tools ${visible(twice)}`, {
    hint: "rename one of them",
  });
}
