import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FileRule, type FileRules, fileRules } from "../../../src/backend/seatbelt/file-rules.ts";
import { coveringRegexes } from "../../../src/backend/seatbelt/regex.ts";
import { accessUnder, assertAgrees, replay } from "../../../src/backend/seatbelt/replay.ts";
import { CofferdamError } from "../../../src/errors.ts";
import { type Access, isAtMost } from "../../../src/profile/access.ts";
import { pathRuler } from "../../../src/profile/access-to.ts";
import { type AbsolutePath, isInside, knownPath, parentOf, upwards } from "../../../src/profile/path.ts";
import { patternTest } from "../../../src/profile/pattern.ts";
import { normalProfile, type Profile } from "../../../src/profile/profile.ts";
import { law } from "../../laws/law.ts";
import { glob, path, pathProbe, pattern, profile } from "../../support/generate.ts";

/** A way to make rules; the tests hand over ours, and wrong ones that they must notice. */
type Make = (profile: Profile, facts: { readonly hits: readonly AbsolutePath[] }) => FileRules;

const probes = fc.array(pathProbe, { minLength: 10, maxLength: 10 });
/** What exists when the call starts. */
const tree = fc.array(path, { maxLength: 8 });

describe("the rules on files", () => {
  law(
    "never allow more than the profile, and to existing files exactly as much",
    (make: Make) =>
      fc.property(profile, tree, probes, (given, existing, asked) => {
        const ask = replay(make(given, { hits: hitsIn(given, existing) }).rules);
        const ruler = pathRuler(given);
        for (const { path, facts } of asked) {
          const wanted = ruler(path, facts).access;
          const has = accessUnder(ask, path, facts.kind);
          expect(isWithin(has, wanted)).toBe(true);
          if (facts.kind === "file" && !facts.bornInside) expect(has).toBe(wanted);
        }
      }),
    fileRules,
    {
      "forgets the masks": (given, facts) => fileRules({ ...given, masks: [] }, facts),
      "masks only the entries": changing((rule) => ({
        ...rule,
        area: { ...rule.area, except: rule.area.except.filter((one) => one.kind !== "match") },
      })),
      "forgets nearer entries": changing((rule) => ({
        ...rule,
        area: { ...rule.area, except: rule.area.except.filter((one) => one.kind !== "tree") },
      })),
      "forgets the suffixes": changing((rule) => ({
        ...rule,
        area: { ...rule.area, only: { kind: "everything" } },
      })),
      "forgets to let be read what is below": changing((rule) => ({
        ...rule,
        area: { ...rule.area, within: { kind: "node", path: startOf(rule) } },
      })),
    },
  );

  law(
    "let a name be made or removed only where the path and its folder are writable",
    (make: Make) =>
      fc.property(profile, tree, probes, (given, existing, asked) => {
        const ask = replay(make(given, { hits: hitsIn(given, existing) }).rules);
        const ruler = pathRuler(given);
        for (const { path, facts } of asked) {
          if (ask("names", path, facts.kind) !== "allow") continue;
          expect(ruler(path, facts).access).toBe("write");
          expect(ruler(parentOf(path), { ...facts, kind: "folder" }).access).toBe("write");
        }
      }),
    fileRules,
    { "holds no node in place": withoutPins(() => true) },
  );

  law(
    "let nothing be renamed that holds something protected",
    (make: Make) =>
      fc.property(profile, tree, path, (given, existing, moved) => {
        const ask = replay(make(given, { hits: hitsIn(given, existing) }).rules);
        const ruler = pathRuler(given);
        if (ask("names", moved, "folder") !== "allow") return;
        for (const inside of existing.filter((one) => isInside(one, moved)))
          expect(ruler(inside, { kind: "file", bornInside: false }).access).toBe("write");
      }),
    fileRules,
    {
      "holds no node in place": withoutPins(() => true),
      "knows of nothing that globs cover": (given) => fileRules(given, { hits: [] }),
      "holds the nodes of the entries alone": (given, facts) =>
        withoutPins((pin) => !given.files.some((entry) => entry.path === pin))(given, facts),
    },
  );

  law(
    "mean the same in every order: no allow and no deny hold for one right and path",
    (make: Make) =>
      fc.property(profile, tree, probes, (given, existing, asked) => {
        const ask = replay(make(given, { hits: hitsIn(given, existing) }).rules);
        for (const { path, facts } of asked)
          for (const right of ["read", "pass", "change", "names"] as const)
            expect(ask(right, path, facts.kind)).not.toBe("both");
      }),
    fileRules,
    {
      "leave the exceptions to the denies": changing((rule) => ({
        ...rule,
        area: { ...rule.area, except: [] },
      })),
    },
  );

  law(
    "deny by name whatever an allow around it leaves out",
    (make: Make) =>
      fc.property(profile, tree, probes, (given, existing, asked) => {
        const { rules } = make(given, { hits: hitsIn(given, existing) });
        const ask = replay(rules);
        const bare = replay(rules.map((rule) => ({ ...rule, area: { ...rule.area, except: [] } })));
        for (const { path, facts } of asked) {
          if (facts.kind === "file" && ask("change", path, "file") === "default")
            expect(bare("change", path, "file")).not.toBe("allow");
        }
      }),
    fileRules,
    {
      "leave the denies out": (given, facts) => {
        const made = fileRules(given, facts);
        return { ...made, rules: made.rules.filter((rule) => rule.action === "allow") };
      },
    },
  );

  it("are the same for the same profile and for the same hits in another order", () => {
    fc.assert(
      fc.property(profile, tree, (given, existing) => {
        const hits = hitsIn(given, existing);
        const other = normalProfile({
          ...given,
          files: given.files.toReversed(),
          masks: given.masks.toReversed(),
        });
        expect(fileRules(other, { hits: hits.toReversed() })).toEqual(fileRules(given, { hits }));
      }),
    );
  });

  it("agree with the model wherever the model changes", () => {
    fc.assert(
      fc.property(profile, tree, (given, existing) => {
        const facts = { hits: hitsIn(given, existing) };
        expect(() => assertAgrees(given, facts, fileRules(given, facts))).not.toThrow();
      }),
    );
  });

  it("are a fault of ours when they do not", () => {
    const given = normalProfile({ files: [{ path: knownPath("/a"), access: "read", suffixes: "any" }] });
    const wider = normalProfile({ files: [{ path: knownPath("/a"), access: "write", suffixes: "any" }] });
    expect(() => assertAgrees(given, { hits: [] }, fileRules(wider, { hits: [] }))).toThrow(CofferdamError);
  });
});

describe("the regexes of a pattern", () => {
  it("match at least what the pattern and the folders above cover", () => {
    fc.assert(
      fc.property(pattern, fc.boolean(), path, (one, ignoreCase, asked) => {
        const isCovered = patternTest(one, ignoreCase)(asked);
        expect(isMatched(coveringRegexes(one, ignoreCase), asked) || !isCovered).toBe(true);
      }),
    );
  });

  it("match no more in printable ASCII", () => {
    const ascii = path.filter(isAscii);
    fc.assert(
      fc.property(fc.oneof(glob, pattern), fc.boolean(), ascii, (one, ignoreCase, asked) => {
        if (!isAscii(one.text)) return;
        expect(isMatched(coveringRegexes(one, ignoreCase), asked)).toBe(patternTest(one, ignoreCase)(asked));
      }),
      { numRuns: 2_000 },
    );
  });

  it("stay in the part of the language that others use", () => {
    fc.assert(
      fc.property(pattern, fc.boolean(), (one, ignoreCase) => {
        for (const source of coveringRegexes(one, ignoreCase)) {
          expect(source).toMatch(/^\^[ -~]*$/);
          expect(source.replace(/\\[[\]\\^]|\[[^\]]*\]/g, "")).not.toMatch(/[\\{}.]|\(\?/);
        }
      }),
    );
  });
});

function isMatched(sources: readonly string[], path: AbsolutePath): boolean {
  return sources.some((source) => new RegExp(source).test(path));
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

function isWithin(has: ReturnType<typeof accessUnder>, wanted: Access): boolean {
  return has !== "contradiction" && isAtMost(has, wanted);
}

/** What a search for glob masks would find of what exists: the topmost covered paths. */
function hitsIn(profile: Profile, existing: readonly AbsolutePath[]): readonly AbsolutePath[] {
  const covered = existing
    .flatMap((one) => [...upwards(one)])
    .filter((at) => profile.masks.some((mask) => patternTest(mask.pattern, mask.ignoreCase)(at)));
  return [...new Set(covered)]
    .filter((at) => !covered.some((other) => other !== at && isInside(at, other)))
    .sort();
}

/** Our rules with each allow changed. */
function changing(change: (rule: FileRule) => FileRule): Make {
  return (given, facts) => {
    const made = fileRules(given, facts);
    return { ...made, rules: made.rules.map((rule) => (rule.action === "allow" ? change(rule) : rule)) };
  };
}

/** Our rules, which no longer hold some nodes in place, neither by an exception nor by a deny. */
function withoutPins(isLost: (pin: AbsolutePath) => boolean): Make {
  return (given, facts) => {
    const made = fileRules(given, facts);
    const isPin = (rule: FileRule): boolean =>
      rule.action === "deny" && rule.right === "names" && isLost(startOf(rule));
    return {
      ...made,
      rules: made.rules
        .filter((rule) => !isPin(rule))
        .map((rule) => {
          const except = rule.area.except.filter((one) => one.kind !== "node" || !isLost(one.path));
          return rule.right === "names" ? { ...rule, area: { ...rule.area, except } } : rule;
        }),
    };
  };
}

function startOf({ area }: FileRule): AbsolutePath {
  return area.within.kind === "match" ? knownPath("/") : area.within.path;
}
