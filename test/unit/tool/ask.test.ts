import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { asArguments, requiresApproval, simpleApprovalRequest } from "../../../src/tool/ask.ts";
import { defineTool, toolFrom } from "../../../src/tool/define-tool.ts";
import { refusalOf } from "../config/machine.ts";

const AROUND = { signal: null, metadata: {} } as const;

describe("the simple question about a call", () => {
  test("says the tool with its arguments, and covers exactly these (S1-8)", () => {
    expect(simpleApprovalRequest("send", { to: "ann", copies: 2 })).toEqual({
      description: 'send(to="ann", copies=2)',
      payload: { to: "ann", copies: 2 },
    });
  });

  test("prints excluded arguments nowhere: not in the description, the payload or what is shown (S1-8, S1-D1, S1-34)", () => {
    const ask = simpleApprovalRequest(
      "write",
      { path: "a.txt", content: "PRIVATE", key: "PRIVATE" },
      { excludeKeys: ["content", "key", "not_there"] },
    );
    expect(ask).toEqual({
      description: 'write(path="a.txt")',
      payload: { path: "a.txt" },
      displayArgs: { path: "a.txt", content: "[not shown]", key: "[not shown]" },
    });
    expect(JSON.stringify(ask)).not.toContain("PRIVATE");
  });

  test("can be put in other words, or in words made from the arguments (S1-8, S1-23)", () => {
    const args = { path: "a.txt", content: "x" };
    expect(simpleApprovalRequest("write", args, { description: "Write a file" }).description).toBe(
      "Write a file",
    );
    const of = ({ path }: typeof args) => `Write to ${path}`;
    expect(simpleApprovalRequest("write", args, { description: () => of(args) }).description).toBe(
      "Write to a.txt",
    );
  });

  test("covers what a payload function says, whatever is excluded (S1-23)", () => {
    const ask = simpleApprovalRequest(
      "write",
      { path: "a.txt", content: "x" },
      { excludeKeys: ["path"], payload: ({ path = null }) => ({ only: path }) },
    );
    expect(ask.payload).toEqual({ only: "a.txt" });
  });
});

describe("a function that was made to ask", () => {
  const send = (args: { readonly to: string; readonly body: string }): string => `sent to ${args.to}`;
  const asking = requiresApproval(send, { excludeKeys: ["body"] });

  test("runs as it is when it is called directly, and the function itself is left alone (S1-2, S1-23)", () => {
    expect(asking({ to: "ann", body: "hi" })).toBe("sent to ann");
    expect(Object.keys(send)).toEqual([]);
    expectTypeOf(asking).parameter(0).toEqualTypeOf<{ readonly to: string; readonly body: string }>();
    expectTypeOf(asking).returns.toBeString();
  });

  test("is a tool under its own name, whose check is quick and asks (S1-3, S1-7, S1-23)", () => {
    const tool = toolFrom(asking);
    expect(tool).toMatchObject({ name: "send", risk: "write" });
    const use = tool.use({ to: "ann", body: "PRIVATE" }, AROUND);
    expect(use.check?.()).toEqual({
      description: 'send(to="ann")',
      payload: { to: "ann" },
      displayArgs: { to: "ann", body: "[not shown]" },
    });
    expect(use.run?.()).toBe("sent to ann");
  });

  test("that has no name can't be a tool", () => {
    expect(refusalOf(() => toolFrom(requiresApproval(() => 1))).code).toBe("USAGE");
  });
});

test("arguments without names are the one argument `input`", () => {
  expect([asArguments({ a: 1 }), asArguments([1]), asArguments("x"), asArguments(null)]).toEqual([
    { a: 1 },
    { input: [1] },
    { input: "x" },
    { input: null },
  ]);
});

describe("a tool", () => {
  test("that says nothing of its risk may write; what it says is kept (S0-7, S3-7)", () => {
    const run = () => null;
    expect(defineTool({ name: "a", run })).toMatchObject({ name: "a", risk: "write", version: "" });
    expect(defineTool({ name: "a", risk: "destructive", version: "2", run })).toMatchObject({
      risk: "destructive",
      version: "2",
    });
  });

  test.each(["", "a b", "drop:users", "é", "-x", "a\n", "a".repeat(129)])(
    "can't have the name %j",
    (name) => {
      expect(refusalOf(() => defineTool({ name, run: () => null })).code).toBe("USAGE");
    },
  );

  test.each(["a", "fs/read", "mcp__server__tool", "a.b-c", "a".repeat(128)])(
    "can have the name %j",
    (name) => {
      expect(defineTool({ name, run: () => null }).name).toBe(name);
    },
  );

  test("is called with what its schema makes of the arguments, as its types say (S2-2)", () => {
    const tool = defineTool({
      name: "add",
      input: z.strictObject({ a: z.number(), b: z.number().default(1) }),
      requireApproval: ({ input }) => {
        expectTypeOf(input).toEqualTypeOf<{ a: number; b: number }>();
        return { required: input.a > 1, reason: "large" };
      },
      run: ({ input }) => input.a + input.b,
    });
    const use = tool.use({ a: 2 }, AROUND);
    expect([use.requirement?.(), use.run?.(), use.check]).toEqual([
      { required: true, reason: "large" },
      3,
      null,
    ]);
  });

  test("refuses arguments that its schema does not take, and says where (S2-9, C12)", () => {
    const tool = defineTool({
      name: "add",
      input: z.strictObject({ a: z.object({ b: z.number() }) }),
      run: () => null,
    });
    expect(refusalOf(() => tool.use({ a: { b: "1" } }, AROUND))).toMatchObject({
      code: "USAGE",
      message: "invalid arguments of `add`: `a.b` must be a number, not a string",
      hint: "its keys: a (object)",
    });
    expect(refusalOf(() => tool.use({ a: { b: 1 }, c: 1 }, AROUND)).code).toBe("USAGE");
  });
});
