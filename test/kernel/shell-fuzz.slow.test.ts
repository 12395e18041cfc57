import { expect, it } from "vitest";
import { tryLines } from "../support/shell/fuzz.ts";

/** Drawn anew each time; a line that fails is printed with its seed, for `scripts/fuzz-shell COUNT SEED`. */
const seed = Date.now() % 4_294_967_296;

it("no line that rules let pass makes bash run a program that no rule lets pass (S1-19)", async () => {
  const trial = await tryLines(seed, { count: 12_000, maxMs: 15_000 });
  expect({ seed, unsound: trial.unsound }).toEqual({ seed, unsound: [] });
  // Lines of every kind came by: a trial that lets nothing pass proves nothing.
  const { allow, ask, deny } = trial.verdicts;
  for (const many of [allow, ask, deny, trial.ran]) expect(many).toBeGreaterThan(trial.lines / 25);
  expect(trial.plain).toBeGreaterThan(0);
}, 60_000);
