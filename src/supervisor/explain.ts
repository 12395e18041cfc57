import type { PlanClause } from "../backend/plan.ts";
import type { Ceiling } from "../config/config.ts";
import type { Position } from "../errors.ts";
import { type Explanation, entryKey, explain, type Layer, type Question } from "../profile/explain.ts";
import { isInside } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import type { ToolSettings } from "../tool/derive.ts";
import type { Prepared, Side } from "./prepare.ts";

/** Why something is allowed or not, before and after a yes, and the part of the plan that enforces it. */
export interface CallExplanation {
  readonly unasked: Explanation;
  readonly onYes: Explanation;
  /** Of the plan that a yes would run; null when nothing in it speaks of the target. */
  readonly clause: PlanClause | null;
  /** Where that plan is tighter than the answer, and why. */
  readonly tighter: readonly string[];
}

/** Every layer that a call's profile is the meet of: what the tool needs, then each operator file. */
export function layersOf(
  settings: ToolSettings,
  ceiling: Ceiling,
  need: Profile,
): readonly [Layer, ...Layer[]] {
  const sources = new Map(
    settings.roots.flatMap((root): [string, Position][] =>
      root.at === null ? [] : [[entryKey(root.path), root.at]],
    ),
  );
  return [{ name: "config", profile: need, sources }, ...ceiling.layers];
}

/** Explains one question from the same layers and the same plan that a call would run under. */
export function explainCall(prepared: Prepared, question: Question): CallExplanation {
  const { settings, ceiling, needs } = prepared.standing;
  return {
    unasked: explain(layersOf(settings, ceiling, needs.unasked), question),
    onYes: explain(layersOf(settings, ceiling, needs.onYes), question),
    clause: clauseFor(prepared.onYes, question),
    tighter: tighterAt(prepared.onYes, question),
  };
}

function tighterAt(side: Side, question: Question): readonly string[] {
  if (side.rendering.kind !== "plan" || (question.ask !== "read" && question.ask !== "write")) return [];
  const { approximations } = side.rendering.plan;
  return approximations.filter(({ path }) => isInside(question.path, path)).map(({ reason }) => reason);
}

/** The last clause of the plan at or above the path: the mount that a process would meet there. */
function clauseFor(side: Side, question: Question): PlanClause | null {
  if (side.rendering.kind !== "plan" || (question.ask !== "read" && question.ask !== "write")) return null;
  return side.rendering.plan.clauses.findLast((clause) => isInside(question.path, clause.path)) ?? null;
}
