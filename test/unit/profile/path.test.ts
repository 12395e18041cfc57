import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  absolutePath,
  between,
  byPath,
  isAbsolutePath,
  isInside,
  joinPath,
  knownPath,
  nameOf,
  namesOf,
  parentOf,
  pathFromBytes,
  pathToBytes,
  ROOT,
  upwards,
} from "../../../src/profile/path.ts";
import { path } from "../../support/generate.ts";
import { refusal } from "./refusal.ts";

describe("a written path", () => {
  it.each([
    ["/", "/"],
    ["//", "/"],
    ["/a//b/./c/", "/a/b/c"],
    ["/a/..b/.c/d..", "/a/..b/.c/d.."],
    ["/with space/[x]*/é", "/with space/[x]*/é"],
  ])("%j is tidied to %j", (written, tidy) => {
    expect(absolutePath(written)).toBe(tidy);
  });

  it("is refused when it could mean two things", () => {
    expect(refusal(() => absolutePath("notes"))).toMatchInlineSnapshot(`
      "PATH_INVALID: the path \`notes\` is not absolute
      → write it from \`/\`, or with \`\${workspace}\`"
    `);
    expect(refusal(() => absolutePath(""))).toMatchInlineSnapshot(`
      "PATH_INVALID: the path \`\` is not absolute
      → write it from \`/\`, or with \`\${workspace}\`"
    `);
    expect(refusal(() => absolutePath("/a/../b"))).toMatchInlineSnapshot(`
      "PATH_INVALID: the path \`/a/../b\` contains \`..\`
      → write the path without \`..\`"
    `);
    expect(refusal(() => absolutePath("/a\nb"))).toMatchInlineSnapshot(`
      "PATH_INVALID: the path \`/a\\u{a}b\` contains a control character or is not UTF-8
      → rename it"
    `);
    expect(refusal(() => absolutePath("/a\0b"))).toMatchInlineSnapshot(`
      "PATH_INVALID: the path \`/a\\u{0}b\` contains a control character or is not UTF-8
      → rename it"
    `);
    expect(refusal(() => absolutePath("/a\udcff"))).toMatchInlineSnapshot(`
      "PATH_INVALID: the path \`/a\\u{dcff}\` contains a control character or is not UTF-8
      → rename it"
    `);
  });
});

describe("a canonical path", () => {
  it("has no empty, `.` or `..` name, no NUL and no slash at the end", () => {
    const canonical = ["/", "/a", "/...", "/.a/b.", "/a\nb", "/\udcff"];
    const others = ["", "a", "/a/", "//", "/a//b", "/.", "/a/..", "/../a", "/a/./b", "/a\0"];
    expect([...canonical, ...others].filter(isAbsolutePath)).toEqual(canonical);
  });

  it("that is none is a broken law, not a user's fault", () => {
    expect(refusal(() => knownPath("/a/"))).toMatchInlineSnapshot(`
      "INTERNAL: \`/a/\` is not a canonical path
      → "
    `);
  });

  it("is made of its names", () => {
    fc.assert(
      fc.property(path, (one) => {
        expect(namesOf(one).reduce(joinPath, ROOT)).toBe(one);
        expect(one === ROOT ? ROOT : joinPath(parentOf(one), nameOf(one))).toBe(one);
        expect([...upwards(one)].map((at) => isInside(one, at))).toEqual(
          Array(namesOf(one).length + 1).fill(true),
        );
      }),
    );
  });

  it("lies inside a folder by whole names", () => {
    const inside = (one: string, folder: string): boolean => isInside(knownPath(one), knownPath(folder));
    expect([
      inside("/a/b", "/a"),
      inside("/ab", "/a"),
      inside("/a", "/a"),
      inside("/a", "/a/b"),
      inside("/a", "/"),
    ]).toEqual([true, false, true, false, true]);
  });

  it("comes after the folders above it", () => {
    fc.assert(
      fc.property(fc.array(path), (paths) => {
        const sorted = [...paths].sort(byPath);
        for (const [at, one] of sorted.entries())
          expect(sorted.slice(at + 1).filter((later) => later !== one && isInside(one, later))).toEqual([]);
      }),
    );
  });

  it("is reached through the folders between", () => {
    const steps = (above: string, one: string): readonly string[] =>
      between(knownPath(above), knownPath(one));
    expect([
      steps("/a", "/a/b/c/d"),
      steps("/", "/a/b"),
      steps("/a", "/a/b"),
      steps("/a", "/a"),
      steps("/x", "/a/b"),
    ]).toEqual([["/a/b", "/a/b/c"], ["/a"], [], [], []]);
  });
});

describe("a path as bytes", () => {
  it("comes back byte for byte, whatever the bytes", () => {
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc
        .array(
          fc.constantFrom(
            0x2f,
            0x41,
            0x80,
            0xbf,
            0xc3,
            0xa9,
            0xe2,
            0x82,
            0xac,
            0xed,
            0xa0,
            0xf0,
            0x9f,
            0x98,
            0xf4,
            0x90,
            0xff,
          ),
        )
        .map((all) => Uint8Array.from(all)),
    );
    fc.assert(
      fc.property(bytes, (given) => {
        expect(pathToBytes(pathFromBytes(given))).toEqual(given);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is the usual text when it is UTF-8, a byte order mark and all", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const bytes = new TextEncoder().encode(text);
        expect([pathFromBytes(bytes), pathToBytes(text)]).toEqual([text, bytes]);
      }),
    );
    expect(pathFromBytes(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe("\uFEFFa");
  });

  it("has one lone surrogate for every byte that is no UTF-8, as in PEP 383", () => {
    const told = (...bytes: number[]): string => pathFromBytes(Uint8Array.from(bytes));
    expect([
      told(0x61, 0xff, 0x62),
      told(0xc3),
      told(0xc3, 0x28),
      told(0xed, 0xa0, 0x80),
      told(0xc0, 0xaf),
      told(0xf0, 0x9f, 0x98, 0x80, 0x80),
      told(0xf4, 0x90, 0x80, 0x80),
    ]).toEqual([
      "a\udcffb",
      "\udcc3",
      "\udcc3(",
      "\udced\udca0\udc80",
      "\udcc0\udcaf",
      "😀\udc80",
      "\udcf4\udc90\udc80\udc80",
    ]);
  });
});
