import fc from "fast-check";
import { intersect } from "../../../src/profile/intersect.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { withTree } from "./agreement.ts";
import type { TryCase } from "./battery.ts";
import { describeProfile, describeScene } from "./describe.ts";
import { enter } from "./enter.ts";
import { type Judged, judge, type Scene } from "./judge.ts";
import { type Probe, probesOver } from "./probe.ts";
import { type ProfileSketch, profileOver, profileSketch } from "./profile-sketch.ts";
import type { Tally } from "./report.ts";
import type { Stage } from "./stage.ts";
import { seenAgain, type Tree, type TreeSketch, treeSketch } from "./tree.ts";

/** Two profiles about one tree. */
export interface Pair {
  readonly tree: TreeSketch;
  readonly profiles: readonly [ProfileSketch, ProfileSketch];
  readonly turn: number;
  readonly seed: number;
}

export const pair: fc.Arbitrary<Pair> = fc.record({
  tree: treeSketch,
  profiles: fc.tuple(profileSketch, profileSketch),
  turn: fc.nat(1),
  seed: fc.nat(2 ** 31),
});

/** What one profile let happen. */
interface Seen {
  readonly scene: Scene;
  readonly judged: readonly Judged[];
}

/**
 * Tries the same acts under the intersection and under each profile alone: what the first allows, the others allow. One
 * thing is counted apart: what a profile alone allows by the model and the backend refuses by a declared approximation.
 * An approximation speaks of names that clauses have besides their own (`alias`, `link-target`), and these are looked
 * for only in folders where the intersection allows more than the clause.
 */
export function tryNeverWiden(stage: Stage): TryCase<Pair> {
  return (one, tally) =>
    withTree(stage, one.tree, one.turn, async (tree) => {
      const [a, b] = one.profiles.map((sketch) => profileOver(tree, sketch, stage.system.read));
      if (a === undefined || b === undefined) throw new Error("a pair is two profiles");
      const both = intersect(a, b);
      const probes = probesOver(tree, both, one.seed);
      const together = await see(stage, tree, both, probes);
      if ("field" in together) return { kind: "refused", field: together.field };
      for (const profile of [a, b]) {
        const alone = await see(stage, seenAgain(tree), profile, probes);
        if ("field" in alone) return { kind: "refused", field: `${alone.field} of one alone` };
        compare(together, alone, tally);
      }
      return { kind: "tried", probes: probes.length };
    });
}

async function see(
  stage: Stage,
  tree: Tree,
  profile: Profile,
  probes: readonly Probe[],
): Promise<Seen | { readonly field: string }> {
  const entered = await enter(stage, tree, profile, probes);
  if (entered.kind === "refused") return entered.refusal;
  const scene = { tree, profile, plan: entered.plan };
  return { scene, judged: judge(scene, probes, entered.answers) };
}

function compare(together: Seen, alone: Seen, tally: Tally): void {
  const widened = together.judged.flatMap((one, at) => {
    const other = alone.judged[at];
    if (one.kernel !== "allowed" || other === undefined) return [];
    const isApproximated = other.kernel !== "allowed" && other.verdict !== "agree";
    tally.add(other.kernel === "allowed" ? BOTH : isApproximated ? APPROXIMATED : "allowed only together");
    return other.kernel === "allowed" || isApproximated ? [] : [one, other];
  });
  if (widened.length === 0) return;
  const { tree } = together.scene;
  throw new Error(
    [
      "alone:",
      ...describeProfile(alone.scene.profile, tree),
      "together:",
      describeScene(together.scene, widened),
    ].join("\n"),
  );
}

/** Under what acts are counted that the intersection allows: also allowed alone, or refused there by an approximation. */
export const BOTH = "allowed alone as well";
export const APPROXIMATED = "refused alone by an approximation";
