import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coveredIndex } from "../../../src/backend/seatbelt/covered-index.ts";
import { everyRule, type FileFacts, fileRules } from "../../../src/backend/seatbelt/file-rules.ts";
import { refusedProfile } from "../../../src/backend/seatbelt/refusals.ts";
import { type Covered, coveringRegexes } from "../../../src/backend/seatbelt/regex.ts";
import { assertAgrees, type RuleAnswer, replay } from "../../../src/backend/seatbelt/replay.ts";
import { CofferdamError } from "../../../src/errors.ts";
import { type AbsolutePath, knownPath } from "../../../src/profile/path.ts";
import { literalPattern, type Pattern, parsePatterns, patternTest } from "../../../src/profile/pattern.ts";
import { normalProfile } from "../../../src/profile/profile.ts";
import { glob, path, pattern } from "../../support/generate.ts";
import { askedNodes } from "../../support/mac/asked-paths.ts";
import { macCase, macFacts } from "../../support/mac/mac-case.ts";

const { mac } = macFacts();
if (mac === null) throw new Error("a Mac has facts of its own");

describe("the rules on files", () => {
  it("mean the same in every order: no allow and no deny hold for one right and path", () => {
    const rendered = macCase.filter(
      ({ profile, facts }) => refusedProfile(profile, {}, facts, facts.mac ?? mac) === null,
    );
    const asked = rendered.chain((one) => askedNodes(one, 20).map((nodes) => [one, nodes] as const));
    const counts: Record<RuleAnswer, number> = { default: 0, allow: 0, deny: 0, both: 0 };
    fc.assert(
      fc.property(asked, ([{ profile, facts, hasGiven }, nodes]) => {
        const onMac: FileFacts = { ...facts, mac: facts.mac ?? mac, hops: [], hasGiven };
        const ask = replay(everyRule(fileRules(profile, onMac)));
        for (const { path, kind } of nodes)
          for (const right of ["read", "pass", "change", "names"] as const) {
            const answer = ask(right, path, kind);
            counts[answer] += 1;
            expect(answer).not.toBe("both");
          }
      }),
      { numRuns: 1_000 },
    );
    // Questions that no rule speaks of prove nothing.
    const all = Object.values(counts).reduce((sum, one) => sum + one);
    expect(counts.allow / all).toBeGreaterThan(0.2);
    expect(counts.deny / all).toBeGreaterThan(0.07);
  });

  it("that give more than the profile are a fault of ours", () => {
    const facts = { ...macFacts(), mac, hops: [], hasGiven: false };
    const given = normalProfile({ files: [{ path: knownPath("/a"), access: "read", suffixes: "any" }] });
    const wider = normalProfile({ files: [{ path: knownPath("/a"), access: "write", suffixes: "any" }] });
    expect(() => assertAgrees(given, facts, fileRules(given, facts))).not.toThrow();
    expect(() => assertAgrees(given, facts, fileRules(wider, facts))).toThrow(CofferdamError);
  });
});

describe("the regexes of a pattern", () => {
  it("match at least what the pattern and the folders above cover", () => {
    fc.assert(
      fc.property(pattern, fc.boolean(), path, (one, ignoreCase, asked) => {
        const isCovered = patternTest(one, ignoreCase)(asked);
        expect(isMatched(regexesOf(one, ignoreCase), asked) || !isCovered).toBe(true);
      }),
    );
  });

  it("match no more in printable ASCII", () => {
    const ascii = path.filter(isAscii);
    fc.assert(
      fc.property(fc.oneof(glob, pattern), fc.boolean(), ascii, (one, ignoreCase, asked) => {
        if (!isAscii(one.text)) return;
        expect(isMatched(regexesOf(one, ignoreCase), asked)).toBe(patternTest(one, ignoreCase)(asked));
      }),
      { numRuns: 2_000 },
    );
  });

  it("stay in the part of the language that others use", () => {
    fc.assert(
      fc.property(pattern, fc.boolean(), (one, ignoreCase) => {
        for (const source of regexesOf(one, ignoreCase)) {
          expect(source).toMatch(/^\^?\/[ -~]*$/);
          const plain = source
            .replace(/\\[[\]\\^]|\[[^\]]*\]/g, "C")
            .replace(/\(\.\*\/\)\?|\(\/\.\*\)\?\$$/g, "")
            .replaceAll("(/C*)?", "");
          expect(plain).not.toMatch(/[\\{}.]|\(\?|\)[*+]|.\^|\$./);
        }
      }),
    );
  });
});

describe("what is searched for", () => {
  it("is what the rules cover: nothing that they hide is missed, and of two masks the tighter counts", () => {
    const mask = fc.record({
      // What is named is not searched for.
      pattern: fc.oneof(glob, pattern).filter(({ literal }) => literal === null),
      atMost: fc.constantFrom("none" as const, "read" as const),
      ignoreCase: fc.boolean(),
    });
    const asked = fc.oneof(path, fc.constantFrom("/\u017f/\u00e9", "/a/e\u0301", "/\ufb01").map(knownPath));
    fc.assert(
      fc.property(fc.array(mask, { maxLength: 6 }), asked, (masks, at) => {
        const found = coveredIndex(masks)(at)?.atMost ?? null;
        const covering = masks.filter((one) =>
          isMatched(coveringRegexes([{ ...coveredBy(one.pattern, one.ignoreCase), isNodeAlone: true }]), at),
        );
        const tightest = covering.some(({ atMost }) => atMost === "none")
          ? "none"
          : (covering[0]?.atMost ?? null);
        expect(found).toBe(tightest);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("the regexes of several patterns", () => {
  it("match what one of them covers, and no more", () => {
    const some = fc.array(fc.tuple(fc.oneof(glob, pattern), fc.boolean()), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(some, path.filter(isAscii), (patterns, asked) => {
        const plain = patterns.filter(([one]) => isAscii(one.text));
        const covered = plain.map(([one, ignoreCase]) => coveredBy(one, ignoreCase));
        const isCovered = plain.some(([one, ignoreCase]) => patternTest(one, ignoreCase)(asked));
        expect(isMatched(coveringRegexes(covered), asked)).toBe(isCovered);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["**/.husky", "/w/.hus\u212ay/pre-commit"],
    ["**/.husky", "/w/.hu\u017fky"],
    ["**/.vscode/settings.json", "/w/.vscode/\u017fetting\u017f.json"],
    ["**/cofferdam.yaml", "/w/co\ufb00erdam.yaml"],
    ["**/.cargo/config", "/w/.cargo/con\ufb01g"],
    ["**/office", "/w/of\ufb01ce"],
    ["**/office", "/w/o\ufb00ice"],
    ["**/office", "/w/o\ufb03ce"],
    ["**/class", "/w/cla\u00df/x"],
    ["**/first", "/w/\ufb01r\ufb06"],
    ["**/first", "/w/fir\ufb05"],
    ["**/lasst", "/w/las\ufb06"],
    ["**/lasst", "/w/la\u017fst"],
    ["**/mssst", "/w/m\u017f\u00dft"],
    ["**/mssst", "/w/ms\u017f\ufb06"],
    ["**/asss", "/w/a\u017fs\u017f"],
    ["**/[ks]x", "/w/\u212ax"],
    ["**/*token*", "/w/\ufb06oken"],
    ["**/*lock", "/w/\ufb02ock"],
    ["**/x.pdf*", "/w/x.pd\ufb01"],
    ["**/f?x", "/w/\ufb01x"],
    ["**/f[ij]x", "/w/\ufb01x"],
    ["**/o??ce", "/w/o\ufb03ce"],
    ["**/o?f*ce", "/w/o\ufb03ce"],
    ["**/a[s]?", "/w/a\u00df"],
    ["**/*f*k", "/w/a\ufb02ak"],
    ["/w/.git/hooks", "/w/.git/HOO\u212a\u017f/pre-commit"],
  ])("%s means the name that APFS takes for it", (glob, asked) => {
    const regexes = regexesOf(onlyName(glob), true);
    expect(isMatched(regexes, knownPath(asked))).toBe(true);
    // Bytes, one character each, as the kernel may read them.
    expect(isMatched(regexes, knownPath(Buffer.from(asked).toString("latin1")))).toBe(true);
    expect(isMatched(regexes, knownPath(asked.replace(/[^ -~]+/u, "x")))).toBe(false);
    expect(isMatched(regexesOf(onlyName(glob), false), knownPath(asked))).toBe(false);
  });

  it("mean each letter of a name in either normal form, whichever the others have", () => {
    const letters = fc.constantFrom(
      "\u00e9",
      "\u00dc",
      "\u1e69",
      "\u2260",
      "a",
      "S",
      "\u65e5",
      "\n",
      "\u03b1\u0301",
    );
    const form = fc.constantFrom("NFC", "NFD");
    const name = fc.array(fc.tuple(letters, form, form), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(name, fc.boolean(), (parts, ignoreCase) => {
        const spell = (which: 1 | 2): string => parts.map((part) => part[0].normalize(part[which])).join("");
        const regexes = regexesOf(literalPattern(knownPath(`/w/${spell(1)}`)), ignoreCase);
        for (const asked of [`/w/${spell(2)}`, `/w/${spell(2)}/x`]) {
          expect(isMatched(regexes, knownPath(asked))).toBe(true);
          expect(isMatched(regexes, knownPath(Buffer.from(asked).toString("latin1")))).toBe(true);
        }
        expect(isMatched(regexes, knownPath(`/w/x${spell(2)}`))).toBe(false);
      }),
    );
  });

  it.each([
    ["**/\ufb01le", "/w/FILE"],
    ["**/stra\u00dfe", "/w/strasse"],
    ["**/\u017f\u00df", "/w/sSs"],
    ["**/\u212aey", "/w/key"],
    ["**/\u0130x", "/w/i\u0307x"],
    ["**/i\u0307stanbul", "/w/\u0130stanbul"],
    ["**/f\u00edsico", "/w/\ufb01\u0301sico"],
    ["**/*\u00edsico", "/w/\ufb01\u0301sico"],
    ["**/\u0149x", "/w/\u02bcNx"],
    ["**/\u02bcnx", "/w/\u0149x"],
    ["**/a\u02be", "/w/\u1e9a"],
    ["**/\u1e9b", "/w/\u1e61"],
    ["**/ffffi", "/w/\ufb00f\ufb01"],
    ["**/stra[\u00dfx]e", "/w/strasse"],
    ["**/[\u017fx]ecret", "/w/secret"],
    ["**/[\u212ax]ey", "/w/key"],
    ["**/\u017ea", "/w/Z\u030ca"],
  ])("%s means the letters that APFS takes for it", (glob, asked) => {
    const own = `/w${glob.slice(2)}`;
    for (const one of glob.includes("[") ? [asked] : [asked, own])
      expect(isMatched(regexesOf(onlyName(glob), true), knownPath(one))).toBe(true);
    expect(isMatched(regexesOf(onlyName(glob), true), knownPath(`${asked}x`))).toBe(false);
  });

  it("mean the normal form of a name also where case counts", () => {
    expect(isMatched(regexesOf(onlyName("**/KEYS"), false), knownPath("/w/\u212aEYS"))).toBe(true);
    expect(isMatched(regexesOf(onlyName("**/keys"), false), knownPath("/w/\u212aeys"))).toBe(false);
  });

  it("are several where one would be too long", () => {
    const many = Array.from({ length: 100 }, (_, at) =>
      coveredBy(onlyName(`a-long-name-of-a-file-${at}`), true),
    );
    const made = coveringRegexes(many);
    expect(made.length).toBeGreaterThan(1);
    expect(Math.max(...made.map((one) => one.length))).toBeLessThan(900);
    expect(isMatched(made, knownPath("/x/A-LONG-name-of-a-file-77/b"))).toBe(true);
  });
});

function coveredBy(one: Pattern, ignoreCase: boolean): Covered {
  return { pattern: one, ignoreCase, isNodeAlone: false, root: null };
}

function onlyName(name: string): Pattern {
  const [first] = parsePatterns(name);
  if (first === undefined) throw new Error(`${name} means no pattern`);
  return first;
}

function regexesOf(one: Pattern, ignoreCase: boolean): readonly string[] {
  return coveringRegexes([coveredBy(one, ignoreCase)]);
}

/** With a `.` that stands for a line break as well: `doctor` asks the kernel whether it does. */
function isMatched(sources: readonly string[], path: AbsolutePath): boolean {
  return sources.some((source) => new RegExp(source, "s").test(path));
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}
