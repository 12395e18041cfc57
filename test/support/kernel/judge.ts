import type { BubblewrapApproximationName } from "../../../src/backend/bubblewrap/approximations.ts";
import { VIEW_PATHS } from "../../../src/backend/bubblewrap/views.ts";
import type { MountPlan } from "../../../src/backend/plan.ts";
import { type AbsolutePath, isInside, parentOf } from "../../../src/profile/path.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { type Answer, contentIn, namesIn } from "./enter.ts";
import { explanationOf } from "./explanations.ts";
import { type Oracle, oracleOf } from "./oracle.ts";
import type { Probe } from "./probe.ts";
import type { Tree } from "./tree.ts";

/** What the kernel did: `private` is an act that succeeded on something made for the sandbox alone. */
export type Kernel = "allowed" | "denied" | "private";

/**
 * One probe, judged. `agree`: both say the same. `upward`: the kernel allowed what the model denies. An approximation
 * explains a refusal of what the model allows; `unexplained` is one that none explains. `beside`: the model allows the
 * act, but the way it was spelled, or the several acts it consists of, may be refused for reasons that no law speaks
 * of.
 */
export interface Judged {
  readonly probe: Probe;
  readonly answer: Answer;
  readonly kernel: Kernel;
  readonly verdict: "agree" | "upward" | "unexplained" | "beside" | BubblewrapApproximationName;
}

/** What one launch was about. */
export interface Scene {
  readonly tree: Tree;
  readonly profile: Profile;
  readonly plan: MountPlan;
}

/** ENOTEMPTY comes last of all checks (fs/namei.c, `vfs_rmdir`): what is refused only for this was allowed. */
const ENOTEMPTY = 39;

/** Judges the answers of one launch. */
export function judge(scene: Scene, probes: readonly Probe[], answers: readonly Answer[]): readonly Judged[] {
  const oracle = oracleOf(scene.tree, scene.profile);
  return probes.flatMap((probe, at) => {
    const answer = answers[at];
    return answer === undefined ? [] : [judgeOne(scene, oracle, probe, answer)];
  });
}

function judgeOne(scene: Scene, oracle: Oracle, probe: Probe, answer: Answer): Judged {
  const kernel = kernelOf(scene, oracle, probe, answer);
  const model = oracle.allows(probe);
  const isLooser = kernel === "allowed" || (kernel === "private" && !isView(scene.plan, probe));
  if (!model) return { probe, answer, kernel, verdict: isLooser ? "upward" : "agree" };
  if (kernel === "allowed") return { probe, answer, kernel, verdict: "agree" };
  const isLoose = probe.op === "stat" || probe.op === "displace" || probe.via !== null;
  const verdict = isLoose ? "beside" : (explanationOf(scene, probe, answer) ?? "unexplained");
  return { probe, answer, kernel, verdict };
}

/** What an answer means: an act counts when it reached what the host has there. */
export function kernelOf(
  { tree }: Pick<Scene, "tree">,
  oracle: Oracle,
  probe: Probe,
  answer: Answer,
): Kernel {
  if (answer.status !== "ok" && answer.status !== ENOTEMPTY) return "denied";
  switch (probe.op) {
    case "read":
      return tree.things.some((thing) => thing.kind === "file" && thing.content === contentIn(answer))
        ? "allowed"
        : "denied";
    case "list":
      return listed(tree, oracle, probe, answer) ? "allowed" : "denied";
    case "stat":
      return answer.identity === tree.byPath.get(probe.path)?.identity ? "allowed" : "denied";
    default:
      return answer.device === deviceOf(tree) ? "allowed" : "private";
  }
}

/** A folder is listed when all its names were seen; one that can only be passed shows no more than the ways through it. */
function listed(tree: Tree, oracle: Oracle, { path }: Probe, answer: Answer): boolean {
  const seen = namesIn(answer);
  if (oracle.accessOf(path) !== "none")
    return (tree.names.get(path) ?? []).every((name) => seen.includes(name));
  const ways = oracle.namesOnTheWay(path);
  return seen.some((name) => !ways.has(name));
}

function deviceOf(tree: Tree): string {
  return tree.things[0]?.identity.split(" ")[0] ?? "";
}

/** True in a place that the sandbox has for itself, where no mount of the plan shows or hides anything. */
function isView(plan: MountPlan, probe: Probe): boolean {
  const paths = "to" in probe ? [probe.path, probe.to] : [probe.path];
  const isShown = (path: AbsolutePath): boolean =>
    probe.op !== "displace" && plan.clauses.some((clause) => isInside(path, clause.path));
  return paths.every((path) => VIEW_PATHS.some((view) => isInside(parentOf(path), view)) && !isShown(path));
}
