import fc from "fast-check";
import { expect, it } from "vitest";
import { accessTo } from "../../src/profile/access-to.ts";
import { compare } from "../../src/profile/compare.ts";
import { coversEnv } from "../../src/profile/env-pattern.ts";
import { reaches } from "../../src/profile/network.ts";
import { mayConnect } from "../../src/profile/sockets.ts";
import { pair, probe, profile } from "../support/generate.ts";

const SAMPLE = { numRuns: 8_000, seed: 7 };

/** What share of the answers each answer has, in whole per cent. */
function shares(answers: readonly string[]): ReadonlyMap<string, number> {
  const groups = Map.groupBy(answers, (answer) => answer);
  return new Map(
    [...groups].map(([answer, all]) => [answer, Math.round((100 * all.length) / answers.length)]),
  );
}

it("at least a quarter of the path probes are allowed, and a quarter denied", () => {
  const found = shares(
    fc
      .sample(fc.tuple(profile, probe), SAMPLE)
      .map(([one, { path }]) => (accessTo(one, path.path, path.facts) === "none" ? "denied" : "allowed")),
  );
  console.log("path probes:", Object.fromEntries(found));
  expect(Math.min(found.get("allowed") ?? 0, found.get("denied") ?? 0)).toBeGreaterThanOrEqual(25);
});

it("at least a tenth of the other probes are allowed, and a tenth denied", () => {
  const sample = fc.sample(fc.tuple(profile, probe), SAMPLE);
  const targets = shares(sample.map(([one, { target }]) => `${reaches(one.network, target)}`));
  const names = shares(sample.map(([one, { name }]) => `${coversEnv(one.env, name)}`));
  const sockets = shares(sample.map(([one, { socket }]) => `${mayConnect(one.sockets, socket)}`));
  console.log(
    "targets:",
    Object.fromEntries(targets),
    "names:",
    Object.fromEntries(names),
    "sockets:",
    Object.fromEntries(sockets),
  );
  for (const found of [targets, names, sockets])
    expect(Math.min(found.get("true") ?? 0, found.get("false") ?? 0)).toBeGreaterThanOrEqual(10);
});

it("at least a quarter of the pairs lie within each other, and a quarter do not", () => {
  const found = shares(fc.sample(pair, SAMPLE).map(([a, b]) => compare(a, b).kind));
  console.log("pairs:", Object.fromEntries(found));
  expect(Math.min(found.get("within") ?? 0, found.get("exceeds") ?? 0)).toBeGreaterThanOrEqual(25);
});
