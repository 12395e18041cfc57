import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { executedTable } from "../../../src/config/executed-table.ts";
import { layerOf } from "../../../src/config/operator-layer.ts";
import { parseData } from "../../../src/config/parse.ts";
import { ProfileFile } from "../../../src/config/schema.ts";
import { readShipped, shippedFolder } from "../../../src/config/shipped.ts";
import { readYaml } from "../../../src/config/yaml.ts";
import { STARTED_BEFORE_US } from "../../../src/host/look/installation/path-folders.ts";
import { accessTo } from "../../../src/profile/access-to.ts";
import { ExecutedSection, executedFinder } from "../../../src/profile/executed.ts";
import { maskKey } from "../../../src/profile/explain.ts";
import { foldedText, joinPath, knownPath, parentOf, upwards } from "../../../src/profile/path.ts";
import { parsePatterns } from "../../../src/profile/pattern.ts";
import { patternsAnywhere } from "../../../src/profile/pattern-anywhere.ts";

const FILE = joinPath(shippedFolder(), "protected.executed.json");
const text = readFileSync(FILE, "utf8");
const lines = text.split("\n");

const Row = z.strictObject({
  names: z.array(z.string().min(1)).min(1),
  by: z.string().min(1).max(100),
  when: z.string().min(1).max(200),
  runs: z.literal("started").optional(),
  source: z.url({ protocol: /^https$/ }).optional(),
});

const rows = z.record(z.string().min(1), z.array(Row).min(1)).parse(JSON.parse(text));
const all = Object.values(rows).flat();
const namesOf = (runs: "unasked" | "started"): readonly string[] =>
  all.flatMap((row) => ((row.runs ?? "unasked") === runs ? row.names : []));

const table = executedTable("protected");

describe("the table of names that hosts execute", () => {
  test("has a name once, whatever its case, and at least 120 that run unasked", () => {
    const names = [...namesOf("unasked"), ...namesOf("started")].map(foldedText);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    expect(namesOf("unasked").length).toBeGreaterThanOrEqual(120);
    expect(namesOf("started").length).toBeGreaterThanOrEqual(120);
  });

  test.each([...namesOf("unasked"), ...namesOf("started")])("%s is a pattern that holds anywhere", (name) => {
    expect(name).not.toMatch(/^\/|^\*\*|\/$|\/\/|[{}]|\s$|^\s/);
    // What is made of it quickly is what the parser makes of it.
    expect(patternsAnywhere(name)).toEqual(parsePatterns(`**/${name}`));
  });

  test("has what is looked up before the product among the commands of packages", () => {
    const names = namesOf("unasked");
    expect(STARTED_BEFORE_US.filter((name) => !names.includes(`node_modules/.bin/${name}`))).toEqual([]);
  });

  test("has each row on a line of its own, in which a reader of lines finds it", () => {
    const read = lines.filter((line) => /^ +\{/.test(line)).map((line) => JSON.parse(line.replace(/,$/, "")));
    expect(read).toEqual(all);
    expect(lines.every((line) => /^(?:[{}]| {2}"[^"]+": \[| {2}\],?| {4}\{ .+ \},?|)$/.test(line))).toBe(
      true,
    );
  });

  test("comes to one entry for each name, and rows of an operator's file could say the same", () => {
    const patterns = (runs: "unasked" | "started"): readonly string[] =>
      namesOf(runs).flatMap((name) => parsePatterns(`**/${name}`).map((pattern) => pattern.text));
    for (const runs of ["unasked", "started"] as const)
      expect(table?.names.filter((one) => one.runs === runs).map(({ pattern }) => pattern.text)).toEqual(
        patterns(runs),
      );
    expect(table?.masks.map(({ pattern }) => pattern.text)).toEqual(patterns("unasked"));
    expect(table?.masks.every(({ atMost, ignoreCase }) => atMost === "read" && ignoreCase)).toBe(true);
    const written = all.flatMap(({ names, ...row }) =>
      names.map((name) => ({ ...row, names: `**/${name}` })),
    );
    expect(ExecutedSection.safeParse(written).success).toBe(true);
  });

  test("tells of each mask where it stands", () => {
    expect(table?.sources.size).toBe(table?.masks.length);
    for (const mask of table?.masks ?? []) {
      const at = table?.sources.get(maskKey(mask));
      const line = lines[(at?.line ?? 0) - 1] ?? "";
      const { names } = Row.parse(JSON.parse(line.slice((at?.column ?? 0) - 1).replace(/,$/, "")));
      expect(at?.file).toBe(FILE);
      expect(names.map((name) => `/**/${name}`)).toContain(mask.pattern.text);
    }
  });

  test("finds every name anywhere and in any case, by the row that has it", () => {
    const find = executedFinder(table?.names ?? []);
    for (const row of all)
      for (const name of row.names) {
        const found = [`/w/${exampleOf(name)}`, `/${exampleOf(name).toUpperCase()}`].map((path) =>
          find(knownPath(path)),
        );
        for (const one of found)
          expect([name, one]).toEqual([name, expect.objectContaining({ by: row.by, when: row.when })]);
        const other = find(knownPath(`/w/${exampleOf(name)}~`))?.by ?? null;
        expect([name, other]).toEqual([name, name.endsWith("*") ? row.by : null]);
      }
  });

  test("has no name that lies in another, which holds for all in it", () => {
    const find = executedFinder(table?.names ?? []);
    for (const runs of ["unasked", "started"] as const)
      for (const name of namesOf(runs)) {
        const above = [...upwards(parentOf(knownPath(`/w/${exampleOf(name)}`)))].flatMap(
          (path) => find(path) ?? [],
        );
        // What is only told where it is new says nothing of what can't be changed in it.
        const same = above.filter((row) => row.runs === "unasked" || row.runs === runs);
        expect([name, same.map(({ by }) => by)]).toEqual([name, []]);
      }
  });
});

/** A name that the pattern matches. */
function exampleOf(name: string): string {
  return name.replaceAll("*", "x");
}

test("a pattern of plain names is made quickly as the parser makes it, and is refused where that refuses it", () => {
  for (const name of [
    "a",
    ".a/b-c/d.e",
    "$x",
    "a_b",
    "...",
    ".a.",
    "a/.../b",
    "*.a",
    "[ab]",
    "{a,b}/c",
    "a//b",
    "é",
    "a b",
  ])
    expect([name, patternsAnywhere(name)]).toEqual([name, parsePatterns(`**/${name}`)]);
  for (const name of [".", "..", "a/..", "./a", "a/./b", "a\\b", "${x}", "a**", "a(b", "@(a)", "[", "}"]) {
    const made = attempt(() => patternsAnywhere(name));
    expect([name, made]).toEqual([name, attempt(() => parsePatterns(`**/${name}`))]);
  }
});

function attempt(make: () => unknown): unknown {
  try {
    return make();
  } catch (cause) {
    return String(cause);
  }
}

/** Examples of all that the shipped masks made read-only in project folders before there was a table; `config` may be a file or a folder. */
const BEFORE = [
  ".githooks",
  ".githooks/pre-commit",
  ".husky",
  ".husky/_/husky.sh",
  ".hg/hgrc",
  ".hg/hgrc-not-shared",
  ".hg/sharedpath",
  ".jj/repo/config.toml",
  ".jj/repo/config-id",
  ".jj/workspace-config.toml",
  ".jj/workspace-config-id",
  ".envrc",
  "mise.toml",
  ".mise.toml",
  ".rtx.toml",
  "mise.local.toml",
  ".mise.production.toml",
  ".rtx.local.toml",
  ".mise",
  ".mise/config.toml",
  ".mise/tasks/build",
  ".config/mise",
  ".config/mise/conf.d/a.toml",
  ".config/mise.toml",
  ".config/mise.local.toml",
  "mise/config.toml",
  "mise/config.local.toml",
  "mise/conf.d",
  "mise/conf.d/a.toml",
  ".vscode/tasks.json",
  ".vscode/settings.json",
  ".vscode/launch.json",
  ".vscode/mcp.json",
  ".idea",
  ".idea/workspace.xml",
  ".devcontainer",
  ".devcontainer/Dockerfile",
  ".devcontainer.json",
  "team.code-workspace",
  ".zed/settings.json",
  ".zed/tasks.json",
  ".zed/debug.json",
  ".exrc",
  ".nvimrc",
  ".nvim.lua",
  ".dir-locals.el",
  ".dir-locals-2.el",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".claude/hooks",
  ".claude/hooks/a.sh",
  ".claude/commands/a.md",
  ".claude/agents/a.md",
  ".claude/skills/a/SKILL.md",
  ".claude/plugins/a",
  ".cursor/mcp.json",
  ".cursor/hooks.json",
  ".cursor/hooks/a.sh",
  ".cursor/cli.json",
  ".cursor/environment.json",
  ".gemini/settings.json",
  ".gemini/commands/a.toml",
  ".gemini/extensions/a",
  ".codex/config.toml",
  ".codex/hooks.json",
  ".codex/rules",
  ".mcp.json",
  "opencode.json",
  "opencode.jsonc",
  ".aider.conf.yml",
  ".opencode",
  ".opencode/plugins/a/index.ts",
  ".windsurf",
  ".windsurf/workflows/a.md",
  ".kiro/hooks/a.kiro.hook",
  ".kiro/settings/mcp.json",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  ".pnpmfile.mjs",
  ".yarn/releases/yarn.cjs",
  ".yarn/plugins/a.cjs",
  "pip.conf",
  ".cargo/config",
  ".cargo/config.toml",
  "cofferdam.yaml",
];

describe("what the shipped masks made read-only before there was a table", () => {
  const none = { code: "PROFILE_INVALID", by: "PROFILE_INVALID", at: null } as const;
  const { path, bytes } = readShipped("protected", none);
  const yaml = readYaml(bytes, path, "PROFILE_INVALID");
  const home = { home: [knownPath("/home/ann")] };
  const { profile } = layerOf(parseData(ProfileFile, yaml), yaml, home, undefined, table);

  test.each(BEFORE)("%s is so still, in a project, deeper in it, and in capitals", (name) => {
    for (const file of [`/srv/p/${name}`, `/srv/p/a/b/${name}`, `/srv/p/${name.toUpperCase()}`])
      expect([file, accessTo(profile, knownPath(file))]).toEqual([file, "read"]);
    const beside = knownPath(`/srv/p/${name.replace(/[^/]+/g, "$&x")}`);
    expect([beside, accessTo(profile, beside)]).toEqual([beside, "write"]);
  });
});
