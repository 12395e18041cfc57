import { CofferdamError } from "../../errors.ts";
import { type AbsolutePath, foldedPath, isInside, ROOT } from "../../profile/path.ts";
import { literalPattern } from "../../profile/pattern.ts";
import type { Only, Shape } from "./area.ts";
import { READ } from "./base.ts";
import type { FileRule, Right } from "./file-rules.ts";
import { type Covered, coveringRegexes, endingRegex, treeRegexes } from "./regex.ts";
import { allOf, anyOf, type Filter, isSome, not, type SbplRule, type Some } from "./sbpl.ts";
import { CALL_PARAMETERS } from "./start-program.ts";

const RUN = ["file-map-executable", "process-exec", "process-exec*"] as const;
const CHANGE = [
  "file-write-data",
  "file-write-flags",
  "file-write-mode",
  "file-write-times",
  "file-write-xattr",
] as const;
const NAMES = ["file-write-create", "file-write-unlink"] as const;

/**
 * A rule on one operation beats one on its wildcard, so denies name both. The wildcard of writing would include changes
 * of owner and, before macOS 12.3, set-uid bits.
 */
const OPERATIONS = {
  allow: {
    read: [...READ, ...RUN],
    pass: ["file-read-metadata"],
    change: CHANGE,
    names: NAMES,
    write: [...CHANGE, ...NAMES],
  },
  deny: {
    read: [...READ, ...RUN],
    pass: ["file-read-metadata"],
    change: CHANGE,
    names: NAMES,
    write: ["file-write*", ...CHANGE, ...NAMES, "file-write-owner"],
  },
} as const satisfies Record<FileRule["action"], Record<Right, Some<string>>>;

/** The maximum of conditions in one rule, so that `budget.ts` takes it: further ones go into other rules. */
const MAX_ALTERNATIVES = 100;

/** A file rule, or several if it has many alternatives. Allows are exact, denies may be wider. */
export function translate(
  { action, right, area }: FileRule,
  roots: readonly AbsolutePath[],
): readonly SbplRule[] {
  const within = action === "allow" ? area.within.flatMap(givenFilters) : coveringFilters(area.within, roots);
  const excepted = coveringFilters(area.except, roots);
  const conditions = [...kindFilters(area.only), ...(isSome(excepted) ? [not(anyOf(excepted))] : [])];
  const rules: SbplRule[] = [];
  for (let at = 0; at < within.length; at += MAX_ALTERNATIVES) {
    const some = within.slice(at, at + MAX_ALTERNATIVES);
    if (!isSome(some)) break;
    rules.push({
      action,
      operations: operationsOf(action, right, area.only),
      filter: allOf([anyOf(some), ...conditions]),
      isTold: action === "deny",
    });
  }
  return rules;
}

/** Rules on execution cannot ask if a path is a folder: paths with a suffix list are read and not run. */
function operationsOf(action: FileRule["action"], right: Right, only: Only): Some<string> {
  return right === "read" && only.kind !== "everything" ? READ : OPERATIONS[action][right];
}

/** The most telling operation of a right, for people. */
export function mainOperation(right: Right): string {
  const [first] = OPERATIONS.deny[right];
  return first;
}

/** True for printable ASCII: how the kernel reads anything else is not documented. */
export function isSpellable(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/** Filters for rules that give: they match exactly the shape. */
export function givenFilters(shape: Shape): readonly Filter[] {
  if (shape.kind === "own") return OWN_FILTERS[shape.what];
  if (shape.kind !== "match") return pathFilters(shape.path, shape.kind);
  throw new CofferdamError("INTERNAL", `a rule would grant access by the pattern ${shape.pattern.text}`);
}

/** Filters that match at least the shapes. In regexes, foreign characters may match others as well. */
export function coveringFilters(shapes: readonly Shape[], roots: readonly AbsolutePath[]): readonly Filter[] {
  const plain = shapes.flatMap((shape): readonly Filter[] => {
    if (shape.kind === "own") return givenFilters(shape);
    return shape.kind !== "match" && isSpellable(shape.path) ? pathFilters(shape.path, shape.kind) : [];
  });
  const covered = shapes.flatMap((shape): readonly Covered[] => {
    if (shape.kind === "own" || isExcepting(shape)) return [];
    const { ignoreCase } = shape;
    if (shape.kind === "match") return [coveredBy(shape)];
    const { path } = shape;
    if (isSpellable(path) && !(ignoreCase ? /[A-Za-z;`]/ : /[K;`]/).test(path)) return [];
    const pattern = literalPattern(path);
    const isNodeAlone = shape.kind === "node";
    if (isSpellable(path)) return [{ pattern, ignoreCase, isNodeAlone, root: rootOf(path, roots) }];
    // Nothing else names it, so it is covered whether or not a kernel ignores case.
    return [{ pattern, ignoreCase: true, isNodeAlone, root: null }];
  });
  return [...plain, ...regexFilters(covered), ...outsideTrees(shapes.filter(isExcepting))];
}

function regexFilters(covered: readonly Covered[]): readonly Filter[] {
  return coveringRegexes(covered).map((text) => ({ kind: "regex", text }));
}

type Match = Extract<Shape, { kind: "match" }>;
type Excepting = Match & { readonly exceptTreesOf: readonly AbsolutePath[] };

function isExcepting(shape: Shape): shape is Excepting {
  return shape.kind === "match" && shape.exceptTreesOf !== null;
}

function coveredBy({ pattern, ignoreCase }: Match): Covered {
  return { pattern, ignoreCase, isNodeAlone: false, root: null };
}

function outsideTrees(shapes: readonly Excepting[]): readonly Filter[] {
  const groups = Map.groupBy(shapes, ({ exceptTreesOf }) => exceptTreesOf.join("\0"));
  return [...groups.values()].flatMap((group): readonly Filter[] => {
    const matched = regexFilters(group.map(coveredBy));
    const excepted = treeFilters(group[0]?.exceptTreesOf ?? []);
    if (!isSome(matched)) return [];
    return isSome(excepted) ? [allOf([anyOf(matched), not(anyOf(excepted))])] : matched;
  });
}

/** Trees of these roots. A root that no profile can spell has none: then the rule takes away more. */
function treeFilters(roots: readonly AbsolutePath[]): readonly Filter[] {
  const innerOf = (root: AbsolutePath) => roots.filter((other) => other !== root && isInside(other, root));
  const spelled = roots.filter(isSpellable);
  const plain = spelled.filter((root) => innerOf(root).length === 0);
  const regexesOf = (some: readonly AbsolutePath[]) =>
    some.length === 0 ? [] : treeRegexes(some).map((text): Filter => ({ kind: "regex", text }));
  const outer = spelled
    .filter((root) => !plain.includes(root))
    .flatMap((root) => {
      const inner = innerOf(root).flatMap((other) => pathFilters(other, "tree"));
      return regexesOf([root]).map((regex) => (isSome(inner) ? allOf([regex, not(anyOf(inner))]) : regex));
    });
  return [...regexesOf(plain), ...outer];
}

/** The nearest root around a path; none if the path also lies in another one that differs in case alone. */
function rootOf(path: AbsolutePath, roots: readonly AbsolutePath[]): AbsolutePath | null {
  const around = roots.filter((root) => root !== ROOT && foldedPath(path).startsWith(`${foldedPath(root)}/`));
  if (around.some((root) => !isInside(path, root))) return null;
  return around.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** The node itself is named too: whether `subpath` holds for it is contested. */
function pathFilters(path: AbsolutePath, kind: "node" | "tree"): readonly Filter[] {
  const node: Filter = { kind: "literal", text: path };
  return kind === "node" ? [node] : [node, { kind: "subpath", text: path }];
}

/** Filters for the call's own places, by the names that the launcher gives them. */
export const OWN_FILTERS = {
  folder: [{ kind: "literal", text: { param: CALL_PARAMETERS.folder } }],
  places: [...placeFilters(CALL_PARAMETERS.home), ...placeFilters(CALL_PARAMETERS.temporary)],
  given: placeFilters(CALL_PARAMETERS.given),
} as const satisfies Record<string, readonly Filter[]>;

function placeFilters(param: string): Some<Filter> {
  return [
    { kind: "literal", text: { param } },
    { kind: "subpath", text: { param } },
  ];
}

function kindFilters(only: Only): readonly Filter[] {
  const folder: Filter = { kind: "vnode-type", word: "DIRECTORY" };
  switch (only.kind) {
    case "everything":
      return [];
    case "folders":
      return [folder];
    case "files":
      return [not(folder), { kind: "regex", text: endingRegex(only.endings) }];
    case "other-files": {
      const ending: Filter = { kind: "regex", text: endingRegex(only.endings) };
      return [not(folder), ...(only.endings.length === 0 ? [] : [not(ending)])];
    }
  }
}
