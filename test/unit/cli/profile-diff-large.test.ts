import { expect, test } from "vitest";
import { touchedBeyond } from "../../../src/cli/profile-diff.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { parsePatterns } from "../../../src/profile/pattern.ts";
import { normalProfile, OPEN } from "../../../src/profile/profile.ts";

/** A profile with that many entries and masks. */
function profile(name: string, count: number) {
  const all = Array.from({ length: count }, (_, at) => at);
  return normalProfile({
    ...OPEN,
    files: [
      ...OPEN.files,
      ...all.map((at) => ({
        path: absolutePath(`/srv/e${at}`),
        access: "read" as const,
        suffixes: "any" as const,
      })),
    ],
    masks: all.flatMap((at) =>
      parsePatterns(`**/${name}*${at}`).map((pattern) => ({
        pattern,
        atMost: "none" as const,
        ignoreCase: false,
      })),
    ),
  });
}

test("two profiles of thousands of entries and wildcards are told apart in time", () => {
  const told = touchedBeyond(profile("a", 15_000), profile("b", 15_000));
  expect(told.at(-1)).toBe("perhaps more: there are too many entries to list each");
  expect(told).toHaveLength(2);
  expect(touchedBeyond(profile("a", 2), profile("b", 2)).join("\n")).not.toContain("too many");
  expect(touchedBeyond(profile("a", 2), profile("a", 2))).toEqual([]);
});
