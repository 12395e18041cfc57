import { type GeneralisedCall, generalisedLine, generalisedTool } from "../policy/candidate.ts";
import type { CommandLine } from "../policy/command.ts";
import type { CoverableCall } from "../policy/cover.ts";
import type { GrantKey } from "../policy/grant.ts";
import { invocationOf } from "../policy/tool-rule.ts";
import type { Call } from "../tool/call.ts";
import { spelledInput } from "./binding.ts";

/** A call as covers see it; null if it reads a stream, or is to be reached at ports: no cover says so. */
export function coverableCall(
  { tool, input, use, agent, stdin }: Call,
  line: CommandLine,
  { toolVersion: version }: GrantKey,
): CoverableCall | null {
  if (stdin !== "none" || (input.ports ?? []).length > 0) return null;
  return use === null
    ? { ...invocationOf(tool, spelledInput(input), agent), version, line }
    : { ...invocationOf(tool, use.args, agent), version, line: null };
}

/** The covers that may be offered for a call. `obstacle`: why none can be kept for the project; null if one can. */
export function generalisedCall(
  { use }: Call,
  coverable: CoverableCall,
  obstacle: string | null,
): GeneralisedCall {
  return use === null ? generalisedLine(coverable, obstacle) : generalisedTool(coverable, use.risk, obstacle);
}
