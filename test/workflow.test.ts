import { spawnSync } from "node:child_process";
import { accessSync, constants, globSync, readFileSync, statSync } from "node:fs";
import { registerHooks } from "node:module";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const WORKFLOWS = globSync(".github/workflows/*.{yml,yaml}", { cwd: root }).toSorted();
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await parser();

/** Keys, contexts of expressions and schedules, as GitHub's own parser reads them. */
async function languageFaults(content: string): Promise<readonly string[]> {
  const { context, value } = parseWorkflow({ name: "workflow.yml", content }, new NoOperationTraceWriter());
  if (value !== undefined) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message.replace(/^workflow\.yml /, ""));
}

/** Lines that GitHub allows and this project does not: they could change the repository, or run unread code. */
const FORBIDDEN: readonly RegExp[] = [
  /\b(?:pull_request_target|workflow_run)\b/,
  /:\s*write(?:-all)?\s*$/,
  /persist-credentials: (?!false$)/,
  // An action is pinned by its commit, with the version beside it; and none is of strangers.
  /uses: (?!actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$)/,
  // Text of others in a line of shell: expressions stand in these keys alone.
  /^(?!\s*(?:group|name|runs-on|if): ).*\$\{\{/,
  /macos-latest/,
];

function forbiddenIn(text: string): readonly string[] {
  const lines = text.split("\n").filter((line) => FORBIDDEN.some((pattern) => pattern.test(line)));
  const checkouts = text.match(/uses: actions\/checkout@/g)?.length ?? 0;
  const jobs = text.match(/^ {4}runs-on:/gm)?.length ?? 0;
  return [
    ...lines.map((line) => line.trim()),
    ...(/^permissions:\n {2}contents: read\n/m.test(text) ? [] : ["no permissions"]),
    ...(text.match(/persist-credentials: false/g)?.length === checkouts ? [] : ["a token is left behind"]),
    ...(text.match(/^ {4}timeout-minutes: (?:\d{1,2}|1[01]\d|120)$/gm)?.length === jobs
      ? []
      : ["a job without an end"]),
  ];
}

test.each(WORKFLOWS)(
  "%s obeys GitHub's schema and our own, and the scripts it runs are there",
  async (path) => {
    expect(await languageFaults(read(path))).toEqual([]);
    expect(forbiddenIn(read(path))).toEqual([]);
    const scripts = read(path).match(/(?<=[\s"])(?:scripts|\.ci)\/[\w./-]+/g) ?? [];
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) accessSync(join(root, script), constants.X_OK);
  },
);

test("at night the long tests run, and as root all rows of tables that two people share", () => {
  const nightly = read(".github/workflows/nightly.yml");
  expect(nightly).toContain("run: scripts/test --night\n");
  const rooms = /for room in (.+); do\n.* scripts\/test --long --room "\$room"/
    .exec(nightly)?.[1]
    ?.split(" ");
  const names = globSync("test/kernel/*.test.ts", { cwd: root })
    .filter((file) => read(file).includes("battery/rows-of.ts"))
    .map((file) => basename(file).replace(/\..*/, ""));
  expect(names.length).toBeGreaterThan(0);
  expect(rooms).toEqual(names.toSorted());
});

test("an action is of one version everywhere", () => {
  const uses = WORKFLOWS.flatMap((path) => read(path).match(/uses: .*@.*$/gm) ?? []);
  expect(uses.length).toBeGreaterThan(0);
  expect(new Set(uses).size).toBe(new Set(uses.map((line) => line.replace(/@.*/, ""))).size);
});

test.each([".ci/limits", ".ci/run"])("%s is read by bash", (path) => expect(isRead("bash", path)).toBe(true));

const SCRIPTS = globSync(["scripts/*", "scripts/**/*.sh"], { cwd: root }).filter(
  (path) => path.endsWith(".sh") || (!path.includes(".") && statSync(join(root, path)).isFile()),
);

test.each(SCRIPTS)("%s is read by sh and by bash", (path) => {
  expect(["sh", "bash"].filter((shell) => !isRead(shell, path))).toEqual([]);
});

describe("a fault is noticed:", () => {
  const ci = read(".github/workflows/ci.yml");
  const commit = /@[0-9a-f]{40}/.exec(ci)?.[0] ?? "";

  test.each([
    [
      "a key that GitHub does not know",
      "timeout-minutes",
      "timeout-minuts",
      "Unexpected value 'timeout-minuts'",
    ],
    [
      "a value that no matrix has",
      "${{ matrix.image }}",
      "${{ matrx.image }}",
      "Unrecognized named-value: 'matrx'",
    ],
  ])("%s", async (_, from, to, fault) => {
    expect(ci).toContain(from);
    expect((await languageFaults(ci.replace(from, () => to))).join()).toContain(fault);
  });

  test.each([
    ["strangers' code with our rights", "  pull_request:", "  pull_request_target:"],
    ["a right to write", "contents: read", "contents: write"],
    ["no rights named, which are then many", "permissions:\n  contents: read\n", ""],
    ["an action that is pinned by a tag", commit, "@v6"],
    ["an action without its version", " # v6.1.0", ""],
    ["an action of a stranger", "actions/setup-node@", "somebody/setup-node@"],
    ["a checkout that leaves its token behind", "persist-credentials: false", "fetch-depth: 1"],
    ["a job without an end", "    timeout-minutes: 30\n", ""],
    ["a job that may take the whole night", "timeout-minutes: 30", "timeout-minutes: 360"],
    ["an event of another workflow", "  pull_request:", "  workflow_run:"],
    ["an expression in lines of shell", "run: scripts/test\n", "run: |\n          ${{ github.head_ref }}\n"],
    ["an expression in a line of shell", "run: scripts/test\n", "run: scripts/test ${{ github.head_ref }}\n"],
    ["a macOS that is another one next year", "[macos-15, ", "[macos-latest, "],
  ])("%s", (_, from, to) => {
    expect(ci).toContain(from);
    expect(forbiddenIn(ci.replace(from, () => to))).not.toEqual([]);
  });
});

function isRead(shell: string, path: string): boolean {
  return spawnSync(shell, ["-n"], { input: read(path) }).status === 0;
}

/** It imports its schemas without saying that they are JSON, and Node wants that said. */
async function parser(): Promise<typeof import("@actions/workflow-parser")> {
  const hooks = registerHooks({
    load: (url, context, next) =>
      next(url, url.endsWith(".min.json") ? { ...context, importAttributes: { type: "json" } } : context),
  });
  try {
    return await import("@actions/workflow-parser");
  } finally {
    hooks.deregister();
  }
}
