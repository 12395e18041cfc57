import { Readable } from "node:stream";
import { tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CALL_OPTIONS } from "../../../src/call/call-options.ts";
import { createGate } from "../../../src/call/create-gate.ts";
import { SESSION_OPTIONS } from "../../../src/call/session-options.ts";
import { MemoryJournal } from "../../../src/journal/journal.ts";
import { assertOptions } from "../../../src/policy/options.ts";
import { createDraft } from "../../../src/session/draft.ts";
import { createSupervisor } from "../../../src/session/supervisor.ts";
import { SUPERVISOR_OPTIONS } from "../../../src/session/supervisor-options.ts";
import { deriveFor } from "../../../src/testing/derive-for.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import { machine, PLAIN, refusalOf } from "../config/machine.ts";

/** Code, message and hint of what the run refuses. */
function told(run: () => unknown): readonly (string | undefined)[] {
  const { code, message, hint } = refusalOf(run);
  return [code, message, hint];
}

describe("options of createSupervisor that there are not are refused", () => {
  const all =
    "{ config?, profiles?, cwd?, startsInRoot?, mode?, asksCaller?, terminal?, journal?, store?, host? }";
  test.each<[given: unknown, message: string, hint: string]>([
    [
      { profile: ["read-only"] },
      "unknown option `profile` of `createSupervisor`",
      "did you mean `profiles`?",
    ],
    [{ Mode: "strict" }, "unknown option `Mode` of `createSupervisor`", "did you mean `mode`?"],
    [
      { network: false },
      "unknown option `network` of `createSupervisor`",
      `\`createSupervisor\` takes \`${all}\``,
    ],
    [null, "the options of `createSupervisor` must be an object", `\`createSupervisor\` takes \`${all}\``],
    [
      "cofferdam.yaml",
      "the options of `createSupervisor` must be an object",
      `\`createSupervisor\` takes \`${all}\``,
    ],
    [[], "the options of `createSupervisor` must be an object", `\`createSupervisor\` takes \`${all}\``],
    [{ config: 1 }, "invalid option `config` of `createSupervisor`", "`config` must be a path (a string)"],
    [{ config: null }, "invalid option `config` of `createSupervisor`", "`config` must be a path (a string)"],
    [
      { profiles: "strict" },
      "invalid option `profiles` of `createSupervisor`",
      '`profiles` must be a list of names or paths: `["strict"]`',
    ],
    [
      { profiles: ["strict", 1] },
      "invalid option `profiles.1` of `createSupervisor`",
      '`profiles` must be a list of names or paths: `["strict"]`',
    ],
    [
      { cwd: "notes" },
      "invalid option `cwd` of `createSupervisor`",
      "`cwd` must be an absolute path without `..` or a slash at its end",
    ],
    [
      { mode: "strickt" },
      "invalid option `mode` of `createSupervisor`",
      "`mode` must be one of interactive, approve_all, strict",
    ],
    [
      { asksCaller: "no" },
      "invalid option `asksCaller` of `createSupervisor`",
      "`asksCaller` must be `true` or `false`",
    ],
    [
      { journal: [] },
      "invalid option `journal` of `createSupervisor`",
      "`journal` must be an object with a method `write` for events",
    ],
    [
      { host: {} },
      "invalid option `host` of `createSupervisor`",
      "`host` must be a host, as `thisHost` returns it",
    ],
  ])("%j", async (given, message, hint) => {
    const made: unknown = Reflect.apply(createSupervisor, undefined, [given]);
    await expect(made).rejects.toMatchObject({ code: "USAGE", message, hint });
    expect(told(() => Reflect.apply(createDraft, undefined, [given]))).toEqual(
      ["USAGE", message, hint].map((one) => one.replace("`createSupervisor`", "`createDraft`")),
    );
  });

  test("and those that there are, or are left undefined, are taken", () => {
    const m = machine({ "home/ann/project/cofferdam.yaml": PLAIN });
    const given = {
      config: "cofferdam.yaml",
      profiles: ["no-network"],
      cwd: m.project,
      mode: "strict",
      asksCaller: true,
      journal: new MemoryJournal(),
      host: m.host,
    };
    expect(() => assertOptions("createSupervisor", SUPERVISOR_OPTIONS, given)).not.toThrow();
    const draft: unknown = Reflect.apply(createDraft, undefined, [{ ...given, mode: undefined }]);
    expect(draft).toMatchObject({ policy: { mode: "interactive" } });
  });
});

const OF_DEFINE_TOOL =
  "a list of tools from `defineTool`; make one of another library's tool: `defineTool({ name, risk, input: SCHEMA, run: ({ input }) => CALL })`";

test("`guard` refuses tools that another library made, and says how to make them ours", () => {
  const search = z.object({ words: z.string() });
  const foreign: unknown = [tool({ inputSchema: search, execute: ({ words }) => words })];
  const gate = createGate({ handler: () => ({ approved: true, by: "ann" }) });
  expect(told(() => Reflect.apply(gate.guard, gate, [foreign]))).toEqual([
    "USAGE",
    "`guard` got tools that `defineTool` did not make",
    `pass ${OF_DEFINE_TOOL}`,
  ]);
  const ours = defineTool({ name: "search", input: search, run: ({ input }) => input.words });
  expect(() => Reflect.apply(gate.guard, gate, [[ours]])).not.toThrow();
});

describe("options of a session and of a call", () => {
  const sinks = { stdout: () => undefined, stderr: () => undefined };

  test.each<
    [
      of: string,
      schema: typeof CALL_OPTIONS | typeof SESSION_OPTIONS,
      given: unknown,
      message: string,
      hint: string,
    ]
  >([
    [
      "session",
      SESSION_OPTIONS,
      { handlr: () => true },
      "unknown option `handlr` of `session`",
      "did you mean `handler`?",
    ],
    [
      "session",
      SESSION_OPTIONS,
      { handler: true },
      "invalid option `handler` of `session`",
      "`handler` must be a handler, a list of handlers, or a function that answers `{ approved, by }`",
    ],
    [
      "session",
      SESSION_OPTIONS,
      { caller: "root" },
      "invalid option `caller` of `session`",
      "`caller` must be `agent` or `person`",
    ],
    [
      "session",
      SESSION_OPTIONS,
      { tools: [tool({ inputSchema: z.object({}), execute: () => 1 })] },
      "invalid option `tools.0` of `session`",
      `\`tools\` must be ${OF_DEFINE_TOOL}`,
    ],
    [
      "session",
      SESSION_OPTIONS,
      { tools: { search: tool({ inputSchema: z.object({}), execute: () => 1 }) } },
      "invalid option `tools` of `session`",
      `\`tools\` must be ${OF_DEFINE_TOOL}`,
    ],
    ["call", CALL_OPTIONS, { singal: null }, "unknown option `singal` of `call`", "did you mean `signal`?"],
    [
      "call",
      CALL_OPTIONS,
      { signal: {} },
      "invalid option `signal` of `call`",
      "`signal` must be an `AbortSignal`",
    ],
    [
      "call",
      CALL_OPTIONS,
      { stdin: "text" },
      "invalid option `stdin` of `call`",
      "`stdin` must be a stream: `Readable.from([text])`",
    ],
    [
      "call",
      CALL_OPTIONS,
      { sinks: { stdout: sinks.stdout } },
      "invalid option `sinks.stderr` of `call`",
      "`sinks` must be two functions that take a chunk: `{ stdout, stderr }`",
    ],
    [
      "call",
      CALL_OPTIONS,
      { sinks: { ...sinks, stdot: sinks.stdout } },
      "unknown option `sinks.stdot` of `call`",
      "`call` takes `{ signal?, stdin?, sinks?, window?, timeoutMs?, groupId?, approvalId? }`",
    ],
    [
      "call",
      CALL_OPTIONS,
      null,
      "the options of `call` must be an object",
      "`call` takes `{ signal?, stdin?, sinks?, window?, timeoutMs?, groupId?, approvalId? }`",
    ],
  ])("%s refuses what it does not take", (of, schema, given, message, hint) => {
    expect(told(() => assertOptions(of, schema, given))).toEqual(["USAGE", message, hint]);
  });

  test("are taken when they are as they should be", () => {
    const given = { signal: AbortSignal.timeout(1), stdin: Readable.from(["x"]), sinks };
    for (const one of [given, { stdin: process.stdin }, { signal: undefined }, {}])
      expect(() => assertOptions("call", CALL_OPTIONS, one)).not.toThrow();
    for (const one of [{ handler: async () => true, caller: "agent" }, {}])
      expect(() => assertOptions("session", SESSION_OPTIONS, one)).not.toThrow();
  });
});

test("deriveFor refuses options that it does not have, another tool, and what is no file", () => {
  const m = machine({ "home/ann/project/cofferdam.yaml": PLAIN });
  const derive = (...given: readonly unknown[]) =>
    told(() => Reflect.apply(deriveFor, undefined, [...given]))[1];
  const options = { host: m.host };
  expect([
    derive("cofferdam.yaml", "shell", { ...options, profile: ["strict"] }),
    derive("cofferdam.yaml", "shell", { ...options, profiles: "strict" }),
    derive("cofferdam.yaml", "files", options),
    derive({ config: "cofferdam.yaml" }),
  ]).toEqual([
    "unknown option `profile` of `deriveFor`",
    "invalid option `profiles` of `deriveFor`",
    "`deriveFor` needs a config file, and `shell` or a file tool",
    "`deriveFor` needs a config file, and `shell` or a file tool",
  ]);
  expect(deriveFor("cofferdam.yaml", "shell", options).ceiling.workspace).toBe(m.project);
});
