import type { RulePlan } from "../../../src/backend/plan.ts";
import type { Shape } from "../../../src/backend/seatbelt/area.ts";
import {
  type FileRule,
  type FileRules,
  fileRules,
  rootsOf,
} from "../../../src/backend/seatbelt/file-rules.ts";
import { parametrise } from "../../../src/backend/seatbelt/parameters.ts";
import { printProfile, type Section } from "../../../src/backend/seatbelt/sbpl.ts";
import { translate } from "../../../src/backend/seatbelt/translate.ts";
import type { MacCase } from "../../support/mac/mac-case.ts";

/** How the rules on files are made into others. */
export type Change = (rules: FileRules) => FileRules;

/** What a plan's text would be with other rules on files; the rest of it stays. */
export function withRules(given: MacCase, { rules }: RulePlan, change: Change): RulePlan["rules"] {
  const { profile, facts, hasGiven } = given;
  if (facts.mac === null) throw new Error("is no Mac");
  const made = change(fileRules(profile, { ...facts, mac: facts.mac, hops: [], hasGiven }));
  const sectionOf = (some: readonly FileRule[]): Section => ({
    about: [],
    rules: some.flatMap((rule) => translate(rule, rootsOf(made, rule))),
  });
  const { reading, passing, writing, neverRead, neverWritten, neverMoved } = made;
  const { sections, parameters } = parametrise(
    [reading, passing, writing, neverRead, neverWritten, neverMoved].map(sectionOf),
  );
  const [, , ...printed] = printProfile(sections, "").split("\n");
  const [start = "", rest = ""] = rules.text.split(/^; Files: what can be read.*$/m);
  const end = rest.slice(rest.search(/^; (The program that is handed|Never by another name)/m));
  return { text: [start, ...printed, end].join("\n"), parameters };
}

/** The same rules, each changed. */
export function eachRule(change: (rule: FileRule) => readonly FileRule[]): Change {
  return ({ pins, roots, ...sections }) => ({
    pins,
    roots,
    reading: sections.reading.flatMap(change),
    passing: sections.passing.flatMap(change),
    writing: sections.writing.flatMap(change),
    neverRead: sections.neverRead.flatMap(change),
    neverWritten: sections.neverWritten.flatMap(change),
    neverMoved: sections.neverMoved.flatMap(change),
  });
}

/** The same rules, with other shapes in what they speak of and in what they leave out. */
export function eachShape(change: (shape: Shape) => readonly Shape[]): Change {
  return eachRule((rule) => {
    const { within, only, except } = rule.area;
    return [{ ...rule, area: { within: within.flatMap(change), only, except: except.flatMap(change) } }];
  });
}
