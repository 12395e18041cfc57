import { type Facts, nodeAt } from "../../backend/facts.ts";
import type { Plan } from "../../backend/plan.ts";
import type { AskDenial } from "../../decide/ask-denial.ts";
import { visible } from "../../errors.ts";
import type { Denial } from "../../policy/denial.ts";
import { type AbsolutePath, isInside, namesOf, ROOT } from "../../profile/path.ts";
import type { Root } from "../../tool/facts.ts";

/** A path in a root that a plan keeps from being changed, with everything below it. */
export interface HeldPath {
  readonly kind: "held";
  readonly path: AbsolutePath;
  readonly denial: Denial;
  /** The denial of a read there; null if it may be read. */
  readonly unreadable: Denial | null;
}

/** A writable folder that is a mount of its own, so that it can't be removed, moved or replaced. */
export interface PinnedPath {
  readonly kind: "pinned";
  readonly path: AbsolutePath;
  /** The paths held in it; empty for a root. */
  readonly holds: readonly HeldPath[];
  /** The root at this path; null for a folder in one. */
  readonly root: Root | null;
}

/** A part of a plan that denies a program an act which the file modes allow. */
export type PlanLimit = HeldPath | PinnedPath;

/** The facts that determine the limits of a plan. */
export interface Limiting {
  readonly plan: Pick<Plan, "clauses" | "limits" | "fixed">;
  readonly facts: Pick<Facts, "nodes" | "hits">;
  readonly roots: readonly Root[];
  /** Paths that layers of the product hold by name, existing or not. */
  readonly named: readonly AbsolutePath[];
}

/** The limits a plan sets in roots, the deepest first. `ask` judges each path; the output of programs is not used. */
export function planLimits({ plan, facts, roots, named }: Limiting, ask: AskDenial): readonly PlanLimit[] {
  const isInRoot = (path: AbsolutePath): boolean => roots.some((root) => isInside(path, root.path));
  const fixed = new Set(plan.fixed);
  const paths = [plan.clauses, plan.limits].flat().map(({ path }) => path);
  const found: HeldPath[] = [];
  const open: AbsolutePath[] = [];
  for (const path of new Set([...paths, ...facts.hits, ...fixed, ...named])) {
    if (path === ROOT || !isInRoot(path)) continue;
    const one = readOnlyAt(path, facts, ask);
    if (one !== null) found.push(one);
    else if (fixed.has(path)) open.push(path);
  }
  // A path in a folder that is held for the same reason is no separate limit.
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

function readOnlyAt(path: AbsolutePath, facts: Pick<Facts, "nodes">, ask: AskDenial): HeldPath | null {
  const node = nodeAt(facts, path).kind;
  const asked = { kind: node === "folder" ? "folder" : "file", bornInside: node === "missing" } as const;
  const denial = ask({ ask: "write", path, facts: asked }, "certain");
  if (denial === null) return null;
  const unreadable = ask({ ask: "read", path, facts: asked }, "certain");
  return { kind: "held", path, denial, unreadable };
}

/** Why a pinned folder can't be moved. */
export function whyPinned({ holds, root }: PinnedPath): string {
  const [first, ...others] = holds;
  if (first === undefined) return `it is the root \`${root?.name ?? ""}\` of the config, a separate mount`;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `it contains ${visible(first.path)}${more}, which must stay: ${first.denial.because}`;
}
