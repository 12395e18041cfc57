import { beforeAll, describe, expect, it } from "vitest";
import type { RulePlan } from "../../src/backend/plan.ts";
import { isInside } from "../../src/profile/path.ts";
import { IS_LONG } from "../support/long.ts";
import type { MacCase } from "../support/mac/mac-case.ts";
import { eachRule, eachShape, withRules } from "./support/changed-rules.ts";
import { CORPUS } from "./support/corpus.ts";
import { ALL, disagreements, evaluator, IN_TURN, planOf } from "./support/differential.ts";
import type { Kind } from "./support/mutants.ts";
import { isOutside, isPermitted, isSaidElsewhere, killer, mutants, targetOf } from "./support/mutation.ts";
import { caseFrom } from "./support/questions.ts";

/** Mutants are those of the same cases every time. */
const SEED = 20_240_607;
const PLANS = IS_LONG ? 180 : 10;
/** A plan takes two or three seconds, a large one half a minute; a small machine, or a busy one, several times that. */
const MAX_MS = PLANS * 15_000;

/** The root of the first case that is kept, as a regex folds it. */
const FOLDED_ROOT = "[uU]([sS]|[^ -~]+)[eE][rR]([sS]|[^ -~]+)/[aA][dD][aA]/[wW]/";

/** How the mutants of one kind ended; the last two are no mutants, since their rules mean the same. */
interface Count {
  killed: number;
  lived: number;
  saidElsewhere: number;
  outside: number;
}

const KINDS: readonly Kind[] = [
  "carve-out of an allow",
  "alternative in a carve-out's regex",
  "exception of a deny",
  "whole deny",
  "alternative of a deny",
  "alternative in a deny's regex",
  "passable folder",
];

describe("a text without one of its parts is found out", () => {
  const counts = new Map<Kind, Count>();
  const alive: string[] = [];

  beforeAll(() => {
    for (let seed = SEED; seed < SEED + PLANS; seed += 1) {
      const [given] = caseFrom(seed, 1);
      const plan = planOf(given);
      if (plan === null) continue;
      const target = targetOf(given, plan);
      for (const mutant of mutants(target)) {
        const count = counts.get(mutant.kind) ?? { killed: 0, lived: 0, saidElsewhere: 0, outside: 0 };
        counts.set(mutant.kind, count);
        if (killer(target, mutant) !== null) count.killed += 1;
        else if (isSaidElsewhere(target, mutant) || isPermitted(target, mutant)) count.saidElsewhere += 1;
        else if (isOutside(target, mutant)) count.outside += 1;
        else {
          count.lived += 1;
          alive.push(`seed ${seed}, line ${mutant.rule.line}: ${mutant.kind} ${JSON.stringify(mutant.lost)}`);
        }
      }
    }
  }, MAX_MS);

  it("whichever part it is", () => {
    expect(alive).toEqual([]);
  });

  it.each(KINDS)("%s: many are, and few mean the same without it", (kind) => {
    const { killed, saidElsewhere, outside } = counts.get(kind) ?? {
      killed: 0,
      saidElsewhere: 0,
      outside: 0,
    };
    expect(killed).toBeGreaterThan(5);
    expect((saidElsewhere + outside) / (killed + saidElsewhere + outside)).toBeLessThan(MAX_ALIKE[kind]);
  });
});

/**
 * How many of a kind may change nothing. An allow leaves out each mask that begins where it does, though it may meet nothing
 * there, and a node by its name, which the regex that folds it covers, too. Of what every program may pass, the base says
 * the same. Where nothing around is given, a deny says what holds anyway.
 */
const MAX_ALIKE: Readonly<Record<Kind, number>> = {
  "carve-out of an allow": 0.5,
  "alternative in a carve-out's regex": 0.65,
  "exception of a deny": 0.35,
  "whole deny": 0.15,
  "alternative of a deny": 0.45,
  "alternative in a deny's regex": 0.15,
  "passable folder": 0.25,
};

/** Renders a case in some wrong way. */
type Mutant = (given: MacCase, plan: RulePlan) => RulePlan["rules"] | null;

const without =
  (change: (given: MacCase) => MacCase): Mutant =>
  (given) =>
    planOf(change(given))?.rules ?? null;

const MUTANTS: Readonly<Record<string, Mutant>> = {
  "forgets masks": without((one) => ({ ...one, profile: { ...one.profile, masks: [] } })),
  "forgets nearer entries": without((one) => {
    const { files } = one.profile;
    const outermost = files.filter(
      ({ path }) => !files.some((other) => other.path !== path && isInside(path, other.path)),
    );
    return { ...one, profile: { ...one.profile, files: outermost } };
  }),
  "forgets what globs were found to cover": without((one) => ({ ...one, facts: { ...one.facts, hits: [] } })),
  "forgets that volumes fold case": without((one) => {
    const mac = one.facts.mac;
    const volumes = (mac?.volumes ?? []).map((volume) => ({ ...volume, foldsCase: false }));
    return { ...one, facts: { ...one.facts, mac: mac === null ? null : { ...mac, volumes } } };
  }),
  "takes suffixes for any": without(({ profile, ...one }) => ({
    ...one,
    profile: { ...profile, files: profile.files.map((entry) => ({ ...entry, suffixes: "any" })) },
  })),
  "forgets pins": (given, plan) =>
    withRules(given, plan, (rules) => ({
      ...eachShape((shape) => (shape.kind === "node" ? [] : [shape]))(rules),
      passing: rules.passing,
      neverMoved: [],
    })),
  "forgets to say pins once more": (given, plan) =>
    withRules(given, plan, (rules) => ({ ...rules, neverMoved: [] })),
  "forgets folding": (given, plan) =>
    withRules(
      given,
      plan,
      eachShape((shape) => ["ignoreCase" in shape ? { ...shape, ignoreCase: false } : shape]),
    ),
  "leaves all exceptions to the denies": (given, plan) =>
    withRules(
      given,
      plan,
      eachRule((rule) => [rule.action === "deny" ? rule : { ...rule, area: { ...rule.area, except: [] } }]),
    ),
  "leaves all denies to the exceptions": (given, plan) =>
    withRules(
      given,
      plan,
      eachRule((rule) => (rule.action === "deny" ? [] : [rule])),
    ),
  "denies more than is taken away": (given, plan) =>
    withRules(
      given,
      plan,
      eachRule((rule) => [rule.action === "allow" ? rule : { ...rule, area: { ...rule.area, except: [] } }]),
    ),
  "merges what lies in another's exceptions": (given, plan) =>
    withRules(given, plan, (rules) => {
      const [call, ...others] = rules.reading;
      const whole = others.filter(({ area }) => area.only.kind === "everything");
      const within = whole.flatMap(({ area }) => area.within);
      const [first] = whole;
      if (call === undefined || first === undefined) return rules;
      const merged = { ...first, area: { ...first.area, within } };
      return { ...rules, reading: [call, merged, ...others.filter((one) => !whole.includes(one))] };
    }),
  "lets names be changed with content": (given, plan) =>
    withRules(
      given,
      plan,
      eachRule((rule) => [rule.right === "change" ? { ...rule, right: "write" } : rule]),
    ),
  "lets what is read be written": (given, plan) =>
    withRules(given, plan, (rules) => ({
      ...rules,
      writing: [...rules.writing, ...rules.reading.map((rule) => ({ ...rule, right: "change" as const }))],
    })),
  "forgets the folders that lead there": (given, plan) =>
    withRules(given, plan, (rules) => ({ ...rules, passing: [] })),
  "gives what leads there": (given, plan) =>
    withRules(given, plan, (rules) => ({
      ...rules,
      passing: rules.passing.map((rule) => ({ ...rule, right: "read" as const })),
    })),
  "forgets the call's own places": (given, plan) =>
    withRules(
      given,
      plan,
      eachShape((shape) => (shape.kind === "own" && shape.what === "places" ? [] : [shape])),
    ),
};

describe("a renderer is found out that", () => {
  it.each(Object.entries(MUTANTS))("%s", { timeout: 120_000 }, (_, mutant) => {
    const isFound = (at: number): boolean => {
      const [given, queries] = caseFrom(SEED + at, 60);
      const plan = planOf(given);
      const rules = plan === null ? null : mutant(given, plan);
      return (
        rules !== null &&
        disagreements({ given, ask: evaluator(rules), readings: IN_TURN }, queries).length > 0
      );
    };
    expect(Array.from({ length: 600 }, (_unused, at) => at).some(isFound)).toBe(true);
  });

  it("knows one spelling of a root", () => {
    const [kept] = CORPUS;
    if (kept === undefined) throw new Error("nothing is kept");
    const before = planOf(kept.given)?.rules.text ?? "";
    const text = before.replaceAll(FOLDED_ROOT, "Users/ada/w/");
    expect(text).not.toBe(before);
    const found = disagreements(
      { given: kept.given, ask: evaluator({ text, parameters: {} }), readings: ALL },
      [kept.query],
    );
    expect(found.length).toBeGreaterThan(0);
  });

  it("changes nothing is not", { timeout: MAX_MS }, () => {
    let rendered = 0;
    for (let seed = SEED; seed < SEED + PLANS; seed += 1) {
      const [given, queries] = caseFrom(seed, 60);
      const plan = planOf(given);
      if (plan === null) continue;
      rendered += 1;
      const ask = evaluator(withRules(given, plan, (rules) => rules));
      expect(disagreements({ given, ask, readings: IN_TURN }, queries)).toEqual([]);
    }
    expect(rendered).toBeGreaterThan(PLANS / 2);
  });
});
