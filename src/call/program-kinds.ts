import { type CallPolicy, policyForTool } from "../decide/call-policy.ts";
import type { Prepared } from "../decide/prepare.ts";
import {
  policyForResident,
  type ResidentProgramSpec,
  residentTool,
  residentUse,
} from "../decide/resident-program.ts";
import { type Json, readJson } from "../policy/canonical-json.ts";
import type { Risk } from "../policy/risk.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { type Call, jsonInput, type ProgramUse, readShellInput, type ShellInput } from "../tool/call.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import type { Ask } from "../tool/function-tool.ts";
import type { ProgramRunOptions } from "./call-options.ts";
import { decidedProgram, programUse } from "./program-tool.ts";
import type { SessionContext } from "./session-context.ts";
import { type DecidedProgram, decidedShell } from "./shell-question.ts";

/** The shared parts of all calls of one tool that runs a program. */
export interface ProgramKind {
  readonly tool: string;
  readonly policy: CallPolicy;
  /** The risk that the tool declares. */
  readonly risk: Risk | null;
  /** The call for an input, started in `base` or the supervisor's folder. Throws `USAGE` for an invalid input. */
  readonly callFor: (input: unknown, base?: AbsolutePath) => Promise<Call>;
  readonly keep: (input: unknown, call: Call) => Json;
  readonly question: (call: Call, prepared: Prepared) => DecidedProgram;
}

/** The shell, or a program of the host's own. Throws `USAGE` if the config lacks a root that it needs. */
export function programKind(
  context: SessionContext,
  tool: DefinedTool | null,
  options: ProgramRunOptions,
): ProgramKind {
  if (tool === null) return shellKind(context, options);
  return toolKind(context, tool, options, policyForTool(context.shared.policy, tool.needs ?? {}));
}

/** The start of a resident program. Throws the same, and `USAGE` for a name that no tool can have. */
export function residentKind(
  context: SessionContext,
  program: ResidentProgramSpec,
  options: ProgramRunOptions,
): ProgramKind {
  const policy = policyForResident(context.shared.policy, program);
  return toolKind(context, residentTool(program), options, policy, residentUse);
}

/** A call of the shell. Throws `USAGE` for an input that it does not take. */
export function shellCall(context: SessionContext, input: unknown, options: ProgramRunOptions = {}): Call {
  return callOf(context, readShellInput(input), "shell", null, options);
}

function shellKind(context: SessionContext, options: ProgramRunOptions): ProgramKind {
  const { policy } = context.shared;
  return {
    tool: "shell",
    policy,
    risk: "write",
    callFor: async (given) => shellCall(context, given, options),
    keep: (_, call) => jsonInput(call.input),
    question: (call, prepared) => decidedShell(call, prepared, policy),
  };
}

/** A program of the host's own under a policy; `asUsed` changes how the tool judges its use. */
export function toolKind(
  context: SessionContext,
  tool: DefinedTool,
  options: ProgramRunOptions,
  policy: CallPolicy,
  asUsed = (use: ProgramUse): ProgramUse => use,
): ProgramKind {
  const { shared } = context;
  const asks = new Map<ProgramUse | null, Ask | null>();
  return {
    tool: tool.name,
    policy,
    risk: tool.risk,
    callFor: async (given, base = shared.cwd) => {
      const made = await programUse(tool, given, {
        settings: policy.settings,
        base,
        signal: options.signal ?? null,
      });
      const { input, ask } = made;
      const use = asUsed(made.use);
      asks.set(use, ask);
      return callOf(context, input, tool.name, use, options);
    },
    keep: readJson,
    question: (call, prepared) => decidedProgram(call, asks.get(call.use) ?? null, prepared, policy),
  };
}

function callOf(
  { shared, options, sessionId }: SessionContext,
  input: ShellInput,
  tool: string,
  use: ProgramUse | null,
  { stdin, window }: ProgramRunOptions,
): Call {
  const { caller = "agent", agent = null } = options;
  return {
    callId: shared.host.id(),
    runId: shared.recorder.runId,
    sessionId,
    tool,
    input,
    use,
    caller,
    agent,
    stdin: stdin === undefined ? "none" : window === undefined ? "stream" : "typed",
  };
}
