import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { loadedBy, ROOMS, roomOf, violations } from "./support/architecture.ts";
import { CLOCKS, durationsIn } from "./support/clocks.ts";
import { sourceFigures, sources } from "./support/figures/figures.ts";
import { RATCHETS } from "./support/figures/ratchets.ts";
import { moduleFacts } from "./support/module-facts.ts";
import { dailyTests, NIGHTLY, READ_BY_DAY } from "./support/nightly.ts";

test("the sources obey the table of rooms", () => {
  expect(violations(sources())).toEqual([]);
});

/** The rooms that make a sandbox, look at the machine for it, or run something in it. */
const SANDBOX = ["backend", "attacks", "host/launch", "network", "worker", "config", "decide", "session"];

test("the entry of the gate reaches no code of the sandbox; the main entry does", () => {
  const files = sources();
  const roomsOf = (entry: string): readonly string[] => {
    const reached = new Set(loadedBy(entry, files).map(roomOf));
    return SANDBOX.filter((room) => reached.has(room));
  };
  expect(roomsOf("entry/gate.ts")).toEqual([]);
  expect(roomsOf("index.ts")).toEqual(SANDBOX.filter((room) => room !== "worker"));
});

describe("figures of the sources", () => {
  const figures = sourceFigures(sources());

  test.each(Object.entries<number>({ ...RATCHETS }))("%s is at most %i, and close to it", (name, max) => {
    const value = Object.entries<number>({ ...figures }).find(([one]) => one === name)?.[1];
    expect(
      value,
      `lower ${name} in test/support/figures/ratchets.ts, or undo what raised it`,
    ).toBeLessThanOrEqual(max);
    // One that has fallen is lowered: what was won is kept.
    expect(value).toBeGreaterThanOrEqual(Math.floor(max * 0.95));
  });

  test("a fault of each kind is counted", () => {
    const text = (code: string): Readonly<Record<string, string>> => ({
      "a/a.ts": code,
      "a/b.ts": "export type B = 1;\n",
    });
    const counted = (code: string) => sourceFigures(text(code));
    expect(counted("export interface B {}\n").collidingTypes).toBe(1);
    expect(counted("export interface Told {}\n").oneWordTypes).toBe(1);
    expect(counted("export interface Verdict {}\n").oneWordTypes).toBe(0);
    expect(counted("/** What nobody answered. */\nexport const a = 1;\n").headlessDocstrings).toBe(1);
    expect(counted("/** Unanswered requests. */\nexport const a = 1;\n").headlessDocstrings).toBe(0);
    expect(counted("const MOST_LINES = 3;\n").maxConstants).toBe(1);
    const long = `${"word ".repeat(30)}end`;
    expect(counted(`throw new CofferdamError("USAGE", \`${long}\`);\n`).longErrorSentences).toBe(1);
    expect(
      counted(`throw new CofferdamError("USAGE", "short", { hint: "${long}" });\n`).longErrorSentences,
    ).toBe(1);
  });
});

test("no test expects anything of how long something takes", () => {
  const folder = import.meta.dirname;
  const names = dailyTests()
    .filter((file) => file.startsWith("test/") && file !== "test/architecture.test.ts")
    .map((file) => relative("test", file).replaceAll(sep, "/"));
  const found = names.flatMap((name) => durationsIn(name, readFileSync(join(folder, name), "utf8")));
  expect(found).toEqual([]);
  expect(Object.keys(CLOCKS).filter((name) => !names.includes(name))).toEqual([]);
  const twins = [
    "const a = performance.now();",
    "expect(Date.now() - began).toBeLessThan(9);",
    "date +%s%3N",
  ];
  for (const line of [...twins, "expect(outcome.durationMs).toBeLessThan(9)"])
    expect(durationsIn("unit/a.test.ts", line)).toHaveLength(1);
  const [clocked = ""] = Object.keys(CLOCKS);
  expect(durationsIn(clocked, "const a = performance.now();")).toEqual([]);
  expect(durationsIn(clocked, "expect(performance.now() - a).toBeLessThan(9);")).toHaveLength(1);
});

describe("what is run each night", () => {
  const root = join(import.meta.dirname, "..");
  const folders = Object.values(NIGHTLY);
  const isNightly = (file: string): boolean => folders.some((folder) => file.startsWith(`${folder}/`));

  test("has tests, a config and a README of its own, under the name of its room", () => {
    for (const [room, folder] of Object.entries(NIGHTLY)) {
      expect(folder.split("/").at(-1)).toBe(room);
      for (const name of ["vitest.config.ts", "README.md"])
        expect([folder, name, existsSync(join(root, folder, name))]).toEqual([folder, name, true]);
      expect(globSync(`${folder}/**/*.test.ts`, { cwd: root })).not.toEqual([]);
    }
  });

  test("is imported by nothing else, but where a reason is given", () => {
    const files = globSync("{test,scripts,examples}/**/*.ts", { cwd: root }).filter(
      (file) => !isNightly(file),
    );
    const importing = files.filter((file) =>
      moduleFacts(file, readFileSync(join(root, file), "utf8")).imports.some(({ specifier }) =>
        isNightly(join(dirname(file), specifier)),
      ),
    );
    expect(files.length).toBeGreaterThan(500);
    expect(importing).toEqual(Object.keys(READ_BY_DAY));
    expect(isNightly("test/seatbelt-model/compile.ts")).toBe(true);
  });
});

describe("the rules fire", () => {
  const blank = "export {};\n";
  const importing = (specifier: string): string =>
    `import { it } from "${specifier}";\nexport const use = it;\n`;

  /** Files that break one rule, and every violation as `file:line rule: what`. */
  const broken: readonly (readonly [
    claim: string,
    files: Record<string, string>,
    found: readonly string[],
  ])[] = [
    [
      "a file outside every room",
      { "helpers/a.ts": blank, "main.ts": blank },
      ["helpers/a.ts:1 room: lies in no room of the table", "main.ts:1 room: lies in no room of the table"],
    ],
    [
      "a room that imports one further down",
      { "journal/a.ts": importing("../store/b.ts"), "store/b.ts": blank },
      ["journal/a.ts:1 order: journal is above store"],
    ],
    [
      "a type taken from a room further down",
      { "journal/a.ts": 'export type { B } from "../store/b.ts";\n' },
      ["journal/a.ts:1 order: journal is above store"],
    ],
    [
      "a type taken in passing from a room further down",
      { "journal/a.ts": '\nexport type A = import("../store/b.ts").B;\n' },
      ["journal/a.ts:2 order: journal is above store"],
    ],
    [
      "a late import of a room further down",
      { "config/a.ts": 'export const load = () => import("../cli/main.ts");\n' },
      ["config/a.ts:1 order: config is above cli"],
    ],
    [
      "a file that looks at the machine and reaches one that launches",
      { "host/look/a.ts": importing("../launch/spawn.ts"), "host/a.ts": importing("./look/user.ts") },
      [
        "host/a.ts:1 order: host is above host/look",
        "host/look/a.ts:1 order: host/look is above host/launch",
      ],
    ],
    [
      "an import of the library's entry",
      { "cli/main.ts": importing("../index.ts") },
      ["cli/main.ts:1 order: cli is above index.ts"],
    ],
    [
      "a worker that knows the host",
      { "worker/main.ts": importing("../host/facts.ts") },
      ["worker/main.ts:1 worker: the worker imports host"],
    ],
    [
      "a worker that takes more than types from its protocol",
      {
        "worker/a.ts": importing("../tool/files/protocol.ts"),
        "worker/b.ts": 'import { type It } from "../tool/files/protocol.ts";\nexport type B = It;\n',
      },
      ["worker/a.ts:1 worker: the worker imports tool", "worker/b.ts:1 worker: the worker imports tool"],
    ],
    [
      "a worker that takes types from another tool file",
      { "worker/a.ts": 'import type { Tool } from "../tool/ask.ts";\nexport type A = Tool;\n' },
      ["worker/a.ts:1 worker: the worker imports tool"],
    ],
    [
      "an import of the worker",
      { "approval/a.ts": importing("../worker/main.ts") },
      ["approval/a.ts:1 worker: approval imports the worker"],
    ],
    [
      "a page that takes code from the server's side, a package, or what browsers have not",
      {
        "inbox/a.ts": importing("../policy/redact.ts"),
        "inbox/b.ts": importing("zod"),
        "inbox/c.ts": "export const home = process.env;\n",
      },
      [
        "inbox/a.ts:1 browser: the inbox imports policy",
        "inbox/b.ts:1 browser: the inbox imports zod",
        "inbox/c.ts:1 browser: mentions process",
      ],
    ],
    [
      "an import of the page's code",
      { "mcp/a.ts": importing("../inbox/main.ts") },
      ["mcp/a.ts:1 browser: mcp imports the inbox"],
    ],
    [
      "an integration that imports an integration",
      {
        "mcp/a.ts": importing("../http/b.ts"),
        "mcp/b.ts": 'export const load = () => import("../http/b.ts");\n',
      },
      [
        "mcp/a.ts:1 integration: mcp imports the integration http",
        "mcp/a.ts:1 optional: imports http/b.ts before it is needed",
        "mcp/b.ts:1 integration: mcp imports the integration http",
      ],
    ],
    [
      "a command line that brings an integration along",
      { "cli/a.ts": importing("../http/b.ts") },
      [
        "cli/a.ts:1 integration: cli imports the integration http",
        "cli/a.ts:1 optional: imports http/b.ts before it is needed",
      ],
    ],
    [
      "a library entry that brings an integration along",
      { "index.ts": 'export * from "./mcp/server.ts";\n' },
      [
        "index.ts:1 integration: index.ts imports the integration mcp",
        "index.ts:1 optional: imports mcp/server.ts before it is needed",
      ],
    ],
    [
      "a pure room that reads files",
      { "tool/a.ts": importing("node:fs") },
      ["tool/a.ts:1 pure: imports node:fs"],
    ],
    [
      "a pure room that parses YAML",
      { "profile/a.ts": importing("yaml") },
      ["profile/a.ts:1 pure: imports yaml"],
    ],
    [
      "a pure room that takes more than hashing from node:crypto",
      {
        "event/a.ts": 'import { createHash, randomUUID } from "node:crypto";\n',
        "event/b.ts": 'import * as crypto from "node:crypto";\n',
      },
      ["event/a.ts:1 pure: imports node:crypto", "event/b.ts:1 pure: imports node:crypto"],
    ],
    [
      "a preparation that reaches an effect",
      { "decide/prepare.ts": importing("../host/launch/facts.ts") },
      ["decide/prepare.ts:1 pure: reaches host/launch/facts.ts, which is not pure"],
    ],
    [
      "a second place that starts processes",
      { "host/launch/probe.ts": importing("execa"), "network/a.ts": importing("child_process") },
      [
        "host/launch/probe.ts:1 spawn: imports execa; only host/launch/spawn.ts starts processes",
        "network/a.ts:1 spawn: imports child_process; only host/launch/spawn.ts starts processes",
      ],
    ],
    [
      "a package that not every user has, elsewhere than in its place",
      {
        "approval/a.ts": importing("pg"),
        "channel/terminal.ts": importing("grammy/web"),
        "store/sqlite.ts": 'import type { Pool } from "pg";\n',
      },
      [
        "approval/a.ts:1 optional: imports pg; only store/postgres may",
        "channel/terminal.ts:1 optional: imports grammy/web; only channel/telegram may",
        "store/sqlite.ts:1 optional: imports pg; only store/postgres may",
      ],
    ],
    [
      "a file that brings such a package along",
      { "store/a.ts": importing("./postgres.ts"), "store/b.ts": importing("./postgres/a.ts") },
      [
        "store/a.ts:1 optional: imports store/postgres.ts before it is needed",
        "store/b.ts:1 optional: imports store/postgres/a.ts before it is needed",
      ],
    ],
    [
      "an import without its extension",
      { "cli/a.ts": importing("./b.js") },
      ["cli/a.ts:1 path: imports ./b.js, which does not end in .ts"],
    ],
    [
      "code in another dress than .ts",
      { "cli/a.js": blank, "cli/b.mts": blank, "cli/page.html": "<p>" },
      ["cli/a.js:1 path: is code, but not .ts", "cli/b.mts:1 path: is code, but not .ts"],
    ],
    [
      "an import from outside of src",
      { "cli/a.ts": importing("../../test/b.ts") },
      ["cli/a.ts:1 path: reaches out of src with ../../test/b.ts"],
    ],
    [
      "an import of the package by its own name",
      { "cli/a.ts": importing("cofferdam/testing") },
      ["cli/a.ts:1 path: imports cofferdam/testing"],
    ],
    [
      "an import that no one can follow",
      { "cli/a.ts": "export const load = (name: string) => import(name);\n" },
      ["cli/a.ts:1 path: imports what is only known at run time"],
    ],
    [
      "a default export, in whatever dress",
      {
        "cli/a.ts": "export default 1;\n",
        "cli/b.ts": "const b = 1;\nexport { b as default };\n",
        "cli/c.ts": 'export { default } from "./a.ts";\n',
      },
      [
        "cli/a.ts:1 default export: exports without a name",
        "cli/b.ts:2 default export: exports without a name",
        "cli/c.ts:1 default export: exports without a name",
      ],
    ],
    [
      "a file of 301 lines",
      { "cli/a.ts": "//\n".repeat(301) },
      ["cli/a.ts:1 length: has 301 lines, 300 are the most"],
    ],
    [
      "a cycle",
      { "cli/a.ts": importing("./b.ts"), "cli/b.ts": importing("./c.ts"), "cli/c.ts": importing("./b.ts") },
      ["cli/b.ts:1 cycle: cli/b.ts → cli/c.ts → cli/b.ts"],
    ],
    [
      "a cycle of types",
      { "cli/a.ts": 'import type { B } from "./b.ts";\n', "cli/b.ts": 'import type { A } from "./a.ts";\n' },
      ["cli/a.ts:1 cycle: cli/a.ts → cli/b.ts → cli/a.ts"],
    ],
  ];

  test.each(broken)("%s", (_claim, files, found) => {
    expect(listed(files)).toEqual(found);
  });

  /** One line of a pure file, and what it is found to mention. */
  const impure: readonly (readonly [line: string, mention: string])[] = [
    ["export const home = process.env;", "process"],
    ["export type Env = typeof process;", "process"],
    ["export const now = () => Date.now();", "Date"],
    ["export function at(when: Date): void {}", "Date"],
    ["declare const Date: { now(): number }; export const now = Date.now;", "Date"],
    ["export const now = performance.now();", "performance"],
    ["export const die = Math.random();", "Math.random"],
    ["export const { random } = Math;", "Math"],
    ['export const die = Math["random"]();', "Math"],
    ["export const id = crypto.randomUUID();", "crypto"],
    ["export const wait = (go: () => void) => setTimeout(go, 1);", "setTimeout"],
    ["export const get = () => fetch('x:');", "fetch"],
    ["export const tools = { fetch };", "fetch"],
    ["export const sneak = globalThis['process'];", "globalThis"],
    ["export const say = console.log;", "console"],
  ];

  test.each(impure)("in a pure file: %s", (line, mention) => {
    const mentions = listed({ "policy/a.ts": `${line}\n` });
    expect(new Set(mentions)).toEqual(new Set([`policy/a.ts:1 pure: mentions ${mention}`]));
    expect(listed({ "host/a.ts": `${line}\n` })).toEqual([]);
  });
});

describe("the rules let pass", () => {
  test("every room importing the rooms above it, where no rule of its own says less", () => {
    const special = ["decide", "worker", "http", "inbox", "mcp", "adapters", "testing", "entry", "index.ts"];
    const usual = ROOMS.filter((room) => !special.includes(room));
    const fileIn = (room: string): string => (room.endsWith(".ts") ? room : `${room}/a.ts`);
    const files = usual.map((room, position) => {
      const imports = usual.slice(0, position).map((above) => `import "../${fileIn(above)}";`);
      return [fileIn(room), imports.join("\n")] as const;
    });
    expect(listed(Object.fromEntries(files))).toEqual([]);
  });

  test("what pure files may use", () => {
    const text = [
      'import { createHash } from "node:crypto";',
      'import { isIP } from "ipaddr.js";',
      'import * as z from "zod/mini";',
      "export const largest = Math.max(1, 2);",
      "export interface Limits { readonly process: number; readonly fetch?: string }",
      "export const of = (limits: Limits): number => limits.process;",
      "export const Limits = z.object({ process: z.int(), Date: z.string() });",
      'export const words = "process Date fetch()"; // process',
    ].join("\n");
    expect(listed({ "profile/a.ts": text })).toEqual([]);
  });

  test("a pure file with a fetch of its own", () => {
    const tool = "export const fetch = { name: 'fetch' };\nexport const call = fetch.name;\n";
    const all = 'import { fetch } from "./fetch.ts";\nexport const all = [fetch];\n';
    expect(listed({ "tool/fetch.ts": tool, "tool/all.ts": all })).toEqual([]);
  });

  test("a preparation that names the types of what it is given", () => {
    const prepare =
      'import type { Config } from "../config/config.ts";\nexport const of = (config: Config) => config;\n';
    expect(listed({ "decide/prepare.ts": prepare })).toEqual([]);
  });

  test("a package that not every user has, once it is needed", () => {
    const late = 'export const load = () => import("../store/postgres.ts");\n';
    const type = 'export type { PostgresOptions } from "./store/postgres.ts";\n';
    expect(
      listed({
        "store/postgres.ts": 'import { Pool } from "pg";\nimport "./postgres/a.ts";\n',
        "store/postgres/a.ts": 'import { Client } from "pg";\n',
        "channel/telegram/bot.ts": 'export const load = () => import("grammy");\n',
        "http/app.ts": 'import { Hono } from "hono";\n',
        "config/a.ts": late,
        "index.ts": type,
      }),
    ).toEqual([]);
  });

  test("a command line that loads an integration when it is asked to open it", () => {
    expect(listed({ "cli/a.ts": 'export const load = () => import("../http/b.ts");\n' })).toEqual([]);
  });

  test("processes started where they may be", () => {
    expect(
      listed({
        "host/launch/spawn.ts":
          'import { spawn } from "node:child_process";\nimport { execa } from "execa";\n',
      }),
    ).toEqual([]);
  });

  test("a worker that knows profiles and errors", () => {
    expect(
      listed({
        "worker/main.ts": 'import "../profile/path.ts";\nimport "../errors.ts";\nimport "node:fs";\n',
      }),
    ).toEqual([]);
  });

  test("a worker that names the types of its protocol", () => {
    expect(
      listed({
        "worker/a.ts":
          'import type { FileRequest } from "../tool/files/protocol.ts";\nexport type A = FileRequest;\n',
        "tool/files/protocol.ts": "export type FileRequest = string;\n",
      }),
    ).toEqual([]);
  });

  test("a page that names types of the server's side, and shows text as terminals do", () => {
    expect(
      listed({
        "inbox/a.ts":
          'import "../errors.ts";\nimport "../channel/visible-unit.ts";\nimport type { B } from "../http/b.ts";\nexport type A = B;\n',
        "http/b.ts": "export type B = string;\n",
      }),
    ).toEqual([]);
  });

  test("300 lines", () => {
    expect(listed({ "cli/a.ts": "//\n".repeat(300) })).toEqual([]);
  });

  test("no sources at all", () => {
    expect(listed({})).toEqual([]);
  });
});

test("a file that is no TypeScript is named", () => {
  expect(() => listed({ "cli/a.ts": "const = 1;" })).toThrow(/^cli\/a\.ts does not parse: /);
});

function listed(files: Readonly<Record<string, string>>): readonly string[] {
  return violations(files).map(({ file, line, rule, what }) => `${file}:${line} ${rule}: ${what}`);
}
