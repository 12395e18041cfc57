import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";

const stage = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-example-")));
afterAll(() => rmSync(stage, { recursive: true, force: true }));

const folder = join(stage, "ci-job");
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(import.meta.dirname, "project"), folder, { recursive: true });
});

// The command of this checkout, as it is built, found as an installed one would be.
const bin = join(stage, "bin");
const main = join(import.meta.dirname, "../../dist/cli/main.js");
mkdirSync(bin);
writeFileSync(join(bin, "cofferdam"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
chmodSync(join(bin, "cofferdam"), 0o755);

/** Runs the job: its status, and all that it said. */
function job(): readonly [status: number | null, said: string] {
  const env = {
    PATH: [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(":"),
    XDG_STATE_HOME: join(stage, "state"),
  };
  const { status, stdout, stderr } = spawnSync(join(folder, "job.sh"), { env, encoding: "utf8" });
  return [status, `${stdout}${stderr}`];
}

/** Changes a file of the job. */
function change(name: string, from: string, to: string): void {
  const text = readFileSync(join(folder, name), "utf8");
  expect(text).toContain(from);
  writeFileSync(join(folder, name), text.replace(from, to));
}

const summary = join(folder, "reports/summary.md");

test("the job passes: the tests run inside the sandbox, and the report is written", () => {
  const [status, said] = job();
  expect([status, said]).toEqual([0, expect.stringContaining("pass 1")]);
  expect(readFileSync(summary, "utf8")).toBe("The tests passed inside the sandbox.\n");
});

test("a ceiling that is weakened fails the job before anything runs", () => {
  change("profiles/ceiling.yaml", "network: none", "network: open");
  const [status, said] = job();
  expect([status, said]).toEqual([1, expect.stringContaining("allows more than")]);
  expect(said).not.toContain("pass 1");
  expect(existsSync(summary)).toBe(false);
});

test("a mask that was agreed and is gone fails it too; one more is welcome", () => {
  change("profiles/ceiling.yaml", '  - { pattern: "${workspace}/**/*.key", at_most: none }\n', "");
  expect(job()[0]).toBe(1);
  change(
    "profiles/ceiling.yaml",
    "masks:\n",
    'masks:\n  - { pattern: "${workspace}/**/*.key", at_most: none }\n',
  );
  change(
    "profiles/ceiling.yaml",
    "masks:\n",
    'masks:\n  - { pattern: "${workspace}/**/*.pem", at_most: none }\n',
  );
  expect(job()[0]).toBe(0);
});

test("what nobody could be asked about is refused, and a config that is wrong is found first", () => {
  change("cofferdam.yaml", "{ pattern: npm test, approval: false }", "{ pattern: npm test, approval: true }");
  const [status, said] = job();
  expect([status, said]).toEqual([77, expect.stringContaining("denied: strict mode")]);
  change("cofferdam.yaml", "write_approval: false", "write_aproval: false");
  expect(job()[0]).toBe(65);
});
