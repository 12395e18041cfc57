import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { itNeeds } from "../support/battery/needs.ts";
import { MUTANTS } from "../support/shell/mutants.ts";
import { TRIAL_NEEDS } from "../support/shell/trial-bash.ts";

itNeeds(
  TRIAL_NEEDS,
  "attacks and random lines find out every mistake that a reading of bash could make",
  async () => {
    const script = join(import.meta.dirname, "../support/shell/try-mutants.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--disable-warning=ExperimentalWarning",
      script,
    ]);
    const found: Readonly<Record<string, string | null>> = JSON.parse(stdout);
    expect(MUTANTS.filter(({ claim }) => typeof found[claim] !== "string")).toEqual([]);
    expect(MUTANTS.length).toBeGreaterThan(30);
  },
  600_000,
);
