import { deriveShellNeeds } from "../tool/derive.ts";
import { settingsFor, type ToolNeeds } from "../tool/program-tool.ts";
import { type CallPolicy, cutDown } from "./call-policy.ts";
import { meetPolicies } from "./meet-policies.ts";

/** The policy for calls of a program that needs less than the shell. Throws `USAGE` for an unknown root. */
export function policyForTool(policy: CallPolicy, needs: ToolNeeds): CallPolicy {
  if (policy.meetOf !== undefined) {
    const [trusted, changed] = policy.meetOf;
    return meetPolicies(policyForTool(trusted, needs), policyForTool(changed, needs), policy);
  }
  const settings = settingsFor(policy.settings, needs);
  return { ...policy, settings, ...cutDown(deriveShellNeeds(settings), policy.ceiling) };
}
