import fc from "fast-check";
import { expect, it } from "vitest";
import { allSteps } from "../../../../src/policy/steps.ts";
import { type Edit, editSteps } from "../../../../src/tool/files/apply-edits.ts";
import { law } from "../../../laws/law.ts";

/** Few letters, so that texts meet each other, and what `String.replace` would take for more than itself. */
const piece = (minLength: number) =>
  fc
    .array(fc.constantFrom("a", "b", "ab", "\n", "$&", "$1", "$$", "é", "\u{1F600}"), {
      minLength,
      maxLength: 4,
    })
    .map((parts) => parts.join(""));
const edit: fc.Arbitrary<Edit> = fc.record({
  old_text: piece(1),
  new_text: piece(0),
  all: fc.option(fc.boolean(), { nil: undefined }),
});
const file = fc.array(piece(0), { maxLength: 8 }).map((parts) => parts.join("").toWellFormed());
const edits = fc.array(edit, { minLength: 1, maxLength: 3 });

type Apply = (text: string, edits: readonly Edit[]) => string | null;

/** The text after the edits, or null for none. */
const applied: Apply = (text, given) => {
  try {
    return allSteps(editSteps(text, given)).text;
  } catch {
    return null;
  }
};

const parts = (text: string, old: string): readonly string[] => text.split(old);

/** The same, told by cutting the text up and joining it. */
const told: Apply = (text, given) =>
  given.reduce<string | null>((at, { old_text: old, new_text: now, all = false }) => {
    if (at === null || old === now) return null;
    const between = parts(at, old);
    return between.length === 2 || (all && between.length > 2) ? between.join(now) : null;
  }, text);

law<Apply, [string, readonly Edit[]]>(
  "edits are sequential replacements of texts that stand there once, or of all where that is said, or nothing is changed",
  (apply) =>
    fc.property(file, edits, (text, given) => {
      expect(apply(text, given)).toBe(told(text, given));
    }),
  applied,
  {
    "reads `$&` in a new text": (text, given) =>
      told(text, given) === null
        ? null
        : given.reduce((at, { old_text: old, new_text: now }) => at.replaceAll(old, now), text),
    "takes the first of several": (text, given) =>
      given.reduce<string | null>(
        (at, { old_text: old, new_text: now, all = false }) =>
          at === null || old === now || !at.includes(old)
            ? null
            : all
              ? at.replaceAll(old, () => now)
              : at.replace(old, () => now),
        text,
      ),
    "makes those edits that it can": (text, given) =>
      given.reduce((at, one) => applied(at, [one]) ?? at, text),
    "looks for every text in what was there before": (text, given) =>
      given.every((one) => applied(text, [one]) !== null) ? applied(text, given) : null,
  },
);

it("says which edit could not be made, and of how many", () => {
  const given = [
    { old_text: "a", new_text: "b" },
    { old_text: "b", new_text: "c" },
  ];
  expect(() => allSteps(editSteps("ab", given))).toThrowErrorMatchingInlineSnapshot(
    `[CofferdamError: edit 2 of 2: \`b\` is in the file 2 times]`,
  );
  expect(() => allSteps(editSteps("", given))).toThrowErrorMatchingInlineSnapshot(
    `[CofferdamError: edit 1 of 2: \`a\` is not in the file]`,
  );
});
