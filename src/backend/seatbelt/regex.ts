import { BUILD_TREES, DEPENDENCY_TREES } from "../../profile/dependency-trees.ts";
import { type AbsolutePath, namesOf, ROOT } from "../../profile/path.ts";
import type { NamePiece, Pattern, PatternSegment } from "../../profile/pattern.ts";
import type { Suffix } from "../../profile/suffix.ts";
import { bothCases, FOREIGN, isFoldedTo, plainSource, spelled, textSource } from "./letters.ts";

/**
 * `root`: a folder of which one spelling is enough, as other rules name the path in a form in which the kernel itself
 * decides about case.
 */
export interface Covered {
  readonly pattern: Pattern;
  readonly ignoreCase: boolean;
  readonly isNodeAlone: boolean;
  readonly root: AbsolutePath | null;
}

/**
 * The end of a regex for a node and all below it. It is undocumented that `.` matches a line break; `doctor` tests it.
 */
const AND_BELOW = "(/[^/]*)?(/.*)?$";

/** A regex in the making, name by name: those that begin and end alike become one. */
interface Source {
  readonly start: string;
  readonly names: readonly string[];
  readonly end: string;
}

/** The maximum length of a regex where splitting it is possible: see `budget.ts`. */
const MAX_BYTES = 880;

/** Any one character: one byte, or the two to four of a character that is not ASCII. */
const FOREIGN_CHARACTER = "[^ -~][^ -~]?[^ -~]?[^ -~]?";

/**
 * Regexes of the matches and all below, for rules that take away. They are searched for: a pattern for any folder
 * begins at a slash, without `^`. Only `^`, `$`, `[ ]`, groups, `*` and `+` after a `[ ]`, and groups with `?` are
 * used: these worked in tests up to macOS 27, whose compiler refuses more than those before it. Accented letters have
 * both Unicode spellings.
 */
export function coveringRegexes(covered: readonly Covered[]): readonly string[] {
  const byFrame = new Map<string, Source[]>();
  for (const source of covered.map(sourceOf)) {
    const key = `${source.start}\0${source.end}\0${source.names.length === 0}`;
    const known = byFrame.get(key);
    if (known === undefined) byFrame.set(key, [source]);
    else if (!known.some(({ names }) => names.join("/") === source.names.join("/"))) known.push(source);
  }
  return [...byFrame.values()].flatMap(joined);
}

/** The regex that matches exactly the paths that end in one of these: it is for rules that give. */
export function endingRegex(endings: readonly Suffix[]): string {
  return `/[^/]*${alternatives(endings.map((ending) => ending.replace(/./gsu, plainSource)))}$`;
}

/** Regexes of paths below dependency or build trees, and no more: rules that take away leave these out. */
export function treeRegexes(roots: readonly AbsolutePath[]): readonly string[] {
  const plain = (text: string): string => text.replace(/./gsu, plainSource);
  const start = `^${oneOf(roots.map((root) => (root === ROOT ? "" : plain(root))))}/(.*/)?`;
  const names = Object.keys({ ...DEPENDENCY_TREES, ...BUILD_TREES }).map(plain);
  const groups: string[][] = [];
  for (const name of names) {
    const group = groups.at(-1);
    const length = start.length + (group ?? []).join("|").length + name.length + "(|)/".length;
    if (group === undefined || length > MAX_BYTES) groups.push([name]);
    else group.push(name);
  }
  return groups.map((group) => `${start}${oneOf(group)}/`);
}

/** Sources with equal starts and ends as one regex, or as several if it would get too long. */
function joined(sources: readonly Source[]): readonly string[] {
  const [first] = sources;
  if (first === undefined) return [];
  const made: string[] = [];
  let some: (readonly string[])[] = [];
  const whole = (): string => `${first.start}${branches(some)}${first.end}`;
  for (const { names } of sources) {
    some.push(names);
    if (some.length === 1 || whole().length <= MAX_BYTES) continue;
    some.pop();
    made.push(whole());
    some = [names];
  }
  return [...made, whole()];
}

/** Writes shared first names once: `a/b` and `a/c` as `a/(b|c)`. */
function branches(lists: readonly (readonly string[])[]): string {
  const byFirst = Map.groupBy(lists, ([first = ""]) => first);
  return alternatives(
    [...byFirst].flatMap(([first, same]) => {
      const longer = same.filter((names) => names.length > 1).map((names) => names.slice(1));
      const own = same.length > longer.length ? [first] : [];
      // A source for any folders brings its own slash.
      const joint = first.endsWith(")?") ? "" : "/";
      return longer.length === 0 ? own : [...own, `${first}${joint}${branches(longer)}`];
    }),
  );
}

function alternatives(sources: readonly string[]): string {
  const ways = [sharingStarts(sources), sharingEnds(sources)].map(oneOf);
  return ways.reduce((best, other) => (other.length < best.length ? other : best), oneOf(sources));
}

function oneOf(sources: readonly string[]): string {
  return sources.length === 1 ? (sources[0] ?? "") : `(${sources.join("|")})`;
}

/** Letters, of one case or of both, with a dot before them: each matches itself, and a repetition is no part of it. */
const LETTER = String.raw`(\w|-|\[\w\w\]|\(\[\w\w\]\|\[\^ -~\]\+\))`;
const START = new RegExp(String.raw`^(\[\.\])?${LETTER}+(?![*+?\]])`);
const END = new RegExp(String.raw`\[\.\]${LETTER}+$`);

/** Writes shared starts once: `config` and `config[.]toml` as `config([.]toml)?`. */
function sharingStarts(sources: readonly string[]): readonly string[] {
  return shared(sources, START, (start, rests) => {
    const others = rests.map((rest) => rest.slice(start.length));
    const longer = others.filter((other) => other !== "");
    return longer.length === others.length
      ? `${start}${alternatives(longer)}`
      : `${start}(${longer.join("|")})?`;
  });
}

/** Writes shared ends once: `hooks[.]json` and `settings[.]json` as `(hooks|settings)[.]json`. */
function sharingEnds(sources: readonly string[]): readonly string[] {
  return shared(sources, END, (end, rests) => {
    const others = rests.map((rest) => rest.slice(0, -end.length));
    return others.includes("") ? oneOf(rests) : `${alternatives(others)}${end}`;
  });
}

function shared(
  sources: readonly string[],
  part: RegExp,
  join: (part: string, sources: readonly string[]) => string,
): readonly string[] {
  const byPart = Map.groupBy(sources, (source) => part.exec(source)?.[0] ?? "");
  return [...byPart].flatMap(([text, same]) =>
    text === "" || same.length === 1 ? same : [join(text, same)],
  );
}

function sourceOf({ pattern: { segments }, ignoreCase, isNodeAlone, root }: Covered): Source {
  const name = (segment: PatternSegment, isFolded: boolean): string =>
    segment.kind === "name" ? nameSource(segment.pieces, isFolded) : ANY_FOLDERS;
  const isAnywhere = segments[0]?.kind === "any-names";
  const exact = root === null ? 0 : namesOf(root).length;
  const before = segments.slice(0, exact).map((one) => `${name(one, false)}/`);
  const start = isAnywhere ? "/" : `^/${before.join("")}`;
  const rest = segments.slice(isAnywhere ? 1 : exact);
  // `**` at the end matches paths below, and so does the root folder.
  if (rest.length === 0) return { start, names: [], end: isAnywhere ? "[^/]" : "" };
  if (rest.at(-1)?.kind === "any-names") {
    const names = rest.slice(0, -1).map((one) => name(one, ignoreCase));
    return { start, names, end: names.length === 0 ? "[^/]" : "/[^/]" };
  }
  const names = rest.map((one) => name(one, ignoreCase));
  return { start, names, end: isNodeAlone ? "$" : AND_BELOW };
}

/** Any number of whole names in the middle of a pattern. */
const ANY_FOLDERS = "(.*/)?";

function nameSource(pieces: readonly NamePiece[], ignoreCase: boolean): string {
  const [first, ...others] = pieces;
  if (first?.kind === "many" && others.length === 0) return "[^/]+";
  if (!ignoreCase) return pieces.map((piece) => pieceSource(piece, false)).join("");
  return joints(pieces).map(jointSource).join("");
}

/** Cut where no ligature can lie across: wildcards stay with their letters, which may form one character. */
function joints(pieces: readonly NamePiece[]): readonly (readonly NamePiece[])[] {
  const groups: NamePiece[][] = [[]];
  const add = (text: string): void => {
    if (text !== "") groups.at(-1)?.push({ kind: "text", text });
  };
  for (const [at, piece] of pieces.entries()) {
    if (piece.kind !== "text") {
      groups.at(-1)?.push(piece);
      continue;
    }
    const text = spelled(piece.text, true);
    const head = at === 0 ? "" : (/^(?:[filst]\p{M}*)+/u.exec(text)?.[0] ?? "");
    const rest = text.slice(head.length);
    const tail = at + 1 === pieces.length ? "" : (/[fs]+$/.exec(rest)?.[0] ?? "");
    const alone = rest.slice(0, rest.length - tail.length);
    add(head);
    if (alone !== "") groups.push([{ kind: "text", text: alone }], []);
    add(tail);
  }
  return groups;
}

/** The source of a ligature also matches its neighbours: pure ASCII names match nothing more by it. */
function jointSource(pieces: readonly NamePiece[]): string {
  const source = pieces.map((piece) => pieceSource(piece, true)).join("");
  const wild = pieces.filter(({ kind }) => kind !== "text");
  const singles = wild.filter(({ kind }) => kind !== "many");
  const isJoint = wild.length > 0 && (wild.length < pieces.length || singles.length > 1);
  return isJoint ? `(${source}|[^/]*${FOREIGN}[^/]*)` : source;
}

function pieceSource(piece: NamePiece, ignoreCase: boolean): string {
  switch (piece.kind) {
    case "text":
      return textSource(spelled(piece.text, ignoreCase), ignoreCase);
    case "many":
      return "[^/]*";
    case "one":
      return `([^/]|${FOREIGN_CHARACTER})`;
    case "set":
      return setSource(piece, ignoreCase);
  }
}

function setSource({ negated, members }: Extract<NamePiece, { kind: "set" }>, ignoreCase: boolean): string {
  const spellings = [...members].map((one) => spelled(one, ignoreCase));
  const plain = spellings.filter((one) => /^[ -~]$/.test(one));
  const cased = [...new Set(ignoreCase ? plain.flatMap(bothCases) : plain)].join("");
  if (negated) return `([^/${cased}]|${FOREIGN_CHARACTER})`;
  const others = spellings.filter((one) => !/^[ -~]$/.test(one)).map((one) => textSource(one, ignoreCase));
  if (isFoldedTo(cased, ignoreCase)) others.push(FOREIGN);
  return oneOf([...(cased === "" ? [] : [`[${cased}]`]), ...new Set(others)]);
}
