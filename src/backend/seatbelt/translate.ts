import { CofferdamError } from "../../errors.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import { literalPattern } from "../../profile/pattern.ts";
import type { Suffix } from "../../profile/suffix.ts";
import type { Only, Shape } from "./area.ts";
import type { FileRule, Right } from "./file-rules.ts";
import { coveringRegexes, endingRegex } from "./regex.ts";
import { allOf, anyOf, type Filter, not, type SbplRule } from "./sbpl.ts";

const READ = ["file-read*", "file-read-data", "file-read-metadata", "file-read-xattr"] as const;
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
  read: [...READ, ...RUN],
  pass: ["file-read-metadata"],
  change: CHANGE,
  names: NAMES,
  write: ["file-write*", ...CHANGE, ...NAMES, "file-write-owner"],
} as const satisfies Record<Right, readonly string[]>;

/** A rule on files as the kernel takes it. What an allow speaks of is printed as it is; what is denied may be wider. */
export function translate({ action, right, area }: FileRule): SbplRule {
  const within = action === "allow" ? givenShape(area.within) : deniedShape(area.within);
  const except = area.except.flatMap(deniedShape).map(not);
  return {
    action,
    operations: OPERATIONS[right],
    filter: allOf([anyOf(within), ...kindFilters(area.only), ...except]),
    isGuarded: false,
  };
}

type Alternatives = readonly [Filter, ...Filter[]];

function givenShape(shape: Shape): Alternatives {
  if (shape.kind !== "match") return pathFilters(shape.path, shape.kind);
  throw new CofferdamError("INTERNAL", `a rule would give access by the pattern ${shape.pattern.text}`);
}

/** A path that no profile can spell is denied by a regex, in which the characters it has may be others as well. */
function deniedShape(shape: Shape): Alternatives {
  if (shape.kind === "match") return regexes(coveringRegexes(shape.pattern, shape.ignoreCase));
  if (isSpellable(shape.path)) return pathFilters(shape.path, shape.kind);
  const covering = coveringRegexes(literalPattern(shape.path), false);
  return regexes(shape.kind === "tree" ? covering : covering.filter((one) => one.endsWith("$")));
}

/** The node itself is named too: whether `subpath` holds for it is contested. */
function pathFilters(path: AbsolutePath, kind: "node" | "tree"): Alternatives {
  const node: Filter = { kind: "literal", texts: [path] };
  return kind === "node" ? [node] : [node, { kind: "subpath", texts: [path] }];
}

function kindFilters(only: Only): readonly Filter[] {
  const folder: Filter = { kind: "vnode-type", name: "DIRECTORY" };
  switch (only.kind) {
    case "everything":
      return [];
    case "folders":
      return [folder];
    case "files":
      return [not(folder), anyOf(endingFilters(only.endings))];
    case "other-files":
      return [not(folder), ...(only.endings.length === 0 ? [] : [not(anyOf(endingFilters(only.endings)))])];
  }
}

function endingFilters(endings: readonly Suffix[]): Alternatives {
  return regexes(endings.map(endingRegex));
}

function regexes(sources: readonly string[]): Alternatives {
  const [first, ...others] = sources.map((source): Filter => ({ kind: "regex", texts: [source] }));
  if (first === undefined)
    throw new CofferdamError("INTERNAL", "a filter without alternatives would hold for everything");
  return [first, ...others];
}

/** True when a profile can spell the text: printable ASCII. How the kernel reads anything else is not documented. */
export function isSpellable(text: string): boolean {
  return /^[ -~]*$/.test(text);
}
