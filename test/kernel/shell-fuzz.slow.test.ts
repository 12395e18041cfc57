import { expect } from "vitest";
import { itNeeds } from "../support/battery/needs.ts";
import { tryLines } from "../support/shell/fuzz.ts";
import { STRACE } from "../support/shell/trial-bash.ts";

/** Drawn anew each time; a line that fails is printed with its seed, for `scripts/fuzz-shell COUNT SEED`. */
const seed = Date.now() % 4_294_967_296;

itNeeds(
  [STRACE],
  "bash does nothing with a line that its reading does not tell, and runs what rules let pass (S1-19)",
  async () => {
    const { unsound, verdicts, ...counts } = await tryLines(seed, { count: 12_000, maxMs: 20_000 });
    expect({ seed, unsound }).toEqual({ seed, unsound: [] });
    // Lines of every kind came by: a trial that lets nothing pass proves nothing.
    const { allow, ask, deny } = verdicts;
    for (const many of [allow, ask, deny, counts.understood, counts.ran])
      expect(many).toBeGreaterThan(counts.lines / 25);
    expect(Math.min(counts.plain, counts.traced)).toBeGreaterThan(0);
  },
  120_000,
);
