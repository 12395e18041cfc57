import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { MemoryJournal } from "../../../src/journal/journal.ts";
import { CALL_OPTIONS } from "../../../src/supervisor/call-options.ts";
import { createDraft } from "../../../src/supervisor/draft.ts";
import { assertOptions } from "../../../src/supervisor/options.ts";
import { SESSION_OPTIONS } from "../../../src/supervisor/session-options.ts";
import { createSupervisor, SUPERVISOR_OPTIONS } from "../../../src/supervisor/supervisor.ts";
import { deriveFor } from "../../../src/testing/derive-for.ts";
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
    [{ profile: ["read-only"] }, "`profile` is no option of `createSupervisor`", "did you mean `profiles`?"],
    [{ Mode: "strict" }, "`Mode` is no option of `createSupervisor`", "did you mean `mode`?"],
    [
      { network: false },
      "`network` is no option of `createSupervisor`",
      `\`createSupervisor\` takes \`${all}\``,
    ],
    [null, "the options of `createSupervisor` are no object", `\`createSupervisor\` takes \`${all}\``],
    [
      "cofferdam.yaml",
      "the options of `createSupervisor` are no object",
      `\`createSupervisor\` takes \`${all}\``,
    ],
    [[], "the options of `createSupervisor` are no object", `\`createSupervisor\` takes \`${all}\``],
    [{ config: 1 }, "`config` is not what `createSupervisor` takes", "`config` is a path, as a text"],
    [{ config: null }, "`config` is not what `createSupervisor` takes", "`config` is a path, as a text"],
    [
      { profiles: "strict" },
      "`profiles` is not what `createSupervisor` takes",
      '`profiles` is a list of names or paths: `["strict"]`',
    ],
    [
      { profiles: ["strict", 1] },
      "`profiles.1` is not what `createSupervisor` takes",
      '`profiles` is a list of names or paths: `["strict"]`',
    ],
    [
      { cwd: "notes" },
      "`cwd` is not what `createSupervisor` takes",
      "`cwd` is an absolute path without `..` or a slash at its end",
    ],
    [
      { mode: "strickt" },
      "`mode` is not what `createSupervisor` takes",
      "`mode` is one of interactive, approve_all, strict",
    ],
    [
      { asksCaller: "no" },
      "`asksCaller` is not what `createSupervisor` takes",
      "`asksCaller` is `true` or `false`",
    ],
    [
      { journal: [] },
      "`journal` is not what `createSupervisor` takes",
      "`journal` is an object that events can be written to",
    ],
    [{ host: {} }, "`host` is not what `createSupervisor` takes", "`host` is what `thisHost` gives"],
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
    expect(draft).toMatchObject({ standing: { mode: "interactive" } });
  });
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
      "`handlr` is no option of `session`",
      "did you mean `handler`?",
    ],
    [
      "session",
      SESSION_OPTIONS,
      { handler: true },
      "`handler` is not what `session` takes",
      "`handler` is a handler, a list of handlers, or a function that answers `{ approved, by }`",
    ],
    [
      "session",
      SESSION_OPTIONS,
      { caller: "root" },
      "`caller` is not what `session` takes",
      "`caller` is `agent` or `person`",
    ],
    ["call", CALL_OPTIONS, { singal: null }, "`singal` is no option of `call`", "did you mean `signal`?"],
    [
      "call",
      CALL_OPTIONS,
      { signal: {} },
      "`signal` is not what `call` takes",
      "`signal` is an `AbortSignal`",
    ],
    [
      "call",
      CALL_OPTIONS,
      { stdin: "text" },
      "`stdin` is not what `call` takes",
      "`stdin` is a stream: `Readable.from([text])`",
    ],
    [
      "call",
      CALL_OPTIONS,
      { sinks: { stdout: sinks.stdout } },
      "`sinks.stderr` is not what `call` takes",
      "`sinks` is two functions that take a chunk: `{ stdout, stderr }`",
    ],
    [
      "call",
      CALL_OPTIONS,
      { sinks: { ...sinks, stdot: sinks.stdout } },
      "`sinks.stdot` is no option of `call`",
      "`call` takes `{ signal?, stdin?, sinks?, window?, timeoutMs?, groupId?, approvalId? }`",
    ],
    [
      "call",
      CALL_OPTIONS,
      null,
      "the options of `call` are no object",
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
    "`profile` is no option of `deriveFor`",
    "`profiles` is not what `deriveFor` takes",
    "`deriveFor` takes a config file, and `shell` or a tool on files",
    "`deriveFor` takes a config file, and `shell` or a tool on files",
  ]);
  expect(deriveFor("cofferdam.yaml", "shell", options).ceiling.workspace).toBe(m.project);
});
