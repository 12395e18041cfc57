import type { RulePlan } from "../../../src/backend/plan.ts";
import { PLAIN } from "../../../src/channel/ink.ts";
import { ruleLines } from "../../../src/cli/rule-text.ts";
import { withoutMissing, workerLaunch, workerProfile } from "../../../src/decide/worker-profile.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { planOf, type SimulatedProject, simulatedProject } from "./simulated-project.ts";

export const NODE = knownPath("/opt/homebrew/Cellar/node/24.1.0/bin/node");

/** A project with notes that need a yes to be written, and drafts that need none. */
export const notes = (): SimulatedProject =>
  simulatedProject({
    "cofferdam.yaml": `version: 1
sandbox:
  paths:
    notes: { root: ./notes, mode: rw, suffixes: [.md], write_approval: true }
    drafts: { root: ./drafts, mode: rw, suffixes: [.txt], write_approval: false }
  runtimes: [system]
`,
    "notes/ideas.md": "",
    "notes/keys.json": "",
    "drafts/a.txt": "",
  });

/** The rules for the process in which file tools work. */
export async function ofFileTools({ draft }: SimulatedProject): Promise<RulePlan> {
  const cwd = draft.policy.settings.roots[0]?.path ?? "/";
  const { policy, facts } = await draft.prepare({ argv: ["true"], cwd });
  const { profile } = policy.files.writing.withApproval;
  const held = workerProfile(profile, { node: NODE, libraries: [] }, policy.settings.runtimes, facts.tree);
  const launch = workerLaunch({ node: NODE, worker: new Uint8Array() }, profile.limits);
  return planOf(policy.backend.render(withoutMissing(held, facts), launch, facts));
}

/** The rules of a plan as they are printed. */
export function text(plan: RulePlan): string {
  return `${ruleLines(plan, PLAIN).join("\n")}\n`;
}
