import type { Plan } from "../backend/plan.ts";
import { visible } from "../errors.ts";
import { explain, type Layer, type LayerAnswer } from "../profile/explain.ts";
import { LIMIT_LAYER } from "../profile/own-layers.ts";
import { type AbsolutePath, isInside } from "../profile/path.ts";

/** The acts that take a name away. Removing it also removes everything below it. */
export type Removal = "remove" | "rename";

/** Why a plan keeps a writable path in place; null if it does not. `layers` say why its content may not be changed. */
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
    remedy: "do it yourself outside the sandbox, or change its contents one by one",
  };
}

/** Why a writable path can be neither removed nor renamed, in words; null if it can. */
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
  return `it can't be removed${renamed === stay ? " or renamed" : ""}, because ${stay.because}`;
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
    if (!allowed) return `it contains ${visible(held)}, where ${decidedBy.because} (${decidedBy.layer})`;
  }
  const below = fixed.find((held) => held !== path && isInside(held, path));
  return below === undefined
    ? "it is a mount of the sandbox, by its own grant, a mount of the machine, or a protected link through it"
    : `it contains ${visible(below)}, which can't be moved or deleted`;
}
