import type { CommandLine } from "../policy/command.ts";
import { shellSaid } from "../policy/shell-rules.ts";
import { type Invocation, invocationOf } from "../policy/tool-rule.ts";
import { allowsWholeTool, type JudgedCall, judge, type Verdict } from "../policy/verdict.ts";
import type { RuleDoubt } from "../shell/rule.ts";
import type { Call } from "../tool/call.ts";
import { spelledInput } from "./binding.ts";
import type { CallPolicy } from "./call-policy.ts";

/** The verdict on a line before grants and modes: by shell rules or the tool itself. Operator rules apply to both. */
export function judgeLine(
  { tool, input, use, agent }: Pick<Call, "tool" | "input" | "use" | "agent">,
  line: CommandLine,
  { config, ceiling }: Pick<CallPolicy, "config" | "ceiling">,
  needsMore: string | null,
): Verdict {
  const shellCall = invocationOf(tool, spelledInput(input), agent);
  const judged: Omit<JudgedCall, "line" | "needsMore"> =
    use === null
      ? { ...shellCall, risk: "write", said: shellSaid(line, config.shell, doubtOf(shellCall, config)) }
      : { ...invocationOf(tool, use.args, agent), risk: use.risk, said: use.said };
  return judge({ ...judged, line, needsMore }, { operator: ceiling.approval, approval: config.approval });
}

/** The `doubt` of rules that have none: they are sure where nobody is asked about other commands. */
function doubtOf(
  call: Invocation,
  { shell, approval }: Pick<CallPolicy["config"], "shell" | "approval">,
): RuleDoubt {
  const { allowed, approval: asks } = shell.default;
  return allowed && (asks !== true || allowsWholeTool(call, { approval })) ? "pass" : "ask";
}
