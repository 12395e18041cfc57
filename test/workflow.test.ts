import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { workflowFaults } from "./support/workflow/faults.ts";
import { missingFrom, syntaxFaults } from "./support/workflow/mentions.ts";
import { imagesOf, runsOf, Workflow } from "./support/workflow/schema.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const files = globSync(".github/workflows/*.{yml,yaml}", { cwd: root }).toSorted();
const jobs = files.flatMap((path) => Object.values(Workflow.parse(parse(read(path))).jobs));

test.each(files)("%s obeys GitHub's schema and our own, and all that it names is there", async (path) => {
  expect(await workflowFaults(root, read(path))).toEqual([]);
});

test("an action is of one version everywhere", () => {
  const uses = files.flatMap((path) => read(path).match(/uses: .*@.*$/gm) ?? []);
  expect(uses.length).toBeGreaterThan(0);
  expect(new Set(uses).size).toBe(new Set(uses.map((line) => line.replace(/@.*/, ""))).size);
});

test.each([".ci/run", ".ci/limits"])("what %s names is there, and bash can read it", (path) => {
  expect(missingFrom(root, read(path))).toEqual([]);
  expect(syntaxFaults(read(path), ["bash"])).toEqual([]);
});

test.each([
  "scripts/bench",
  "scripts/cofferdam",
  "scripts/compat",
  "scripts/demo",
  "scripts/fuzz-shell",
  "scripts/kernels",
  "scripts/lib/kernels/init.sh",
  "scripts/lib/kernels/inside.sh",
  "scripts/test",
  "scripts/lib/setup.sh",
])("%s is read by sh and by bash", (path) => expect(syntaxFaults(read(path))).toEqual([]));

describe("CONTRIBUTING.md says what GitHub runs", () => {
  const [paragraph = ""] = /^On GitHub[\s\S]*?(?=\n\n)/m.exec(read("CONTRIBUTING.md")) ?? [];
  const quoted = Array.from(paragraph.matchAll(/`([^`]+)`/g), ([, text = ""]) => text.replaceAll("\n", " "));

  test("on which macOS", () => {
    const images = jobs.flatMap(imagesOf).filter((image) => image.startsWith("macos-"));
    expect(quoted.filter((text) => text.startsWith("macos-")).toSorted()).toEqual(images.toSorted());
  });

  test("and which scripts", () => {
    const lines = jobs.flatMap(runsOf).map(({ run }) => run);
    const scripts = quoted.filter((text) => /^(?:scripts|\.ci)\//.test(text));
    expect(scripts.length).toBeGreaterThan(3);
    expect(scripts.filter((script) => !lines.some((line) => line.includes(script)))).toEqual([]);
  });
});

describe("the checks fire", () => {
  const ci = read(".github/workflows/ci.yml");
  const nightly = read(".github/workflows/nightly.yml");
  const tests = "run: scripts/test\n";

  /** A change of a workflow, and every fault that is found then. */
  const broken: readonly (readonly [
    claim: string,
    workflow: string,
    from: string,
    to: string,
    faults: readonly string[],
  ])[] = [
    [
      "a key that GitHub does not know",
      ci,
      "timeout-minutes",
      "timeout-minuts",
      ["(Line: 19, Col: 5): Unexpected value 'timeout-minuts'"],
    ],
    [
      "a context that there is none of",
      ci,
      "${{ github.ref }}",
      "${{ guthub.ref }}",
      ["(Line: 12, Col: 10): Unrecognized named-value: 'guthub'"],
    ],
    [
      "a value that no matrix has",
      ci,
      "name: ${{ matrix.image }}",
      "name: ${{ matrx.image }}",
      ["(Line: 43, Col: 11): Unrecognized named-value: 'matrx'"],
    ],
    [
      "a schedule with no such minute",
      nightly,
      "23 2 * * *",
      "61 2 * * *",
      [
        "(Line: 6, Col: 13): Invalid cron expression. Expected format: '* * * * *' (minute hour day month weekday)",
      ],
    ],
    [
      "an event that there is none of",
      ci,
      "  pull_request:\n",
      "  pull_requests:\n",
      ["(Line: 6, Col: 3): Unexpected value 'pull_requests'"],
    ],
    [
      "an event that gives strangers' code our rights",
      ci,
      "  pull_request:\n",
      "  pull_request_target:\n",
      ['on: Unrecognized key: "pull_request_target"'],
    ],
    [
      "a right to write",
      ci,
      "contents: read",
      "contents: write",
      ['permissions.contents: Invalid input: expected "read"'],
    ],
    [
      "no rights named, which are then many",
      ci,
      "permissions:\n  contents: read\n",
      "",
      ["permissions: Invalid input: expected object, received undefined"],
    ],
    [
      "a right of one job",
      ci,
      "    name: linux\n",
      "    name: linux\n    permissions:\n      id-token: write\n",
      ['jobs.linux: Unrecognized key: "permissions"'],
    ],
    [
      "a job without an end",
      nightly,
      "    timeout-minutes: 120\n",
      "",
      ["jobs.seatbelt-laws.timeout-minutes: Invalid input: expected number, received undefined"],
    ],
    [
      "a job that may take the whole night",
      nightly,
      "minutes: 120",
      "minutes: 360",
      ["jobs.seatbelt-laws.timeout-minutes: Too big: expected number to be <=120"],
    ],
    [
      "an action that is pinned by a tag",
      ci,
      /@[0-9a-f]{40} # v6.0.1/.exec(ci)?.[0] ?? "",
      "@v6 # v6.0.1",
      ["jobs.linux.steps.0.uses: is pinned by no commit"],
    ],
    ["one with no version beside it", ci, " # v6.1.0", "", ["no version beside actions/setup-node"]],
    [
      "another action",
      ci,
      "actions/setup-node@",
      "somebody/setup-node@",
      ["jobs.linux.steps.1.uses: is no Node"],
    ],
    [
      "a checkout that leaves its token behind",
      ci,
      "credentials: false",
      "credentials: true",
      ["jobs.linux.steps.0.with.persist-credentials: Invalid input: expected false"],
    ],
    [
      "one macOS that stops the others",
      ci,
      "fail-fast: false",
      "fail-fast: true",
      ["jobs.macos.strategy.fail-fast: Invalid input: expected false"],
    ],
    [
      "a macOS that is another one next year",
      ci,
      "[macos-15, ",
      "[macos-latest, ",
      ["macos: macos-latest is another macOS next year"],
    ],
    [
      "a matrix that nothing runs on",
      ci,
      "runs-on: ${{ matrix.image }}",
      "runs-on: macos-15",
      ["macos: runs on macos-15, not on ${{ matrix.image }}"],
    ],
    ["root on macOS", ci, tests, "run: sudo scripts/test\n", ["macos: becomes root on macOS"]],
    [
      "an expression in a line",
      ci,
      tests,
      "run: scripts/test ${{ github.head_ref }}\n",
      ["jobs.macos.steps.2.run: holds an expression"],
    ],
    [
      "a line that no shell can read",
      ci,
      tests,
      "run: if scripts/test\n",
      ["macos: sh can't read it", "macos: bash can't read it"],
    ],
    ["a line that only bash can read", ci, tests, "run: scripts/test <(true)\n", ["macos: sh can't read it"]],
    ["a script that is not there", ci, tests, "run: scripts/tests\n", ["macos: there is no scripts/tests"]],
    [
      "one that can't be run",
      ci,
      tests,
      "run: scripts/lib/setup.sh\n",
      ["macos: scripts/lib/setup.sh can't be run"],
    ],
    [
      "an option that it has none of",
      ci,
      "scripts/test --all --room",
      "scripts/test --every --room",
      ["linux: scripts/test has no --every"],
    ],
    [
      "a room without tests",
      nightly,
      "--room sbpl",
      "--room sbpls",
      ["seatbelt-laws: no tests are of the room sbpls"],
    ],
    [
      "a command that there is none of",
      ci,
      "scripts/cofferdam doctor",
      "scripts/cofferdam doktor",
      ["macos: cofferdam has no doktor"],
    ],
    [
      "an option of a command",
      ci,
      "selftest --all",
      "selftest --every",
      ["macos: cofferdam selftest has no --every"],
    ],
    [
      "an npm script that there is none of",
      ci,
      tests,
      "run: npm run chek\n",
      ["macos: there is no npm script chek"],
    ],
    [
      "a variable that nothing reads",
      ci,
      "COFFERDAM_SANDBOX_MUST_WORK",
      "COFFERDAM_SANDBOX_MUST_WRK",
      ["macos: nothing reads COFFERDAM_SANDBOX_MUST_WRK"],
    ],
  ];

  test.each(broken)("%s", async (_claim, text, from, to, faults) => {
    expect(text).toContain(from);
    expect(
      await workflowFaults(
        root,
        text.replace(from, () => to),
      ),
    ).toEqual(faults);
  });
});
