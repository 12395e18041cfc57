import fc from "fast-check";
import { expect, test } from "vitest";
import { absolutePath, joinPath, pathFromBytes } from "../../../../src/profile/path.ts";
import { readWritten, rootOf, shownPath } from "../../../../src/tool/files/written-path.ts";
import { rootAt } from "../../../support/files/settings.ts";
import { path as anyPath } from "../../../support/generate.ts";

const ROOTS = [rootAt("notes", "/w/notes"), rootAt("inner", "/w/notes/inner"), rootAt("w2", "/w2")];
const BASE = absolutePath("/w/notes");

const byte = fc.oneof(
  fc.constantFrom(...'"\\u.a: \n'.split("").map((one) => one.charCodeAt(0))),
  fc.integer({ min: 1, max: 255 }),
);
const name = fc
  .array(
    byte.filter((one) => one !== 0x2f),
    { minLength: 1, maxLength: 12 },
  )
  .map((bytes) => pathFromBytes(Uint8Array.from(bytes)))
  .filter((one) => one !== "." && one !== "..");
const path = fc
  .tuple(fc.constantFrom("/w/notes", "/w/notes/inner", "/w2", "/elsewhere"), fc.array(name, { maxLength: 4 }))
  .map(([top, names]) =>
    names.length === 0 ? absolutePath(top) : joinPath(absolutePath(top), names.join("/")),
  );

test("every path, as it is told, is whole text and leads back to itself", () => {
  fc.assert(
    fc.property(fc.oneof(path, anyPath), (one) => {
      const shown = shownPath(one, ROOTS);
      expect(shown.isWellFormed()).toBe(true);
      expect(JSON.parse(JSON.stringify(shown))).toBe(shown);
      const read = readWritten(shown, ROOTS, BASE);
      expect(read.replace(/(?<=.)\/$/, "")).toBe(one);
    }),
    { numRuns: 5_000 },
  );
});

test("no two paths are told alike", () => {
  fc.assert(
    fc.property(path, path, (a, b) => {
      expect(shownPath(a, ROOTS) === shownPath(b, ROOTS)).toBe(a === b);
    }),
    { numRuns: 2_000 },
  );
});

test("a path lies in the innermost root that holds it", () => {
  expect(rootOf(absolutePath("/w/notes/inner/x"), ROOTS)?.name).toBe("inner");
  expect(rootOf(absolutePath("/w/notes/innermost"), ROOTS)?.name).toBe("notes");
  expect(rootOf(absolutePath("/w/notesx"), ROOTS)).toBe(null);
});

test.each([
  ["notes:a/b", "/w/notes/a/b"],
  ["a/b", "/w/notes/a/b"],
  ["./a/../b", "/w/notes/./a/../b"],
  ["/etc/passwd", "/etc/passwd"],
  ["./unknown:a", "/w/notes/./unknown:a"],
  ["a/unknown:a", "/w/notes/a/unknown:a"],
  ["-:a", "/w/notes/-:a"],
  ["notes:/etc", "/w/notes//etc"],
  ["w2:", "/w2/"],
  ['notes:"caf\\udce9"/x', "/w/notes/caf\udce9/x"],
  ['notes:"unfinished', '/w/notes/"unfinished'],
  ['notes:"a\\u002fb"', '/w/notes/"a\\u002fb"'],
  ['"/etc"', '/w/notes/"/etc"'],
  ["./~/a", "/w/notes/./~/a"],
  ["notes:~/a", "/w/notes/~/a"],
  ["~a/b", "/w/notes/~a/b"],
])("%j is read as %j", (written, expected) => {
  expect(readWritten(written, ROOTS, BASE)).toBe(expected);
});

test("a path has 256 names at the most, however they are written", () => {
  const names = (count: number): string => Array.from({ length: count }, () => "a").join("/");
  expect(readWritten(`/${names(256)}`, ROOTS, BASE)).toBe(`/${names(256)}`);
  expect(readWritten(`/.//./${names(256)}/`, ROOTS, BASE)).toBe(`/.//./${names(256)}/`);
  for (const written of [`/${names(257)}`, `notes:${names(255)}`, `${"../".repeat(256)}a`])
    expect(() => readWritten(written, ROOTS, BASE)).toThrow("the path has more than 256 names");
});

test.each(["unknown:a", "Notes:a", "README.md:12", "https://example.org/"])(
  "%j is refused: its beginning is no root's name, and no file is made of it",
  (written) => {
    const name = written.slice(0, written.indexOf(":"));
    expect(() => readWritten(written, ROOTS, BASE)).toThrow(`there is no root \`${name}\``);
  },
);

// A folder called `~` in a project is removed by `rm -rf ~`, and with it the person's home.
test.each(["~", "~/", "~/.bashrc"])("%j is refused: no shell expands it here", (written) => {
  expect(() => readWritten(written, ROOTS, BASE)).toThrow("begins with `~`, which is not expanded");
});
