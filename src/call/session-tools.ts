import type { DecidedCall } from "../approval/gate-result.ts";
import type { ToolPolicy } from "../approval/tool-question.ts";
import { commandRules } from "../config/command-decisions.ts";
import type { Config, LoadedConfig } from "../config/config.ts";
import type { CallPolicy } from "../decide/call-policy.ts";
import { rulesIn } from "../decide/meet-policies.ts";
import type { Outcome, ProgramOutcome, ValueOutcome } from "../decide/outcome.ts";
import type { CallFacts, Prepared } from "../decide/prepare.ts";
import type { ResidentProgramSpec } from "../decide/resident-program.ts";
import { type ToolCard, toolCards, toolNames } from "../decide/tool-cards.ts";
import { CofferdamError, visible } from "../errors.ts";
import type { RuleLayer } from "../policy/tool-rule.ts";
import type { ShellInput } from "../tool/call.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { FILE_TOOLS } from "../tool/files/all.ts";
import type { CallOptions, ProgramRunOptions } from "./call-options.ts";
import { fetchTools } from "./fetch-tools.ts";
import { FileRunner, FileTools } from "./files/file-runner.ts";
import {
  type FunctionCallOptions,
  type FunctionContext,
  FunctionRunner,
  type ToolPolicyNow,
} from "./function-runner.ts";
import { GuardedTools } from "./guarded-tools.ts";
import type { ToolRunner } from "./pipeline.ts";
import { lookAtProgramCall, prepareProgram } from "./prepare-program.ts";
import { programKind, residentKind, shellCall } from "./program-kinds.ts";
import { ProgramRunner } from "./program-runner.ts";
import { receiptWithoutSandbox } from "./receipt.ts";
import type { SessionContext } from "./session-context.ts";
import type { SupervisorContext } from "./supervisor-context.ts";
import { UnknownTool } from "./unknown-tool.ts";

/** Further rules about function tools by a config, and the grants of the program that runs them in a sandbox, if any. */
export interface SessionPolicy extends Pick<ToolPolicy, "granted"> {
  readonly further?: (config: Config) => readonly RuleLayer[];
}

/** All tools of one session by their names; finds the runner for a call. */
export class SessionTools implements AsyncDisposable {
  readonly #context: SessionContext;
  readonly #files: FileTools;
  /** Functions of this process (those for web pages, and the host's own), and the host's programs. */
  readonly #defined: readonly DefinedTool[];

  /** Throws `USAGE` if two tools have one name. */
  constructor(context: SessionContext) {
    this.#context = context;
    this.#files = new FileTools(context);
    const { sessionId, options } = context;
    const { host, broker } = context.shared;
    const pages = fetchTools({
      get settings() {
        return context.shared.loaded.config.webFetch;
      },
      get changed() {
        return context.shared.changed?.config.webFetch;
      },
      get ceiling() {
        return context.shared.loaded.ceiling;
      },
      get upstream() {
        return context.shared.policy.settings.upstream;
      },
      broker,
      sessionId,
      host,
    });
    this.#defined = [...pages, ...(options.tools ?? [])];
    assertNames(toolNames(this.#defined));
  }

  /** The tools under the rules in force now. */
  cards(): readonly ToolCard[] {
    const { shared, options } = this.#context;
    return toolCards(this.#defined, commandRules(shared.policy, options.agent ?? null));
  }

  /** True for a tool that runs a program: it has streams and a time limit of its own. */
  isProgram(tool: string): boolean {
    return tool === "shell" || this.#defined.some(({ name, needs }) => name === tool && needs !== null);
  }

  /**
   * The runner for one call; of an unknown tool, one that fails. `throws`: an unknown tool, and an input that the tool
   * does not take, is thrown. Throws `USAGE` for options that the tool does not have.
   */
  runner(
    tool: string,
    input: unknown,
    options: CallOptions,
    throws = false,
  ): ToolRunner<DecidedCall, Outcome> {
    const defined = this.#defined.find(({ name }) => name === tool);
    if (tool === "shell" || (defined !== undefined && defined.needs !== null)) {
      const kind = programKind(this.#context, defined ?? null, options);
      return new ProgramRunner(this.#context, kind, input, options, throws);
    }
    const fileTool = FILE_TOOLS.find(({ name }) => name === tool);
    if (fileTool !== undefined) {
      assertNoProgram(tool, options);
      return new FileRunner(this.#context, this.#files, fileTool, input, options, throws);
    }
    if (defined === undefined) return new UnknownTool(this.#context, tool, toolNames(this.#defined), throws);
    assertNoProgram(tool, options);
    const runner = new FunctionRunner(this.#functionContext({}), tool, defined, input, options, throws);
    return withReceipt(runner, this.#context.shared.host.user.uid);
  }

  /** The runner for a resident program. Throws `USAGE` if the config lacks something that it needs. */
  residentRunner(
    program: ResidentProgramSpec,
    options: ProgramRunOptions,
  ): ToolRunner<DecidedCall, ProgramOutcome> {
    const own: ProgramRunOptions = { ...options, stdin: "held" };
    return new ProgramRunner(this.#context, residentKind(this.#context, program, own), {}, own, true);
  }

  /** Decides a shell call without running it. Throws `USAGE` for an input that the tool does not take. */
  async prepare(input: ShellInput): Promise<Prepared> {
    const shared = await this.#context.watch.look();
    return prepareProgram(this.#context, shared, shellCall(this.#context, input), shared.policy);
  }

  /** Looks up the facts of a shell call. Throws `USAGE`, `SANDBOX_UNAVAILABLE`. */
  async look(input: ShellInput): Promise<CallFacts> {
    const shared = await this.#context.watch.look();
    return lookAtProgramCall(shared, shellCall(this.#context, input), shared.policy);
  }

  functionRunner(
    tool: DefinedTool,
    args: unknown,
    options: Pick<FunctionCallOptions, "signal" | "metadata">,
    around: SessionPolicy,
  ): FunctionRunner {
    return new FunctionRunner(this.#functionContext(around), tool.name, tool, args, options);
  }

  guard(tools: readonly DefinedTool[]): GuardedTools {
    return new GuardedTools(tools, this.#functionContext({}));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#files[Symbol.asyncDispose]();
  }

  #functionContext(around: SessionPolicy): FunctionContext {
    const { shared, options, watch } = this.#context;
    const { host, broker, cwd, policy } = shared;
    const project = policy.config.workspace;
    const { agent = null, legacyBareTools = "ask" } = options;
    const policyNow = async (): Promise<ToolPolicyNow> => {
      const now = await watch.look();
      const policy = { ...toolPolicyOf(now, around), legacyBareTools };
      return { policy, isCurrent: () => watch.isCurrent(now) };
    };
    return { ...this.#context, host, broker, agent, cwd, project, policyNow };
  }
}

/** Throws `USAGE` for options that only a program has. */
function assertNoProgram(tool: string, { stdin, sinks, window, timeoutMs }: CallOptions): void {
  if ([stdin, sinks, window, timeoutMs].every((one) => one === undefined)) return;
  throw new CofferdamError(
    "USAGE",
    `${visible(tool)} is not a program: it has no streams and no time limit`,
    {
      hint: "remove `stdin`, `sinks`, `window` and `timeoutMs`; a `signal` can end any call",
    },
  );
}

/** The rules for function tools: also those of a changed config that is not trusted. */
function toolPolicyOf(
  { policy, loaded, changed }: SupervisorContext,
  { further, granted }: SessionPolicy,
): Omit<ToolPolicy, "legacyBareTools"> {
  const operator = policy.ceiling.approval;
  const rulesOf = ({ config }: LoadedConfig, { mode }: CallPolicy) => ({
    operator,
    approval: config.approval,
    mode,
    ...(further === undefined ? {} : { further: further(config) }),
  });
  const [, under] = rulesIn(policy);
  return {
    ...rulesOf(loaded, policy),
    ...(granted === undefined ? {} : { granted }),
    ...(changed === null || under === undefined ? {} : { changed: rulesOf(changed, under) }),
  };
}

/** Adds a receipt to a function's calls, which says that no sandbox was around it. */
function withReceipt(runner: FunctionRunner, uid: number): ToolRunner<DecidedCall, ValueOutcome> {
  const startedAt = performance.now();
  const measured = () => ({ receipt: receiptWithoutSandbox(uid), durationMs: performance.now() - startedAt });
  return {
    isAwaited: runner.isAwaited,
    identify: () => runner.identify(),
    decide: (log) => runner.decide(log),
    stopped: (stop) => runner.stopped(stop),
    isCurrent: () => runner.isCurrent(),
    execute: async (approved) => {
      const { outcome, end } = await runner.execute(approved);
      return { kind: "ended", outcome: { ...outcome, ...measured() }, end };
    },
    failed: (error) => {
      const failed = runner.failed(error);
      return failed === null ? null : { ...failed, outcome: { ...failed.outcome, ...measured() } };
    },
  };
}

/** Throws `USAGE` if two tools have one name: a rule or an answer would be for both. */
function assertNames(names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice === undefined) return;
  throw new CofferdamError("USAGE", `two tools have the name ${visible(twice)}`, {
    hint: "rename one of them",
  });
}
