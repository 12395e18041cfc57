import type { Plan } from "../backend/plan.ts";
import { visible } from "../errors.ts";
import { explain, type Layer, type LayerAnswer } from "../profile/explain.ts";
import { LIMIT_LAYER } from "../profile/own-layers.ts";
import { type AbsolutePath, isInside } from "../profile/path.ts";

/** What takes a name away: to remove it takes what lies below it away as well. */
export type Removal = "remove" | "rename";

/**
 * Why a plan keeps a path where it is although it may be written: something must stay at it, or, of what is to be removed,
 * below it. Null where it does not. `layers` say why what it holds may not be changed.
 */
export function stayAnswer(
  { fixed }: Pick<Plan, "fixed">,
  layers: readonly [Layer, ...Layer[]],
  path: AbsolutePath,
  ask: Removal,
): LayerAnswer | null {
  const isKept = fixed.includes(path) || (ask === "remove" && fixed.some((one) => isInside(one, path)));
  if (!isKept) return null;
  return {
    layer: LIMIT_LAYER,
    allowed: false,
    access: null,
    because: becauseOf(fixed, layers, path),
    at: null,
    remedy: "do it yourself, outside of the sandbox; or change what it holds one by one",
  };
}

/** Why a path may be written, but neither be removed nor renamed, in words; null where it may be. */
export function printStay(
  plan: Pick<Plan, "fixed">,
  layers: readonly [Layer, ...Layer[]],
  path: AbsolutePath,
): string | null {
  const [renamed, removed] = (["rename", "remove"] as const).map((ask) =>
    stayAnswer(plan, layers, path, ask),
  );
  const stay = renamed ?? removed ?? null;
  if (stay === null) return null;
  const what = (renamed ?? null) === null ? "not be removed" : "neither be removed nor renamed";
  return `it may be written, but ${what}: ${stay.because}`;
}

function becauseOf(
  fixed: readonly AbsolutePath[],
  layers: readonly [Layer, ...Layer[]],
  path: AbsolutePath,
): string {
  for (const held of fixed) {
    if (!isInside(held, path)) continue;
    const facts = { kind: "file", bornInside: false } as const;
    const { allowed, decidedBy } = explain(layers, { ask: "write", path: held, facts });
    if (!allowed) return `it holds ${visible(held)}, where ${decidedBy.because} (${decidedBy.layer})`;
  }
  const below = fixed.find((held) => held !== path && isInside(held, path));
  return below === undefined
    ? "it is a mount of the sandbox: it is granted by itself, the machine has a mount there, or a protected link leads through it"
    : `it holds ${visible(below)}, which stays where it is`;
}
