import type { ProgramUse } from "../tool/call.ts";
import { type DefinedTool, defineTool } from "../tool/define-tool.ts";
import type { ToolNeeds } from "../tool/program-tool.ts";
import { type Standing, standingForTool } from "./standing.ts";

/** A program that is there for as long as somebody holds it, such as a server. */
export interface HeldProgram {
  /** What rules and people know its start by. */
  readonly name: string;
  /** Its words, as they are: nothing in them is a place of an argument. */
  readonly command: readonly string[];
  readonly needs: ToolNeeds;
  /**
   * False: it gets what calls get unasked, whatever anybody says yes to. True: its start is a question, and a yes gives it what
   * a yes gives a call.
   */
  readonly asksToStart: boolean;
  /** What would be done by a start, for whoever is asked about it. */
  readonly description: string;
}

/** Its start as a tool that takes nothing. Throws `USAGE` for a name that no tool can have. */
export function heldTool({ name, command, needs, asksToStart, description }: HeldProgram): DefinedTool {
  return defineTool({
    name,
    needs,
    command: () => command,
    requireApproval: {
      required: asksToStart,
      reason: asksToStart
        ? "for as long as it runs it may write where calls are asked first"
        : "it gets nothing that calls are asked about first",
      description,
      remember: false,
    },
  });
}

/** What its calls have in common. Where its start is no question, a yes that a rule asks for gives it no more. */
export function standingForHeld(standing: Standing, { needs, asksToStart }: HeldProgram): Standing {
  const own = standingForTool(standing, needs);
  return asksToStart ? own : { ...own, onYes: own.unasked };
}

/** One start. A rule that allows it does not answer for what it would write: only a person, or a mode, does. */
export function heldUse(use: ProgramUse): ProgramUse {
  const { said } = use;
  return said?.hit.action === "ask" ? { ...use, said: { ...said, doubt: said.hit } } : use;
}
