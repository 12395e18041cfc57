import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asJson } from "../../../../src/policy/canonical-json.ts";
import { FILE_TOOLS } from "../../../../src/tool/files/all.ts";

const path = fc.constantFrom("ws:a", "ws:a/b");
const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined });
const flag = maybe(fc.boolean());
const text = fc.string({ minLength: 1, maxLength: 20 });
const count = maybe(fc.integer({ min: 1, max: 9 }));

/** Inputs as callers in JavaScript give them: what they leave out may stand there as undefined. */
const INPUTS: Readonly<Record<string, fc.Arbitrary<object>>> = {
  read_file: fc.record({
    path,
    first_line: count,
    lines: count,
    as: maybe(fc.constantFrom("text", "base64")),
  }),
  list_dir: fc.record({ path: maybe(path), after: maybe(text), limit: count }),
  find_files: fc.record({ path: maybe(path), pattern: text, limit: count }),
  search_files: fc.record({ text, regex: fc.constant(undefined), path: maybe(path), ignore_case: flag }),
  write_file: fc.record({ path, content: text }),
  edit_file: fc.record({
    path,
    edits: fc.array(fc.record({ old_text: text, new_text: text }), { minLength: 1 }),
  }),
  delete_file: fc.record({ path }),
  move_file: fc.record({ from: path, to: path, create_folders: flag }),
};

describe("an input that is kept until somebody answers", () => {
  it.each(FILE_TOOLS)("is read again as what it was: $name", (tool) => {
    fc.assert(
      fc.property(INPUTS[tool.name] ?? fc.constant({}), (input) => {
        const { args } = tool.read(input, []);
        expect(asJson(args)).toEqual(args);
        expect(tool.read(JSON.parse(JSON.stringify(args)), []).args).toEqual(args);
      }),
    );
  });
});
