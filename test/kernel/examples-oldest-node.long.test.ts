import { execFile, execFileSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { z } from "zod";
import { itNeeds, sandboxMustWork } from "../support/battery/needs.ts";

sandboxMustWork("the examples on the oldest Node");

const ROOT = join(import.meta.dirname, "../..");
/** The oldest Node of `engines`. It can't parse `await using`: tests of the examples are transformed for it. */
const OLDEST = join(ROOT, ".cofferdam-node/22.18.0/bin/node");
const FILES = globSync("examples/*/*.test.ts", { cwd: ROOT }).toSorted();

/** A checkout with examples of its own, as they were committed: other runs of them may be writing to theirs. Below `/tmp` sandboxes have another. */
const stage = mkdtempSync(join(homedir(), ".cofferdam-examples-"));
afterAll(() => rmSync(stage, { recursive: true, force: true }));
for (const file of execFileSync("git", ["ls-files", "-z", "examples"], { cwd: ROOT }).toString().split("\0"))
  if (file !== "") cpSync(join(ROOT, file), join(stage, file));
for (const name of ["dist", "node_modules", "package.json", "profiles", "src", "test", "tsconfig.json"])
  symlinkSync(join(ROOT, name), join(stage, name));

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), failureMessages: z.array(z.string()) })),
    }),
  ),
});

/** What the oldest Node says about a program that it can't parse; null if it can. */
function syntaxErrorOf(file: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(OLDEST, ["--check", file], (error, _, stderr) => resolve(error === null ? null : stderr));
  });
}

/** Runs the tests of all examples with a Node: of each file, what failed, and how many tests passed. */
async function tried(
  node: string,
): Promise<ReadonlyMap<string, { passed: number; failed: readonly string[] }>> {
  const report = join(stage, "report.json");
  const config = join(ROOT, "test/support/old-node/vitest.config.ts");
  const words = ["run", "--root", stage, "--config", config, "--reporter=json", `--outputFile=${report}`];
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env["PATH"]}` };
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  // Its status says no more than the report.
  await new Promise((resolve) => execFile(node, [vitest, ...words], { cwd: stage, env }, resolve));
  const { testResults } = Report.parse(JSON.parse(readFileSync(report, "utf8")));
  return new Map(
    testResults.map(({ name, status, message, assertionResults }) => {
      const failures = assertionResults.flatMap(({ failureMessages }) => failureMessages);
      const passed = assertionResults.filter((one) => one.status === "passed").length;
      const isBroken = status === "failed" && failures.length === 0;
      return [name.slice(stage.length + 1), { passed, failed: isBroken ? [message] : failures }];
    }),
  );
}

const PROGRAMS = globSync("examples/*/*.ts", { cwd: ROOT }).filter((file) => !file.endsWith(".test.ts"));

describe("every example", () => {
  itNeeds([OLDEST], "can be read by Node 22 as it is written", async () => {
    expect(PROGRAMS.length).toBeGreaterThan(10);
    expect(await Promise.all(PROGRAMS.map((file) => syntaxErrorOf(join(ROOT, file))))).toEqual(
      PROGRAMS.map(() => null),
    );
    // That would not be read: it is what these programs must do without.
    const newer = join(stage, "newer.ts");
    writeFileSync(newer, "await using made: AsyncDisposable = undefined as never;\n");
    expect(await syntaxErrorOf(newer)).toContain("SyntaxError");
  });

  itNeeds(
    [OLDEST],
    "does on Node 22 what its tests say, as on this one",
    async () => {
      const results = await tried(OLDEST);
      expect([...results.keys()].toSorted()).toEqual(FILES);
      expect([...results].filter(([, { passed, failed }]) => passed === 0 || failed.length > 0)).toEqual([]);
    },
    600_000,
  );
});
