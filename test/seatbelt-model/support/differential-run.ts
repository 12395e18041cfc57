import type { RulePlan } from "../../../src/backend/plan.ts";
import { printProfile } from "../../../src/profile/canonical.ts";
import { parentOf } from "../../../src/profile/path.ts";
import type { MacCase } from "../../support/mac/mac-case.ts";
import { lint } from "../lint.ts";
import { accessOn } from "./access-on.ts";
import {
  type Disagreement,
  disagreements,
  evaluator,
  IN_TURN,
  newTally,
  otherDisagreements,
  parametersOf,
  planOf,
  type Tally,
  type Trial,
} from "./differential.ts";
import { heldNodes } from "./portable.ts";
import { caseFrom } from "./questions.ts";

/** How many questions about files each profile is asked; each of them under the three precedences. */
const QUESTIONS = 60;

/** Where a run begins: `COFFERDAM_SEED`, so that a failure can be had again, or anywhere. */
export const SEED = Number(process.env["COFFERDAM_SEED"] ?? Date.now() % 1e9);

/** What came of a run. */
export interface Run {
  readonly tally: Tally;
  readonly profiles: number;
  readonly refused: number;
  /** Questions about files. */
  readonly asked: number;
}

/**
 * Asks about so many profiles, one a seed. Throws at the first disagreement, with all that is needed to have it again.
 */
export function runDifferential(profiles: number): Run {
  const tally = newTally();
  let refused = 0;
  for (let seed = SEED; seed < SEED + profiles; seed += 1) {
    const wrong = wrongWith(seed, tally);
    if (wrong === "refused") refused += 1;
    else if (wrong !== null) throw new Error(`COFFERDAM_SEED=${seed}\n${wrong}`);
  }
  return { tally, profiles, refused, asked: tally.yes + tally.no + tally.atMost };
}

/** What is wrong about the case of a seed, in words: a lint's finding, a disagreement, or what is said to be held. */
function wrongWith(seed: number, tally: Tally): string | null {
  const [given, queries] = caseFrom(seed, QUESTIONS);
  try {
    const plan = planOf(given);
    if (plan === null) return "refused";
    const [finding] = lint(plan.rules.text, parametersOf(plan.rules));
    if (finding !== undefined) return `${JSON.stringify(finding)}\n${printCase(given)}`;
    const readings: Trial["readings"] = (at) => IN_TURN(at + seed * QUESTIONS);
    const trial: Trial = { given, ask: evaluator(plan.rules), readings, tally };
    const [first] = [...disagreements(trial, queries), ...otherDisagreements(trial)];
    if (first !== undefined) return report(first, given, plan.rules.text);
    const misheld = wronglyHeld(given, plan);
    return misheld.length === 0 ? null : `${misheld.join(", ")}: held, or said to be\n${printCase(given)}`;
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n${printCase(given)}`;
  }
}

/** What is held and not said to be, or the other way round: of what could be moved otherwise, the folder is writable. */
function wronglyHeld({ profile, facts }: MacCase, { approximations }: RulePlan): readonly string[] {
  const said = approximations.flatMap(({ name, path }) => (HELD.has(name) ? [path] : []));
  const access = accessOn(profile, facts, "by mask", "as it is");
  const held = [...heldNodes(profile, facts)].filter((path) => access(parentOf(path), "folder") === "write");
  return [...said.filter((path) => !held.includes(path)), ...held.filter((path) => !said.includes(path))];
}

const HELD = new Set(["pinned-node", "missing-folder"]);

/** A disagreement in words: the profile and its machine, the question, the reading, and the rule that decided. */
export function report(
  { query, reading, expected, said }: Disagreement,
  given: MacCase,
  text: string,
): string {
  const { knows, ...others } = reading;
  const wanted = `${expected.answer}${expected.isNamed ? ", by a rule" : ""}`;
  const decided = said.line === null ? "no rule" : `line ${said.line}:\n${ruleAt(text, said.line)}`;
  return [
    `asked: ${JSON.stringify(query)}`,
    `the profile says ${wanted}; the text ${said.allowed ? "yes" : "no"}, by ${decided}`,
    `read as ${JSON.stringify({ ...others, hasAll: knows("file-clone") })}`,
    printCase(given),
  ].join("\n");
}

function printCase({ profile, facts, hasGiven }: MacCase): string {
  const { hits, mac } = facts;
  return `${JSON.stringify({ volumes: mac?.volumes, hits, hasGiven })}\n${printProfile(profile)}`;
}

/** A rule as it is printed, from its first line on. */
function ruleAt(text: string, line: number): string {
  const [first = "", ...others] = text.split("\n").slice(line - 1);
  const end = others.findIndex((one) => !one.startsWith(" "));
  return [first, ...others.slice(0, end === -1 ? 0 : end)].join("\n");
}
