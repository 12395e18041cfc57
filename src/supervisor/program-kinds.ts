import { type Json, readJson } from "../policy/canonical-json.ts";
import { type Call, jsonInput, type ProgramUse, readShellInput, type ShellInput } from "../tool/call.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import type { Ask } from "../tool/function-tool.ts";
import type { RunOptions } from "./call-options.ts";
import type { Corridor } from "./corridor.ts";
import { type HeldProgram, heldTool, heldUse, standingForHeld } from "./held-program.ts";
import type { Prepared } from "./prepare.ts";
import { programUse, toolProgramQuestion } from "./program-tool.ts";
import { type ProgramQuestion, shellQuestion } from "./shell-question.ts";
import { type Standing, standingForTool } from "./standing.ts";

/** What calls of one tool that runs a program have in common. */
export interface ProgramKind {
  readonly standing: Standing;
  /** The call for an input. Throws `USAGE` for one that the tool does not take. */
  readonly callFor: (input: unknown) => Promise<Call>;
  /** The input as it can be given again. */
  readonly keep: (input: unknown, call: Call) => Json;
  /** The question about a call that was decided. */
  readonly question: (call: Call, prepared: Prepared) => ProgramQuestion;
}

/** The shell, or a program of the host's own. Throws `USAGE` for a root that it needs and that there is not. */
export function programKind(corridor: Corridor, tool: DefinedTool | null, options: RunOptions): ProgramKind {
  if (tool === null) return shellKind(corridor, options);
  return toolKind(corridor, tool, options, standingForTool(corridor.shared.standing, tool.needs ?? {}));
}

/** The start of a program that is held. Throws the same, and `USAGE` for a name that no tool can have. */
export function heldKind(corridor: Corridor, program: HeldProgram, options: RunOptions): ProgramKind {
  const standing = standingForHeld(corridor.shared.standing, program);
  return toolKind(corridor, heldTool(program), options, standing, heldUse);
}

/** A call of the shell. Throws `USAGE` for an input that it does not take. */
export function shellCall(corridor: Corridor, input: unknown, options: RunOptions = {}): Call {
  return callOf(corridor, readShellInput(input), "shell", null, options);
}

function shellKind(corridor: Corridor, options: RunOptions): ProgramKind {
  const { standing } = corridor.shared;
  return {
    standing,
    callFor: async (given) => shellCall(corridor, given, options),
    keep: (_, call) => jsonInput(call.input),
    question: (call, prepared) => shellQuestion(call, prepared, standing),
  };
}

function toolKind(
  corridor: Corridor,
  tool: DefinedTool,
  options: RunOptions,
  standing: Standing,
  asUsed = (use: ProgramUse): ProgramUse => use,
): ProgramKind {
  const { shared } = corridor;
  const asks = new Map<ProgramUse | null, Ask | null>();
  return {
    standing,
    callFor: async (given) => {
      const made = await programUse(tool, given, {
        settings: standing.settings,
        base: shared.cwd,
        signal: options.signal ?? null,
      });
      const { input, ask } = made;
      const use = asUsed(made.use);
      asks.set(use, ask);
      return callOf(corridor, input, tool.name, use, options);
    },
    keep: readJson,
    question: (call, prepared) => toolProgramQuestion(call, asks.get(call.use) ?? null, prepared, standing),
  };
}

function callOf(
  { shared, options, sessionId }: Corridor,
  input: ShellInput,
  tool: string,
  use: ProgramUse | null,
  { stdin, window }: RunOptions,
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
