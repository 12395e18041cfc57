import type { Backend } from "../../../src/backend/backend.ts";
import type { RulePlan } from "../../../src/backend/plan.ts";
import { showProfile } from "../../../src/cli/profile-show.ts";
import type { PreparedRun } from "../../../src/decide/prepare.ts";
import type { Host } from "../../../src/host/look/host.ts";
import { simulatedMac } from "../../../src/host/look/mac/simulated.ts";
import { createDraft, type Draft } from "../../../src/session/draft.ts";
import { screen } from "../../unit/cli/screen.ts";
import { machine } from "../../unit/config/machine.ts";

/** A project of ada's in `~/work/app`, and what the simulated Mac makes of it. */
export interface SimulatedProject {
  /** What `cofferdam profile show --format seatbelt` prints, this machine's own folders left out. */
  shown(): Promise<string>;
  readonly draft: Draft;
  plan(side?: "withoutApproval" | "withApproval"): Promise<RulePlan>;
}

/** Files by their paths in the project; a name with a slash at its end is a folder. */
export function simulatedProject(
  files: Readonly<Record<string, string>>,
  profiles: readonly string[] = [],
): SimulatedProject {
  const made = machine();
  const at = (name: string): string => `home/ada/work/app/${name}`;
  for (const [name, text] of Object.entries(files))
    made.write({ [at(name.endsWith("/") ? `${name}.keep` : name)]: text });
  const user = { ...made.host.user, name: "ada", home: made.at("home/ada") };
  // A Mac is simulated only where there is none; on one its own runtimes would be shown.
  const elsewhere: Host = { ...made.host, platform: "linux" };
  const host: Host = { ...elsewhere, user, cwd: made.at("home/ada/work/app"), operatorFolders: [] };
  const choice = { config: "cofferdam.yaml", profiles };
  const draft = createDraft({ host: { ...host, simulated: simulatedMac(user) }, ...choice });
  return {
    draft,
    shown: async () => {
      const { print, stdout } = screen();
      await showProfile(host, { name: null, format: "seatbelt", ...choice }, print);
      return stdout().replaceAll(made.folder, "");
    },
    plan: async (side = "withApproval") => {
      const cwd = draft.policy.settings.roots[0]?.path ?? "/";
      return planOf((await draft.prepare({ argv: ["true"], cwd }))[side].rendering);
    },
  };
}

/** A plan of rules; throws where it was refused. */
export function planOf(rendering: PreparedRun["rendering"] | ReturnType<Backend["render"]>): RulePlan {
  if (rendering.kind === "plan" && rendering.plan.kind === "rules") return rendering.plan;
  throw new Error(`no plan of rules: ${JSON.stringify(rendering)}`);
}
