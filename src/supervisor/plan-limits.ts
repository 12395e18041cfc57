import { type Facts, nodeAt } from "../backend/facts.ts";
import type { Plan } from "../backend/plan.ts";
import { visible } from "../errors.ts";
import { type AbsolutePath, isInside, namesOf, ROOT } from "../profile/path.ts";
import type { Root } from "../tool/facts.ts";
import type { AskDenial } from "./ask-denial.ts";
import type { Denial } from "./denial.ts";

/** A path in a root that a plan keeps from being changed, and everything below it. */
export interface HeldPath {
  readonly kind: "held";
  readonly path: AbsolutePath;
  /** What a write there is told. */
  readonly denial: Denial;
  /** What a read there is told; null where it may be read. */
  readonly unreadable: Denial | null;
}

/** A folder that may be written, but is a mount of its own, so that it can't be removed, moved or replaced. */
export interface PinnedPath {
  readonly kind: "pinned";
  readonly path: AbsolutePath;
  /** What is held in it; none for a root. */
  readonly holds: readonly HeldPath[];
  /** The root that stands there; null for a folder in one. */
  readonly root: Root | null;
}

/** Something of a plan that keeps a program from an act that its file modes allow. */
export type PlanLimit = HeldPath | PinnedPath;

/** What the limits of a plan follow from. */
export interface Limiting {
  readonly plan: Pick<Plan, "clauses" | "limits" | "fixed">;
  readonly facts: Pick<Facts, "nodes" | "hits">;
  readonly roots: readonly Root[];
  /** Paths that layers of the product hold by their name, whether or not they exist. */
  readonly named: readonly AbsolutePath[];
}

/**
 * The limits that a plan sets in roots, the deepest first. `ask` is asked about each path of the plan, under the
 * limits of the plan as well. Nothing that a program said is looked at.
 */
export function planLimits({ plan, facts, roots, named }: Limiting, ask: AskDenial): readonly PlanLimit[] {
  const isInRoot = (path: AbsolutePath): boolean => roots.some((root) => isInside(path, root.path));
  const fixed = new Set(plan.fixed);
  const paths = [plan.clauses, plan.limits].flat().map(({ path }) => path);
  const found: HeldPath[] = [];
  const open: AbsolutePath[] = [];
  for (const path of new Set([...paths, ...facts.hits, ...fixed, ...named])) {
    if (path === ROOT || !isInRoot(path)) continue;
    const one = heldAt(path, facts, ask);
    if (one !== null) found.push(one);
    else if (fixed.has(path)) open.push(path);
  }
  // What lies in a folder that is held for the same reason is no limit of its own.
  const held = found.filter(
    ({ path, denial }) =>
      !found.some(
        (other) =>
          other.path !== path && isInside(path, other.path) && other.denial.because === denial.because,
      ),
  );
  const pinned = open.flatMap((path): PinnedPath[] => {
    const root = roots.find((one) => one.path === path) ?? null;
    const holds = held.filter((one) => isInside(one.path, path));
    return holds.length === 0 && root === null ? [] : [{ kind: "pinned", path, holds, root }];
  });
  return [...held, ...pinned].sort((a, b) => namesOf(b.path).length - namesOf(a.path).length);
}

function heldAt(path: AbsolutePath, facts: Pick<Facts, "nodes">, ask: AskDenial): HeldPath | null {
  const node = nodeAt(facts, path).kind;
  const asked = { kind: node === "folder" ? "folder" : "file", bornInside: node === "missing" } as const;
  const denial = ask({ ask: "write", path, facts: asked }, "certain");
  if (denial === null) return null;
  const unreadable = ask({ ask: "read", path, facts: asked }, "certain");
  return { kind: "held", path, denial, unreadable };
}

/** Why a pinned folder stays where it is. */
export function whyPinned({ holds, root }: PinnedPath): string {
  const [first, ...others] = holds;
  if (first === undefined) return `it is the root \`${root?.name ?? ""}\` of the config, a mount of its own`;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `it holds ${visible(first.path)}${more}, which must stay: ${first.denial.because}`;
}
