import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMANDS, type CommandName, helpFor, isCommand, overview } from "../../../src/cli/help.ts";
import { packageVersion } from "../../../src/host/version.ts";
import { moduleFacts } from "../../support/module-facts.ts";

const NAMES = Object.keys(COMMANDS).filter((name): name is CommandName => isCommand(name));

describe("every command has a text with an example, in 118 columns", () => {
  test.each(NAMES)("%s", (name) => {
    const text = helpFor(name);
    expect(text).toMatch(new RegExp(`^usage: cofferdam ${name}`));
    expect(text).toMatch(/\n\nExample:\n {2}cofferdam /);
    expect(text.split("\n").filter((line) => line.length > 118)).toEqual([]);
  });
});

test("the overview names every command", () => {
  expect(NAMES.filter((name) => !overview().includes(`\n  ${name} `))).toEqual([]);
});

test("help and version load nothing but their texts", () => {
  const seen = new Set<string>();
  const load = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(new URL(`../../../src/${file}`, import.meta.url), "utf8");
    for (const { specifier, isTypeOnly } of moduleFacts(file, text).imports) {
      const isStatic = !text.includes(`import("${specifier}")`);
      if (isStatic && !isTypeOnly && specifier.startsWith("."))
        load(posix.join(posix.dirname(file), specifier));
      else if (isStatic && !isTypeOnly) expect(specifier).toMatch(/^node:/);
    }
  };
  load("cli/main.ts");
  load("cli/start.ts");
  expect([...seen].sort()).toEqual([
    "channel/ink.ts",
    "cli/dispatch.ts",
    "cli/help.ts",
    "cli/main.ts",
    "cli/print.ts",
    "cli/signals.ts",
    "cli/start.ts",
    "host/node-version.ts",
    "host/version.ts",
    "policy/spelled-out.ts",
  ]);
});

test("the version is the package's", () => {
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  expect(packageVersion()).toBe(version);
});

test("every command can be loaded, and knows the options that its help lists", async () => {
  for (const name of NAMES) {
    const options = [...helpFor(name).matchAll(/^ {2}(--[a-z-]+)/gm)]
      .map((match) => match[1])
      .filter((option) => option !== "--help");
    const { default: nothing, ...module } = await loaders[name]();
    expect([name, nothing, Object.keys(module)]).toEqual([name, undefined, [name]]);
    // One command may have more than one file.
    const source = globSync(`src/cli/commands/${name}{,-*}.ts`)
      .map((file) => readFileSync(file, "utf8"))
      .join("\n");
    const shared = source.includes("COMMON") ? ["--config", "--profile", "--json"] : [];
    for (const option of options)
      expect(
        shared.includes(`${option}`) || new RegExp(`["\\s]${option?.slice(2)}"?: \\{ type`).test(source),
        `${name} ${option}`,
      ).toBe(true);
  }
});

/** As `dispatch` loads them; an import that nobody can follow is no import. */
const loaders: Readonly<Record<CommandName, () => Promise<Record<string, unknown>>>> = {
  init: () => import("../../../src/cli/commands/init.ts"),
  trust: () => import("../../../src/cli/commands/trust.ts"),
  run: () => import("../../../src/cli/commands/run.ts"),
  call: () => import("../../../src/cli/commands/call.ts"),
  approvals: () => import("../../../src/cli/commands/approvals.ts"),
  quarantine: () => import("../../../src/cli/commands/quarantine.ts"),
  grants: () => import("../../../src/cli/commands/grants.ts"),
  resume: () => import("../../../src/cli/commands/resume.ts"),
  serve: () => import("../../../src/cli/commands/serve.ts"),
  mcp: () => import("../../../src/cli/commands/mcp.ts"),
  tools: () => import("../../../src/cli/commands/tools.ts"),
  check: () => import("../../../src/cli/commands/check.ts"),
  explain: () => import("../../../src/cli/commands/explain.ts"),
  profile: () => import("../../../src/cli/commands/profile.ts"),
  doctor: () => import("../../../src/cli/commands/doctor.ts"),
  journal: () => import("../../../src/cli/commands/journal.ts"),
  selftest: () => import("../../../src/cli/commands/selftest.ts"),
  schema: () => import("../../../src/cli/commands/schema.ts"),
};
