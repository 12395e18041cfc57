import type { RulePlan } from "../../../src/backend/plan.ts";
import { type AbsolutePath, knownPath, namesOf, upwards } from "../../../src/profile/path.ts";
import type { NamePiece, Pattern } from "../../../src/profile/pattern.ts";
import { spokenPaths } from "../../support/mac/asked-paths.ts";
import { CALL_PARAMETERS, type MacCase } from "../../support/mac/mac-case.ts";
import { type Profile as Compiled, compile } from "../compile.ts";
import { decide } from "../decide.ts";
import type { Filter } from "../filters.ts";
import { holds } from "../match-filter.ts";
import { isPartOf } from "../operations.ts";
import { planner } from "../plan.ts";
import type { Query, Reading, Vnode } from "../query.ts";
import { type Question, questionOf } from "../question.ts";
import { EVERY_READING, LIKELY } from "../readings.ts";
import type { Rule } from "../rule.ts";
import { isAgreed, parametersOf } from "./differential.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { DECIDED, type Expected, heldNodes, type Portable, portable, waysTo } from "./portable.ts";

/** All differences that decide about paths; strings and operations are read alike by all of them here. */
const READINGS = EVERY_READING.filter(
  (one) => one.sharpStrings === "raw" && one.knows === LIKELY.knows && one.regexUnit === "byte",
);
const OPERATIONS = [...DECIDED.read, ...DECIDED.run, ...DECIDED.change, ...DECIDED.names];
const ALIASES = [
  "/etc/a",
  "/home/a",
  "/tmp/a",
  "/var/a",
  ...["Applications", "Library", "Users", "Volumes", "cores", "opt", "private", "usr"].map(
    (name) => `/System/Volumes/Data/${name}/a`,
  ),
];
const VNODES: readonly Vnode[] = ["REGULAR-FILE", "DIRECTORY"];

/** A text's rules, and everything that is asked about them. */
export interface Target {
  readonly given: MacCase;
  readonly rules: readonly Rule[];
  readonly model: Portable;
  readonly places: readonly Place[];
  readonly firstLine: number;
}

/** The rules on files of a plan as a target; those above them are the same for every profile. */
export function targetOf(given: MacCase, { rules: { text, parameters } }: RulePlan): Target {
  const params = parametersOf({ parameters });
  const compiled = compile(text, LIKELY, { params });
  if (compiled.kind !== "profile") throw new Error(`line ${compiled.line} is none`);
  const firstLine = text.slice(0, text.indexOf("\n; Files: ")).split("\n").length;
  const model = remembering(portable(given));
  return { given, rules: compiled.rules, model, places: placesAt(aimedPaths(given)), firstLine };
}

/** Each mutant is asked about much the same. */
function remembering(model: Portable): Portable {
  const known = new Map<string, Expected>();
  return (query, reading) => {
    const key = `${query.operation} ${query.vnode} ${reading.foldsCase} ${reading.precedence} ${query.path}`;
    const answer = known.get(key) ?? model(query, reading);
    known.set(key, answer);
    return answer;
  };
}

function placesAt(paths: readonly AbsolutePath[]): readonly Place[] {
  return READINGS.flatMap((reading) =>
    paths.flatMap((path) =>
      VNODES.map((vnode) => ({
        question: questionOf({ operation: "file-read-data", path, vnode }, reading),
        reading,
      })),
    ),
  );
}

/** Where something is asked, in one reading; what is asked there is still to be said. */
interface Place {
  readonly question: Question;
  readonly reading: Reading;
}

/** Every mutant of the rules on files. */
export function mutants({ rules, firstLine }: Target): readonly Mutant[] {
  return mutantsOf(rules, ({ line, operations }) => {
    return line > firstLine && operations.some((one) => one.startsWith("file-") && one !== "file-ioctl");
  });
}

/** A question and a reading that tell a mutant from what the profile says; null: none of those that are asked. */
export function killer(target: Target, mutant: Mutant): { query: Query; reading: Reading } | null {
  const profile: Compiled = { kind: "profile", rules: mutant.rules, planFor: planner(mutant.rules, false) };
  const operations = askedOf(mutant.rule);
  for (const { question, reading } of placesOf(target, mutant.lost)) {
    for (const operation of operations) {
      const query = { ...question.query, operation };
      const { allowed, rule } = decide(profile, query, reading);
      const isNamed = rule !== null && rule.filters.length > 0;
      if (!isAgreed(target.model(query, reading), { allowed, isNamed, line: null }))
        return { query, reading };
    }
  }
  return null;
}

function askedOf(rule: Rule): readonly string[] {
  return OPERATIONS.filter((one) => rule.operations.some((whole) => isPartOf(one, whole)));
}

/** True where what it lost is said by another condition of the rule, or by another rule, wherever it made a difference. */
export function isSaidElsewhere(target: Target, { lost, rule, left }: Mutant): boolean {
  if (lost === null) return false;
  const others = target.rules.filter(
    (one) =>
      one !== rule &&
      one.action === rule.action &&
      rule.operations.every((name) => one.operations.includes(name)),
  );
  return placesOf(target, lost).every(
    ({ question }) =>
      hasAny(rule.filters, question) === hasAny(left ?? [], question) ||
      others.some((one) => hasAny(one.filters, question)),
  );
}

function hasAny(filters: readonly Filter[], question: Question): boolean {
  return filters.some((one) => holds(one, question));
}

/** The places at which a condition holds; all of them where there is none. */
function placesOf({ places }: Target, lost: Filter | null): readonly Place[] {
  return lost === null ? places : places.filter(({ question }) => holds(lost, question));
}

/** What a profile speaks of and what that leads to and matches, what lies below, and all of it in other spellings. */
function aimedPaths(given: MacCase): readonly AbsolutePath[] {
  const { profile, facts } = given;
  const ways = [...waysTo(profile, facts)].map(knownPath);
  const found = [
    ...spokenPaths(given),
    ...heldNodes(profile, facts),
    ...[...CALL_PARAMETERS.values(), ...ALIASES].map(knownPath),
    ...profile.files.flatMap((entry) => [...upwards(entry.path)]),
    ...(facts.mac === null ? [] : [...upwards(facts.mac.calls)]),
    ...profile.masks.flatMap(({ pattern }) => instancesOf(pattern, given)),
  ];
  const below = found.flatMap((path) =>
    ["x", "x.md", "x.gz", "x.env"].map((name) => knownPath(`${path === "/" ? "" : path}/${name}`)),
  );
  return [...new Set([...ways, ...[...found, ...below].flatMap(spellings)])];
}

function spellings(path: AbsolutePath): readonly AbsolutePath[] {
  const names = namesOf(path);
  const flipped = names.map((_, at) => `/${names.with(at, flipCase(names[at] ?? "")).join("/")}`);
  const forms = ["NFC", "NFD"].map((form) => path.normalize(form));
  return [path, ...flipped, `/${names.map(flipCase).join("/")}`, ...forms].map(knownPath);
}

function flipCase(name: string): string {
  return name.replace(/[A-Za-z]/g, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

/** Some paths that a pattern matches: in what is given, where it may begin anywhere. */
function instancesOf({ segments }: Pattern, { profile }: MacCase): readonly AbsolutePath[] {
  const starts = segments[0]?.kind === "any-names" ? profile.files.map(({ path }) => path) : [""];
  const between = [[], ["q"]].flatMap((names) => [names, names]);
  const rests = between.map((names, at) =>
    segments.flatMap((one, index) => {
      if (one.kind === "any-names") return index === segments.length - 1 ? ["q"] : names;
      return [one.pieces.map((piece) => instanceOf(piece, at % 2 === 0 ? "q" : "\u00e9")).join("")];
    }),
  );
  return starts.flatMap((start) =>
    rests.map((names) => knownPath(`${start === "/" ? "" : start}/${names.join("/")}`)),
  );
}

function instanceOf(piece: NamePiece, any: string): string {
  switch (piece.kind) {
    case "text":
      return piece.text;
    case "many":
    case "one":
      return any;
    case "set":
      return piece.negated ? any : ([...piece.members][0] ?? any);
  }
}

/**
 * True where the profile leaves room for what the rule now says, too: of another spelling of an entry, and of folders beside
 * suffixes, a text may give less than the profile does.
 */
export function isPermitted(target: Target, { lost, rule, left }: Mutant): boolean {
  if (lost === null || left === null) return false;
  const wrong = rule.action === "allow" ? "no" : "yes";
  const operations = askedOf(rule);
  return placesOf(target, lost).every(
    ({ question, reading }) =>
      !hasAny(left, question) ||
      hasAny(rule.filters, question) ||
      operations.every(
        (one) => target.model({ ...question.query, operation: one }, reading).answer !== wrong,
      ),
  );
}

/** True where no allow, but for what it leaves out, holds where the lost condition does: nothing there is given anyway. */
export function isOutside(target: Target, { lost, rule }: Mutant): boolean {
  const allows = target.rules.filter(
    (one) => one.action === "allow" && one.operations.some((name) => rule.operations.includes(name)),
  );
  return placesOf(target, lost).every(({ question }) =>
    allows.every(({ filters }) => !filters.some((one) => holdsButForExceptions(one, question))),
  );
}

function holdsButForExceptions(filter: Filter, question: Question): boolean {
  if (filter.kind !== "all") return holds(filter, question);
  return filter.of.every((one) => one.kind === "not" || holds(one, question));
}
