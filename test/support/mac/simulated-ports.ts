import type { RulePlan } from "../../../src/backend/plan.ts";
import { planOf, simulatedProject } from "./simulated-project.ts";

const CONFIG = `version: 1
sandbox:
  paths: { app: { root: ., mode: rw, write_approval: false } }
  runtimes: [system]
shell: { ports: [5173, 8080] }
`;

/** The rules of a call that asks for these ports, of those that its config lists. */
export async function rulesWith(ports: readonly number[]): Promise<RulePlan> {
  const { draft } = simulatedProject({ "cofferdam.yaml": CONFIG });
  const cwd = draft.policy.settings.roots[0]?.path ?? "/";
  const more = ports.length === 0 ? {} : { ports };
  return planOf((await draft.prepare({ argv: ["true"], cwd, ...more })).withApproval.rendering);
}
