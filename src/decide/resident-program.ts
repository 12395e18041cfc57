import type { ProgramUse } from "../tool/call.ts";
import { type DefinedTool, defineTool } from "../tool/define-tool.ts";
import type { ToolNeeds } from "../tool/program-tool.ts";
import type { CallPolicy } from "./call-policy.ts";
import { policyForTool } from "./policy-for-tool.ts";

/** A program that runs until its session lets it go, such as a server. */
export interface ResidentProgramSpec {
  /** The name by which rules and people know its start. */
  readonly name: string;
  /** The words, taken literally: none is a placeholder for an argument. */
  readonly command: readonly string[];
  readonly needs: ToolNeeds;
  /**
   * False: it gets the grants without approval, whatever is approved. True: its start needs approval, and then it gets
   * the grants with approval.
   */
  readonly asksToStart: boolean;
  /** The effect of a start, for the person who is asked. */
  readonly description: string;
}

/** Its start as a tool without arguments. Throws `USAGE` for a name that no tool can have. */
export function residentTool({
  name,
  command,
  needs,
  asksToStart,
  description,
}: ResidentProgramSpec): DefinedTool {
  return defineTool({
    name,
    needs,
    command: () => command,
    requireApproval: {
      required: asksToStart,
      reason: asksToStart
        ? "while it runs, it can write where calls need approval"
        : "it gets no access that needs approval",
      description,
      remember: false,
    },
  });
}

/** The policy of its calls. If its start needs no approval, an approval demanded by a rule grants nothing more. */
export function policyForResident(
  policy: CallPolicy,
  { needs, asksToStart }: ResidentProgramSpec,
): CallPolicy {
  const own = policyForTool(policy, needs);
  return asksToStart ? own : { ...own, withApproval: own.withoutApproval };
}

/** One start. A rule that allows it does not approve its writes: only a person or a mode does. */
export function residentUse(use: ProgramUse): ProgramUse {
  const { said } = use;
  return said?.hit.action === "ask" ? { ...use, said: { ...said, doubt: said.hit } } : use;
}
