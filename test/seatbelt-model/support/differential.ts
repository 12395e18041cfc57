import type { RulePlan } from "../../../src/backend/plan.ts";
import { renderSeatbelt } from "../../../src/backend/seatbelt/render.ts";
import { knownPath } from "../../../src/profile/path.ts";
import type { ProgramStart } from "../../../src/tool/launch.ts";
import { CALL_PARAMETERS, type MacCase } from "../../support/mac/mac-case.ts";
import { type Profile as Compiled, compile } from "../compile.ts";
import { decide } from "../decide.ts";
import { chainOf, OUTSIDE_DEFAULT } from "../operations.ts";
import type { Query, Reading } from "../query.ts";
import { EVERY_READING } from "../readings.ts";
import { OTHERS } from "./others.ts";
import { type Expected, portable } from "./portable.ts";

const LAUNCH: ProgramStart = { argv: [knownPath("/bin/sh")], cwd: knownPath("/Users/ada/w"), env: {} };

/** The plan of a case, or null where it is refused. */
export function planOf({ profile, facts, hasGiven }: MacCase): RulePlan | null {
  const given = hasGiven ? [{ path: knownPath("/given/program"), bytes: new Uint8Array() }] : [];
  const rendering = renderSeatbelt(profile, { ...LAUNCH, given }, facts);
  return rendering.kind === "plan" && rendering.plan.kind === "rules" ? rendering.plan : null;
}

/** What a reading of a text says; `line` is that of the rule that says it, null where none does. */
export interface Said {
  readonly allowed: boolean;
  /** Whether a rule with a filter says it. */
  readonly isNamed: boolean;
  readonly line: number | null;
}

/** A text, compiled once for all readings that read it alike. */
export type Evaluator = (query: Query, reading: Reading) => Said;

/** What the launcher is told, of one call. */
export function parametersOf({
  parameters,
}: Pick<RulePlan["rules"], "parameters">): ReadonlyMap<string, string> {
  return new Map([...CALL_PARAMETERS, ...Object.entries(parameters)]);
}

/** Throws where a reading finds that the text is none. */
export function evaluator({ text, parameters }: RulePlan["rules"]): Evaluator {
  const known = new Map<string, Compiled>();
  const hasSharp = text.includes('#"');
  const params = parametersOf({ parameters });
  const compiled = (reading: Reading): Compiled => {
    const key = `${hasSharp && reading.sharpStrings === "raw"} ${reading.knows("file-clone")}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = compile(text, reading, { params });
    if (made.kind !== "profile") throw new Error(`line ${made.line}: ${JSON.stringify(made)}`);
    known.set(key, made);
    return made;
  };
  return (query, reading) => {
    const { allowed, rule } = decide(compiled(reading), query, reading);
    return { allowed, isNamed: rule !== null && rule.filters.length > 0, line: rule?.line ?? null };
  };
}

/** Where a reading of the text says something else than the portable profile. */
export interface Disagreement {
  readonly query: Query;
  readonly reading: Reading;
  readonly expected: Expected;
  readonly said: Said;
}

/** How the questions of a run were answered by the profile, and how often each reading was asked. */
export interface Tally {
  yes: number;
  no: number;
  atMost: number;
  readonly readings: Map<Reading, number>;
}

/** Nothing asked yet. */
export function newTally(): Tally {
  return { yes: 0, no: 0, atMost: 0, readings: new Map() };
}

/** Under which readings a question is asked, by its number in a run. */
export type Readings = (at: number) => readonly Reading[];

/** Every reading at every question. */
export const ALL: Readings = () => EVERY_READING;

const WAYS = EVERY_READING.filter((one) => one.precedence === "first").map((first) =>
  EVERY_READING.filter((one) =>
    (["sharpStrings", "foldsCase", "subpathHasItself", "regexUnit", "knows"] as const).every(
      (field) => one[field] === first[field],
    ),
  ),
);

/** The three precedences at every question; of all other differences a new combination each time. */
export const IN_TURN: Readings = (at) => WAYS[at % WAYS.length] ?? [];

/** What is to be held against a profile: its text as a plan has it, or another. */
export interface Trial {
  readonly given: MacCase;
  readonly ask: Evaluator;
  readonly readings: Readings;
  readonly tally?: Tally;
}

/** Holds the text against the profile for each question about files. */
export function disagreements(trial: Trial, queries: readonly Query[]): readonly Disagreement[] {
  const { given, ask, readings, tally } = trial;
  const model = portable(given);
  return queries.flatMap((query, at) => {
    count(tally, model(query, { foldsCase: "nowhere", precedence: "specific" }));
    return readings(at).flatMap((reading): Disagreement[] => {
      countReading(tally, reading);
      const expected = model(query, reading);
      const said = ask(query, reading);
      return isAgreed(expected, said) ? [] : [{ query, reading, expected, said }];
    });
  });
}

/** The same for every question about anything else. */
export function otherDisagreements({ given, ask, readings }: Trial): readonly Disagreement[] {
  const { profile } = given;
  return OTHERS.flatMap(({ query, isGiven, isDeniedFirst, isMasked }, at) =>
    readings(at).flatMap((reading): Disagreement[] => {
      if (!isAsked(query, reading)) return [];
      const isTighter =
        (isDeniedFirst === true && reading.precedence === "first") ||
        (isMasked === true && profile.masks.length > 0);
      const answer = !isGiven(profile) ? "no" : isTighter ? "at most" : "yes";
      const expected: Expected = { answer, isNamed: false };
      const said = ask(query, reading);
      return isAgreed(expected, said) ? [] : [{ query, reading, expected, said }];
    }),
  );
}

/** A system asks about nothing that it does not have; of the rest of what `default` leaves open the same is true. */
function isAsked({ operation }: Query, { knows }: Reading): boolean {
  return chainOf(operation).operations.every((one) => !OUTSIDE_DEFAULT.includes(one) || knows(one));
}

/** Whether a text says what the profile does. */
export function isAgreed({ answer, isNamed }: Expected, said: Said): boolean {
  if (answer === "yes") return said.allowed;
  return answer === "at most" || (!said.allowed && (said.isNamed || !isNamed));
}

function count(tally: Tally | undefined, { answer }: Expected): void {
  if (tally !== undefined) tally[answer === "at most" ? "atMost" : answer] += 1;
}

function countReading(tally: Tally | undefined, reading: Reading): void {
  tally?.readings.set(reading, (tally.readings.get(reading) ?? 0) + 1);
}
