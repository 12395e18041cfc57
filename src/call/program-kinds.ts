import type { CallPolicy } from "../decide/call-policy.ts";
import { policyForTool } from "../decide/policy-for-tool.ts";
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
import type { SupervisorContext } from "./supervisor-context.ts";

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

/** The kind under one state of the config. Throws `USAGE` if that lacks a root that the program needs. */
export type ProgramKindUnder = (shared: Pick<SupervisorContext, "policy" | "cwd">) => ProgramKind;

/** The shell, or a program of the host's own. */
export function programKind(
  context: SessionContext,
  tool: DefinedTool | null,
  options: ProgramRunOptions,
): ProgramKindUnder {
  if (tool === null) return ({ policy }) => shellKind(context, options, policy);
  const needs = tool.needs ?? {};
  return toolKind(context, tool, options, (policy) => policyForTool(policy, needs));
}

/** The start of a resident program. Throws `USAGE` for a name that no tool can have. */
export function residentKind(
  context: SessionContext,
  program: ResidentProgramSpec,
  options: ProgramRunOptions,
): ProgramKindUnder {
  const policyFor = (policy: CallPolicy): CallPolicy => policyForResident(policy, program);
  return toolKind(context, residentTool(program), options, policyFor, residentUse);
}

/** A call of the shell. Throws `USAGE` for an input that it does not take. */
export function shellCall(context: SessionContext, input: unknown, options: ProgramRunOptions = {}): Call {
  return callOf(context, readShellInput(input), "shell", null, options);
}

function shellKind(context: SessionContext, options: ProgramRunOptions, policy: CallPolicy): ProgramKind {
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
  policyFor: (policy: CallPolicy) => CallPolicy,
  asUsed = (use: ProgramUse): ProgramUse => use,
): ProgramKindUnder {
  // A call that is decided again under another config keeps its question.
  const asks = new Map<ProgramUse | null, Ask | null>();
  return (shared) => {
    const policy = policyFor(shared.policy);
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
