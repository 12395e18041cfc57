import type { MountPlan, PlanClause } from "../../../src/backend/plan.ts";
import { type Access, isAtMost } from "../../../src/profile/access.ts";
import { entryKey, explain, type Layer, maskKey } from "../../../src/profile/explain.ts";
import { type AbsolutePath, isInside, upwards } from "../../../src/profile/path.ts";
import { exactTest } from "../../../src/profile/pattern.ts";
import type { FileEntry, Mask, Profile } from "../../../src/profile/profile.ts";
import { type Case, withTree } from "./agreement.ts";
import type { TryCase } from "./battery.ts";
import { describeScene } from "./describe.ts";
import { Dice } from "./dice.ts";
import { enter } from "./enter.ts";
import { type Judged, judge, type Scene } from "./judge.ts";
import { type Probe, probesOver } from "./probe.ts";
import { profileOver } from "./profile-sketch.ts";
import type { Stage } from "./stage.ts";
import { withClauses } from "./tamper.ts";
import { seenAgain } from "./tree.ts";

/** How many clauses are taken out of one plan, one after the other. */
const MAX_REMOVED = 2;

/** A clause of a profile, and the mount that enforces it. */
interface Enforced {
  readonly clause:
    | { readonly kind: "entry"; readonly entry: FileEntry }
    | { readonly kind: "mask"; readonly mask: Mask };
  readonly mount: PlanClause;
}

/** An act that `explain` gives a clause for, where taking that clause's mount away must turn the answer round. */
interface Decided {
  readonly probe: Probe;
  readonly isAllowed: boolean;
  readonly enforced: Enforced;
}

/**
 * Asks `explain` about reads and writes on the tree, and takes the mount of the clause that it names out of the plan:
 * the kernel's answer must be the other one then.
 */
export function tryExplain(stage: Stage): TryCase<Case> {
  return (one, tally) =>
    withTree(stage, one.tree, one.turn, async (tree) => {
      const profile = profileOver(tree, one.profile, stage.system.read);
      const probes = probesOver(tree, profile, one.seed).filter(
        (probe) => (probe.op === "read" || probe.op === "write") && probe.via === null,
      );
      const entered = await enter(stage, tree, profile, probes);
      if (entered.kind === "refused") return { kind: "refused", field: entered.refusal.field };
      const scene = { tree, profile, plan: entered.plan };
      const decided = judge(scene, probes, entered.answers).flatMap((judged) => decidedBy(scene, judged));
      for (const { probe, isAllowed, enforced } of new Dice(one.seed).some(decided, MAX_REMOVED)) {
        const tampered = await enter(stage, seenAgain(tree), profile, [probe], {
          plan: (plan) =>
            withClauses(plan, (clause) => (clause.path === enforced.mount.path ? [] : clause.args)),
        });
        if (tampered.kind === "refused") throw new Error("a plan was made once, and then refused");
        const [after] = judge(scene, [probe], tampered.answers);
        tally.add(`${isAllowed ? "allowance" : "denial"} by ${enforced.clause.kind}`);
        if (after !== undefined && (after.kernel === "allowed") === isAllowed)
          throw new Error(
            `${enforced.mount.args.join(" ")} decides nothing: ${describeScene(scene, [after])}`,
          );
      }
      return { kind: "tried", probes: decided.length };
    });
}

/** The clause that `explain` names, where the kernel agrees and exactly one mount stands for it. */
function decidedBy(scene: Scene, { probe, kernel, verdict }: Judged): readonly Decided[] {
  const thing = scene.tree.byPath.get(probe.path);
  if (
    thing?.kind !== "file" ||
    thing.mode !== 0o644 ||
    isClosed(scene, probe.path) ||
    verdict !== "agree" ||
    (probe.op !== "read" && probe.op !== "write")
  )
    return [];
  const { layer, clauses } = layerOf(scene.profile);
  const { decidedBy: answer, allowed } = explain([layer], {
    ask: probe.op,
    path: probe.path,
    facts: { kind: "file", bornInside: false },
  });
  if (allowed !== (kernel === "allowed"))
    throw new Error(`explain says ${String(allowed)}: ${describeScene(scene, [])}`);
  const clause = clauses[answer.at?.line ?? -1];
  const [mount, above] = mountsOn(scene.plan, probe.path);
  if (clause === undefined || mount === undefined || !isEnforcedAt(clause, mount.path)) return [];
  const isAllowedWithout = above !== undefined && isAtMost(probe.op, shownBy(above));
  return isAllowedWithout === allowed ? [] : [{ probe, isAllowed: allowed, enforced: { clause, mount } }];
}

/** True below a folder that its owner can't pass: there the file modes answer, whatever is mounted. */
function isClosed({ tree }: Scene, path: AbsolutePath): boolean {
  return [...upwards(path)].some((at) => {
    const thing = tree.byPath.get(at);
    return thing?.kind === "folder" && (thing.mode & 0o100) === 0;
  });
}

/** The profile as a layer whose clauses stand one to a line. */
function layerOf(profile: Profile): {
  readonly layer: Layer;
  readonly clauses: readonly Enforced["clause"][];
} {
  const clauses = [
    ...profile.files.map((entry) => ({ kind: "entry", entry }) as const),
    ...profile.masks.map((mask) => ({ kind: "mask", mask }) as const),
  ];
  const keyOf = (clause: Enforced["clause"]): string =>
    clause.kind === "entry" ? entryKey(clause.entry.path) : maskKey(clause.mask);
  const sources = new Map(
    clauses.map((clause, line) => [keyOf(clause), { file: "profile", line, column: 1 }]),
  );
  return { layer: { name: "profile", profile, sources }, clauses };
}

/** The mount that the path lies on, and the one that this lies on. */
function mountsOn(plan: MountPlan, path: AbsolutePath): readonly PlanClause[] {
  return plan.clauses.filter((clause) => isInside(path, clause.path)).toReversed();
}

function isEnforcedAt(clause: Enforced["clause"], point: AbsolutePath): boolean {
  if (clause.kind === "entry") return clause.entry.path === point;
  return exactTest(clause.mask.pattern, clause.mask.ignoreCase)(point);
}

function shownBy({ args }: PlanClause): Access {
  return args[0] === "--bind" ? "write" : args[0] === "--ro-bind" && args[1] === args[2] ? "read" : "none";
}
