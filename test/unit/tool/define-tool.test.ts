import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { createGate } from "../../../src/entry/gate.ts";
import { CofferdamError } from "../../../src/errors.ts";
import { CallbackHandler, type DefinedTool, defineTool, type Json } from "../../../src/index.ts";

const AROUND = { signal: null, metadata: {} };

/** What keeps a tool from being made, with its hint. */
function refused(make: () => unknown): readonly [code: string, message: string, hint: string | undefined] {
  try {
    make();
  } catch (error) {
    if (error instanceof CofferdamError) return [error.code, error.message, error.hint];
    throw error;
  }
  throw new Error("nothing was refused");
}

/** A definition as JavaScript writes one: nothing has checked it. */
function untyped(given: object): DefinedTool {
  return defineTool(Object.assign({ name: "tool", run: () => null }, given));
}

describe("a tool", () => {
  test("is a function or a program", () => {
    const plain = defineTool({ name: "now", run: () => 1 });
    expect(plain).toMatchObject({ name: "now", version: "", risk: "write", description: "", input: null });
    expect(plain.needs).toBeNull();
    expect(plain.use({}, AROUND).argv).toBeNull();
    const program = defineTool({ name: "list", command: ["ls"], needs: { roots: { ws: "read" } } });
    expect(program.needs).toEqual({ roots: { ws: "read" } });
    expect(program.use({}, AROUND).run).toBeNull();
    expect(program.use({}, AROUND).argv?.()).toEqual(["ls"]);
    expect(defineTool({ name: "list", command: ["ls"] }).needs).toEqual({});
  });

  test("that is neither or both is refused", () => {
    const said = "`tool` needs exactly one of `run` and `command`";
    for (const given of [{ run: undefined }, { command: ["ls"] }])
      expect(refused(() => untyped(given))).toEqual([
        "USAGE",
        said,
        "write `run` for a function, or `command` for a program",
      ]);
    expect(untyped({ run: undefined, command: ["ls"] }).name).toBe("tool");
  });

  test("that is a function has no needs: it would not run in a sandbox", () => {
    const hint = 'only for a program, write `{ roots?: { NAME: "read" | "write" }, network?, ports?, cwd? }`';
    expect(refused(() => untyped({ needs: {} }))).toEqual(["USAGE", "`tool` has invalid `needs`", hint]);
    for (const needs of [{ root: {} }, { roots: { a: "rw" } }, { network: "yes" }, null])
      expect(refused(() => untyped({ run: undefined, command: ["ls"], needs }))).toEqual([
        "USAGE",
        "`tool` has invalid `needs`",
        hint,
      ]);
  });

  test("has no key that there is not: a check that is misspelt must not count as none", () => {
    for (const key of ["checkAproval", "requiresApproval", "Risk", "schema", "constructor"])
      expect(refused(() => untyped({ [key]: () => null }))).toEqual([
        "USAGE",
        `unknown key \`${key}\` of a tool`,
        "the keys are name, version, risk, description, input, checkApproval, requireApproval, run, command, needs",
      ]);
    expect(untyped({ checkApproval: () => null, risk: "read_only" }).risk).toBe("read_only");
  });

  test("has a name that rules and models can write", () => {
    for (const name of ["", "a b", "a:b", "-a", "a\n", "é", "x".repeat(129)])
      expect(refused(() => untyped({ name }))[1]).toMatch(/^invalid tool name/);
    for (const name of ["a", "mcp/git.status-2_x", "x".repeat(128)])
      expect(untyped({ name }).name).toBe(name);
  });
});

describe("arguments", () => {
  const greet = defineTool({
    name: "greet",
    input: z.object({ who: z.string().trim(), times: z.int().default(1) }),
    command: ["greet", "-n{times}", "--", "{who}"],
  });

  test("are those that the schema makes of them: what is filled in is judged, shown and run", () => {
    const use = greet.use({ who: " ann " }, AROUND);
    expect(use.args).toEqual({ who: "ann", times: 1 });
    expect(use.argv?.()).toEqual(["greet", "-n1", "--", "ann"]);
  });

  test("that the schema refuses are refused with the place", () => {
    expect(refused(() => greet.use({ who: "ann", times: 1.5 }, AROUND))).toEqual([
      "USAGE",
      expect.stringMatching(/^invalid arguments of `greet`: `times` must be an integer, not a number$/),
      expect.stringMatching(/^its keys: who \(string\), times \(.*, optional\)$/),
    ]);
    expect(refused(() => greet.use(null, AROUND))[1]).toMatch(/^invalid arguments of `greet`: /);
  });

  test("of which the schema makes no JSON are judged as they were given, and run as made", () => {
    const at = defineTool({
      name: "at",
      input: z.object({ when: z.iso.date().transform((text) => new Map([["when", text]])) }),
      command: ({ when }) => ["echo", when.get("when") ?? ""],
    });
    const use = at.use({ when: "2030-01-02" }, AROUND);
    expect(use.args).toEqual({ when: "2030-01-02" });
    expect(use.argv?.()).toEqual(["echo", "2030-01-02"]);
  });

  test("reach the tool's own checks as rules see them", () => {
    const seen: unknown[] = [];
    const asking = defineTool({
      name: "ask",
      input: z.object({ a: z.string().default("filled in") }),
      checkApproval: ({ tool, args }) => {
        seen.push([tool, args]);
        return null;
      },
      requireApproval: ({ input }) => {
        seen.push(input);
        return { required: false, reason: "" };
      },
      command: ["true"],
    });
    const use = asking.use({}, AROUND);
    expect([use.check?.(), use.requirement?.()]).toEqual([null, { required: false, reason: "" }]);
    expect(seen).toEqual([["ask", { a: "filled in" }], { a: "filled in" }]);
    const bare = defineTool({
      name: "bare",
      requireApproval: { required: true, reason: "always" },
      run: () => 1,
    });
    expect([bare.use({}, AROUND).check, bare.use({}, AROUND).requirement?.()]).toEqual([
      null,
      { required: true, reason: "always" },
    ]);
  });
});

describe("the types", () => {
  test("of what a function and a program are given are those that the schema makes", () => {
    const input = z.object({ a: z.number(), b: z.string().default("") });
    defineTool({
      name: "run",
      input,
      requireApproval: ({ input: given }) => {
        expectTypeOf(given).toEqualTypeOf<{ a: number; b: string }>();
        return { required: false, reason: "" };
      },
      run: ({ input: given, signal }, permission) => {
        expectTypeOf(given).toEqualTypeOf<{ a: number; b: string }>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal | null>();
        expectTypeOf(permission.by).toEqualTypeOf<string | null>();
        return given.a;
      },
    });
    const made = defineTool({
      name: "command",
      input,
      command: (given) => {
        expectTypeOf(given).toEqualTypeOf<{ a: number; b: string }>();
        return ["echo", given.b];
      },
    });
    expect(made.use({ a: 1, b: "x" }, AROUND).argv?.()).toEqual(["echo", "x"]);
  });

  test("of arguments without a schema are JSON, and none", () => {
    defineTool({ name: "run", run: ({ input }) => expectTypeOf(input).toEqualTypeOf<Json>() });
    const made = defineTool({
      name: "command",
      command: (input) => {
        expectTypeOf(input).toEqualTypeOf<Json>();
        return ["echo", JSON.stringify(input)];
      },
    });
    expect(made.use([1], AROUND).argv?.()).toEqual(["echo", "[1]"]);
  });

  test("refuse what is neither, what is misspelt, and needs of a function", () => {
    const makers: readonly (() => unknown)[] = [
      // @ts-expect-error -- neither a function nor a program
      () => defineTool({ name: "none" }),
      // @ts-expect-error -- a root is needed to be read or written
      () => defineTool({ name: "rw", command: ["ls"], needs: { roots: { ws: "rw" } } }),
      // @ts-expect-error -- it would not run in a sandbox
      () => defineTool({ name: "needs", run: () => 1, needs: { network: true } }),
      // @ts-expect-error -- a template has a word at least
      () => defineTool({ name: "empty", command: [] }).use({}, AROUND),
    ];
    expect(makers.slice(0, 3).map((make) => refused(make)[0])).toEqual(["USAGE", "USAGE", "USAGE"]);
  });
});

test("a function that is a tool is told who said yes, and a program has no such place", async () => {
  const seen: (string | null)[] = [];
  const tool = defineTool({ name: "act", run: (_, { by }) => seen.push(by) });
  using gate = createGate({ handler: new CallbackHandler(() => ({ approved: true, by: "ann" })) });
  await gate.guard([tool]).call("act", {});
  tool.use({}, AROUND).run?.();
  expect(seen).toEqual(["ann", null]);
});
