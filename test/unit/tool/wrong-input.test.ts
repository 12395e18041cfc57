import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CofferdamError } from "../../../src/errors.ts";
import { readShellInput } from "../../../src/tool/call.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import { FILE_TOOLS } from "../../../src/tool/files/all.ts";

const AROUND = { signal: null, metadata: {} };
const VALUES = fc.constantFrom(1, "a", null, { b: [1] });
const faultOf = (work: () => unknown): readonly [message: string, hint: string] => {
  try {
    work();
  } catch (error) {
    if (error instanceof CofferdamError && error.code === "USAGE") return [error.message, error.hint ?? ""];
    throw error;
  }
  return ["", ""];
};
const file = (name: string, given: unknown) =>
  faultOf(() => FILE_TOOLS.find((tool) => tool.name === name)?.read(given, []));

describe("the faults of an input", () => {
  test.each<[given: unknown, message: string]>([
    [{ scrip: "true" }, "unknown key `scrip`, did you mean `script`?"],
    [{ command: "ls" }, "unknown key `command`; write `{ argv: [word, …] }` or `{ script }`"],
    [{ script: 5, cwd: 3 }, "`script` must be a string, not a number; `cwd` must be a string, not a number"],
    [{ script: "ls", foo: 1, bar: 2 }, "unknown key `foo`; unknown key `bar`"],
  ])("of the shell are told at once: %j", (given, message) => {
    expect(faultOf(() => readShellInput(given))[0]).toBe(`invalid arguments of \`shell\`: ${message}`);
  });

  test("of a file tool name what is missing, what is wrong and what is unknown, and the keys there are", () => {
    expect(file("write_file", { file: "a", content: 5 })).toEqual([
      "invalid arguments of `write_file`: `path` is missing (a string); `content` must be a string, not a number; unknown key `file`",
      "its keys: path (string), content (string), create_folders (boolean, optional)",
    ]);
    expect(file("edit_file", { path: "a", edits: [{ oldtext: "a", new_text: 1 }] })[0]).toBe(
      "invalid arguments of `edit_file`: `edits.0.new_text` must be a string, not a number; unknown key `edits.0.oldtext`, did you mean `old_text`?",
    );
    expect(file("read_file", { path: "a", as: "x" })[0]).toBe(
      'invalid arguments of `read_file`: `as` must be one of "text", "base64"',
    );
  });

  test("of a tool of the host are told alike, and a schema that JSON cannot express still has its faults", () => {
    const own = defineTool({
      name: "own",
      input: z.strictObject({ n: z.number(), of: z.custom<Date>((given) => given instanceof Date) }),
      run: () => null,
    });
    const [message, hint] = faultOf(() => own.use({ other: 1 }, AROUND));
    expect(message).toMatch(
      /^invalid arguments of `own`: `n` is missing \(a number\); `of` is missing; unknown key `other`$/,
    );
    expect(hint).toMatch(/^its keys: n \(number\)/);
  });

  test("are bounded and in visible characters, whatever the keys and values", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "binary" }), VALUES, { maxKeys: 20 }), (given) => {
        const [message, hint] = file("write_file", given);
        expect(message.length + hint.length).toBeLessThan(4_000);
        expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
      { numRuns: 50 },
    );
  });
});
