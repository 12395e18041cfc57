import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import { itNeeds } from "../battery/needs.ts";
import type { Trial } from "./fuzz.ts";
import { TRIAL_NEEDS } from "./trial-bash.ts";

const SCRIPT = join(import.meta.dirname, "../../../scripts/fuzz-shell.ts");

/** Random lines do what their reading tells. They are drawn anew each time; one that fails is printed with its seed. */
export function itReadsRandomLines(title: string, count: number): void {
  itNeeds(
    TRIAL_NEEDS,
    title,
    () => {
      const seed = Date.now() % 4_294_967_296;
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ["--disable-warning=ExperimentalWarning", SCRIPT, String(count), String(seed)],
        { encoding: "utf8" },
      );
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout, stderr: "" });
      const parts: readonly Trial[] = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      const sum = (of: (part: Trial) => number): number => parts.reduce((all, part) => all + of(part), 0);
      const lines = sum((part) => part.lines);
      expect(lines).toBe(count);
      // Lines of every kind came by: a trial that lets nothing pass proves nothing.
      for (const many of [
        sum(({ verdicts }) => verdicts.allow),
        sum(({ verdicts }) => verdicts.ask),
        sum(({ verdicts }) => verdicts.deny),
        sum(({ understood }) => understood),
        sum(({ ran }) => ran),
      ])
        expect(many).toBeGreaterThan(lines / 25);
      expect(sum(({ plain }) => plain)).toBeGreaterThan(0);
      expect(sum(({ traced }) => traced)).toBeGreaterThan(lines / 100);
    },
    7_200_000,
  );
}
