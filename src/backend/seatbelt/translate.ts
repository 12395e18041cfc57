import { CofferdamError } from "../../errors.ts";
import { type AbsolutePath, foldedPath, isInside, ROOT } from "../../profile/path.ts";
import { literalPattern } from "../../profile/pattern.ts";
import type { Only, Shape } from "./area.ts";
import { READ } from "./base.ts";
import type { FileRule, Right } from "./file-rules.ts";
import { CALL_PARAMETERS } from "./gate.ts";
import { type Covered, coveringRegexes, endingRegex, treeRegexes } from "./regex.ts";
import { allOf, anyOf, type Filter, isSome, not, type SbplRule, type Some } from "./sbpl.ts";

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
 * The operations of a right. A rule on a single operation beats one on its wildcard wherever it stands, so denies name
 * both. Allows of writing name single operations only: the wildcard would bring changes of owner along and, before
 * macOS 12.3, set-uid bits.
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

/** So many conditions stand in one rule at most, so that `budget.ts` takes it: what there is more goes into others. */
const MOST_ALTERNATIVES = 100;

/**
 * A rule on files as the kernel takes it, or several where it has many alternatives. What an allow speaks of is printed as
 * it is; what is denied may be wider. `roots` are where access is given.
 */
export function translate(
  { action, right, area }: FileRule,
  roots: readonly AbsolutePath[],
): readonly SbplRule[] {
  const within = action === "allow" ? area.within.flatMap(givenFilters) : coveringFilters(area.within, roots);
  const excepted = coveringFilters(area.except, roots);
  const conditions = [...kindFilters(area.only), ...(isSome(excepted) ? [not(anyOf(excepted))] : [])];
  const rules: SbplRule[] = [];
  for (let at = 0; at < within.length; at += MOST_ALTERNATIVES) {
    const some = within.slice(at, at + MOST_ALTERNATIVES);
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

/** Whether something is a folder can't be asked where it is to be run: what has a suffix list is read and not run. */
function operationsOf(action: FileRule["action"], right: Right, only: Only): Some<string> {
  return right === "read" && only.kind !== "everything" ? READ : OPERATIONS[action][right];
}

/** The operation that says most of a right, for people. */
export function mainOperation(right: Right): string {
  const [first] = OPERATIONS.deny[right];
  return first;
}

/** True when a profile can spell the text: printable ASCII. How the kernel reads anything else is not documented. */
export function isSpellable(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/** What rules give: exactly that. */
export function givenFilters(shape: Shape): readonly Filter[] {
  if (shape.kind === "own") return OWN_FILTERS[shape.what];
  if (shape.kind !== "match") return pathFilters(shape.path, shape.kind);
  throw new CofferdamError("INTERNAL", `a rule would give access by the pattern ${shape.pattern.text}`);
}

/**
 * What rules take away: at least that. A path that no profile can spell, and other spellings of one where case does not
 * count, are taken away by a regex, in which foreign characters may be others as well.
 */
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
    // Nothing else names it, so that it is covered however a kernel takes the case of letters.
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

/** What the shapes match, but for what lies in dependency and build trees: those with the same exceptions share a condition. */
function outsideTrees(shapes: readonly Excepting[]): readonly Filter[] {
  const groups = Map.groupBy(shapes, ({ exceptTreesOf }) => exceptTreesOf.join("\0"));
  return [...groups.values()].flatMap((group): readonly Filter[] => {
    const matched = regexFilters(group.map(coveredBy));
    const excepted = treeFilters(group[0]?.exceptTreesOf ?? []);
    if (!isSome(matched)) return [];
    return isSome(excepted) ? [allOf([anyOf(matched), not(anyOf(excepted))])] : matched;
  });
}

/**
 * What lies in such trees of these roots. A root in another one has trees of its own alone. One whose path no profile can spell has none:
 * then the rule takes away more.
 */
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

/** The nearest root around a path; none where the path also lies in another one that differs in case alone. */
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

/** What is the call's own, by the names that the launcher gives it. */
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
