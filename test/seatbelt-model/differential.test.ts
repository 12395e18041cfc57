import { beforeAll, describe, expect, it } from "vitest";
import { MACOS_GROUPS } from "../../src/profile/macos.ts";
import { knownPath } from "../../src/profile/path.ts";
import { normalProfile, type ProfileParts } from "../../src/profile/profile.ts";
import { caseOf, type MacCase, SOCKETS } from "../support/mac/mac-case.ts";
import { EVERY_READING } from "./readings.ts";
import { CORPUS } from "./support/corpus.ts";
import {
  ALL,
  disagreements,
  evaluator,
  IN_TURN,
  otherDisagreements,
  planOf,
  type Readings,
} from "./support/differential.ts";
import { type Run, report, runDifferential } from "./support/differential-run.ts";
import { OTHERS, PROXY } from "./support/others.ts";
import { portable } from "./support/portable.ts";

/** The text of a case that must be rendered, as `disagreements` takes it. */
const trialOf = (given: MacCase, readings: Readings = ALL) => {
  const plan = planOf(given);
  if (plan === null) throw new Error("was refused");
  return { given, ask: evaluator(plan.rules), text: plan.rules.text, readings };
};

describe("once answered wrongly, and right under every reading since", () => {
  it.each(CORPUS)("$says", ({ given, query, answer }) => {
    expect(portable(given)(query, { foldsCase: "nowhere", precedence: "specific" }).answer).toBe(answer);
    const trial = trialOf(given);
    const found = disagreements(trial, [query]).map((one) => report(one, given, trial.text));
    expect(found).toEqual([]);
  });
});

describe("the text of a plan means what the profile says, whichever rule counts and however it is read", () => {
  let run: Run;
  beforeAll(() => {
    run = runDifferential(400);
  });

  it("of many profiles, most of which are rendered", () => {
    expect(run.refused / run.profiles).toBeLessThan(0.25);
  });

  it("in questions of which a quarter is answered yes and a quarter no", () => {
    expect(run.tally.yes / run.asked).toBeGreaterThan(0.25);
    expect(run.tally.no / run.asked).toBeGreaterThan(0.25);
    expect(run.tally.atMost / run.asked).toBeLessThan(0.15);
  });

  it("and every reading has its turn", () => {
    const counts = EVERY_READING.map((reading) => run.tally.readings.get(reading) ?? 0);
    expect(Math.min(...counts)).toBeGreaterThan((0.9 * run.asked) / (EVERY_READING.length / 3));
  });
});

describe("what is asked about anything but files is answered as the profile says", () => {
  const on = (parts: ProfileParts) =>
    caseOf(normalProfile(parts), [{ point: knownPath("/"), foldsCase: true }]);
  const full = on({ macos: MACOS_GROUPS, sockets: "any", network: "host", syscalls: ["debug"] });

  it("with everything, under every reading", () => {
    expect(otherDisagreements(trialOf(full))).toEqual([]);
  });

  it.each<readonly [string, ProfileParts]>([
    ["nothing", {}],
    ["own sockets", { sockets: [] }],
    ["one socket", { sockets: SOCKETS.slice(0, 1) }],
    ["the proxy", { network: { hosts: [{ name: "a.test", port: null, private: false }], never: [] } }],
    ["the machine's network", { network: "host" }],
    ["debugging", { syscalls: ["debug"] }],
    ...MACOS_GROUPS.map((group) => [group, { macos: [group] }] as const),
  ])("with %s alone, too", (_, parts) => {
    expect(otherDisagreements(trialOf(on(parts), IN_TURN))).toEqual([]);
  });

  it("has for each group something that it alone gives", () => {
    const [none, all] = [on({}), full].map(
      ({ profile }) => OTHERS.filter((one) => one.isGiven(profile)).length,
    );
    expect(none).toBeLessThan(all ?? 0);
    for (const group of MACOS_GROUPS) {
      const { profile } = on({ macos: [group] });
      const isNew = OTHERS.some((one) => one.isGiven(profile) && !one.isGiven(on({}).profile));
      expect({ group, isNew }).toEqual({ group, isNew: true });
    }
  });

  it("never depends on another port being the proxy's", () => {
    expect(on({}).facts.mac?.proxyPort).toBe(PROXY.port);
  });
});
