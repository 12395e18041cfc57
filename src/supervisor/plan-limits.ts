import { type Facts, nodeAt } from "../backend/facts.ts";
import type { Approximation, Plan } from "../backend/plan.ts";
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
  readonly plan: Pick<Plan, "clauses" | "approximations">;
  readonly facts: Pick<Facts, "nodes" | "hits">;
  readonly roots: readonly Root[];
  /** Paths that layers of the product hold by their name, whether or not they exist. */
  readonly named: readonly AbsolutePath[];
}

/**
 * The limits that a plan sets in roots, the deepest first. `ask` is asked about each path of the plan; where it allows a
 * write, the plan may still be tighter, and says why. Nothing that a program said is looked at.
 */
export function planLimits({ plan, facts, roots, named }: Limiting, ask: AskDenial): readonly PlanLimit[] {
  const isInRoot = (path: AbsolutePath): boolean => roots.some((root) => isInside(path, root.path));
  const tighter = new Map(plan.approximations.map((one) => [one.path, one]));
  const mounted = new Set(plan.clauses.flatMap(({ path, args }) => (args[0] === "--bind" ? [path] : [])));
  const paths = [...plan.clauses.map(({ path }) => path), ...facts.hits, ...tighter.keys(), ...named];
  const held: HeldPath[] = [];
  const open: AbsolutePath[] = [];
  for (const path of new Set(paths)) {
    if (path === ROOT || !isInRoot(path)) continue;
    const found = heldAt(path, facts, ask, tighter.get(path) ?? null);
    if (found !== null) held.push(found);
    else if (mounted.has(path)) open.push(path);
  }
  const pinned = open.flatMap((path): PinnedPath[] => {
    const root = roots.find((one) => one.path === path) ?? null;
    const holds = held.filter((one) => isInside(one.path, path));
    return holds.length === 0 && root === null ? [] : [{ kind: "pinned", path, holds, root }];
  });
  return [...held, ...pinned].sort((a, b) => namesOf(b.path).length - namesOf(a.path).length);
}

function heldAt(
  path: AbsolutePath,
  facts: Pick<Facts, "nodes">,
  ask: AskDenial,
  tighter: Approximation | null,
): HeldPath | null {
  const node = nodeAt(facts, path).kind;
  const asked = { kind: node === "folder" ? "folder" : "file", bornInside: node === "missing" } as const;
  const denial =
    ask({ ask: "write", path, facts: asked }, "certain") ?? (tighter === null ? null : deniedBy(tighter));
  if (denial === null) return null;
  const unreadable = ask({ ask: "read", path, facts: asked }, "certain");
  return { kind: "held", path, denial, unreadable };
}

/** What only the plan keeps from being written, and how that ends; null for what keeps nothing from it. */
function deniedBy({ name, path, reason }: Approximation): Denial | null {
  const remedy = TIGHTER[name];
  if (remedy === undefined) return null;
  return { operation: "write", target: path, certainty: "certain", because: reason, remedy };
}

const TIGHTER: Readonly<Record<string, string>> = {
  "link-folder":
    "replace the link by a copy of what it leads to, outside of the sandbox, if the folder is to be written",
  "link-target": "change it yourself, outside of the sandbox, if it is meant",
  alias: "change it yourself, outside of the sandbox, if it is meant",
  "missing-folder": "make the folder yourself, outside of the sandbox, if it is meant",
  "search-bound": "narrow the root, or raise the bound under `sandbox.search`",
  "mount-budget": "list the folders in it that are to be written as roots of their own under `sandbox.paths`",
};

/** Why a pinned folder stays where it is. */
export function whyPinned({ holds, root }: PinnedPath): string {
  const [first, ...others] = holds;
  if (first === undefined) return `it is the root \`${root?.name ?? ""}\` of the config, a mount of its own`;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `it holds ${visible(first.path)}${more}, which must stay: ${first.denial.because}`;
}
