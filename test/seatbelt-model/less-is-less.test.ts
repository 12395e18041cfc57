import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Volume } from "../../src/backend/facts.ts";
import { isAtMost } from "../../src/profile/access.ts";
import { intersect } from "../../src/profile/intersect.ts";
import { type AbsolutePath, knownPath, upwards } from "../../src/profile/path.ts";
import { literalPrefix } from "../../src/profile/pattern.ts";
import {
  type FileEntry,
  indexEntries,
  nearestEntry,
  normalProfile,
  type Profile,
} from "../../src/profile/profile.ts";
import { meetSuffixes, sameSuffixes } from "../../src/profile/suffix.ts";
import { caseOf, type MacCase, macProfile, mask, path, volumes } from "../support/mac/mac-case.ts";
import { type Finding, lint } from "./lint.ts";
import type { Query, Reading } from "./query.ts";
import { foldedPath, isPlain } from "./support/access-on.ts";
import { type Evaluator, evaluator, IN_TURN, parametersOf, planOf } from "./support/differential.ts";
import { textLaw } from "./support/law.ts";
import { OTHERS } from "./support/others.ts";
import { DECIDED, heldNodes, portable, waysTo } from "./support/portable.ts";
import { fileQuestions } from "./support/questions.ts";

interface Mac {
  readonly disks: readonly Volume[];
  readonly existing: readonly AbsolutePath[];
}
const mac: fc.Arbitrary<Mac> = fc.record({ disks: volumes, existing: fc.array(path, { maxLength: 6 }) });
const on = (profile: Profile, { disks, existing }: Mac): MacCase => caseOf(profile, disks, existing);

/** What the text of a profile says, or null where there is none. */
const textOf = (given: MacCase): Evaluator | null => {
  const plan = planOf(given);
  return plan === null ? null : evaluator(plan.rules);
};

/** What lints find in the text of a profile. */
const findingsIn = (given: MacCase): readonly Finding[] => {
  const plan = planOf(given);
  return plan === null ? [] : lint(plan.rules.text, parametersOf(plan.rules));
};

/** Devices are the sandbox's own: a mask takes them away, and is dropped where it takes nothing else. */
const UNMASKED = OTHERS.flatMap(({ query, isMasked }) => (isMasked === true ? [] : [query]));

/** Questions about both profiles, and which combination of readings comes first. */
const asked = (first: MacCase, second: MacCase) =>
  fc.record({
    queries: fc
      .tuple(fileQuestions(first, 12), fileQuestions(second, 12))
      .map((both) => [...both.flat(), ...UNMASKED]),
    turn: fc.nat(1_000),
  });

/** Every question that the text of one answers yes and that of another no, but for what only the text refuses. */
const wider = (
  given: MacCase,
  than: MacCase,
  { queries, turn }: { readonly queries: readonly Query[]; readonly turn: number },
): readonly Query[] => {
  const [text, other, isBlurred] = [textOf(given), textOf(than), blurs(than)];
  if (text === null || other === null) return [];
  return queries.filter((query, at) =>
    IN_TURN(at + turn).some(
      (one) => text(query, one).allowed && !other(query, one).allowed && !isBlurred(query, one),
    ),
  );
};

/**
 * Whether the profile gives what its text may refuse: of two names that no text can spell, one is left out with another that
 * an entry or a mask has.
 */
function blurs(given: MacCase): (query: Query, reading: Reading) => boolean {
  const { files, masks } = given.profile;
  if (files.every(({ path }) => isPlain(path)) && masks.every(({ pattern }) => isPlain(pattern.text)))
    return () => false;
  const model = portable(given);
  return (query, reading) =>
    query.path !== undefined && !isPlain(query.path) && model(query, reading).answer === "at most";
}

describe("the text of less allows no more", () => {
  textLaw(
    "what the text of two profiles' intersection allows, the texts of both allow",
    150,
    (meet: typeof intersect) =>
      fc.property(
        fc.tuple(macProfile, macProfile, mac).chain(([a, b, on_]) => {
          const cases = [on(a, on_), on(b, on_), on(meet(a, b), on_)] as const;
          return fc.tuple(fc.constant(cases), asked(cases[0], cases[1]));
        }),
        ([[a, b, both], questions]) => {
          expect(findingsIn(both)).toEqual([]);
          fc.pre(spellAlike(a.profile, b.profile));
          const more = [a, b].flatMap((one) => wider(both, one, questions));
          expect(more.filter((query) => !isPassing(query, both))).toEqual([]);
        },
      ),
    intersect,
    {
      "keeps the first": (a) => a,
      "forgets masks of the second": (a, b) => intersect(a, { ...b, masks: [] }),
      "forgets the network": (a, b) => ({ ...intersect(a, b), network: a.network }),
      "forgets groups": (a, b) => ({ ...intersect(a, b), macos: [...new Set([...a.macos, ...b.macos])] }),
      "forgets sockets": (a, b) => ({ ...intersect(a, b), sockets: b.sockets }),
      "takes all entries": (a, b) =>
        normalProfile({ ...intersect(a, b), files: [...a.files, ...b.files], masks: a.masks }),
    },
  );

  textLaw(
    "a mask more never adds to it",
    150,
    (add: (profile: Profile, masks: Profile["masks"]) => Profile) =>
      fc.property(
        fc
          .tuple(macProfile, fc.array(mask, { minLength: 1, maxLength: 2 }), mac)
          .chain(([one, added, on_]) => {
            const cases = [on(one, on_), on(add(one, added), on_)] as const;
            return fc.tuple(fc.constant(cases), asked(cases[0], cases[1]));
          }),
        ([[before, after], questions]) => {
          const more = wider(after, before, questions);
          expect(more.filter((query) => !isPassing(query, after))).toEqual([]);
        },
      ),
    (one, added) => normalProfile({ ...one, masks: [...one.masks, ...added] }),
    {
      "takes them in place of the others": (one, masks) => normalProfile({ ...one, masks }),
      "takes their paths for entries": (one, added) =>
        normalProfile({
          ...one,
          files: [
            ...one.files,
            ...added.flatMap(({ pattern: { literal } }): FileEntry[] =>
              literal === null ? [] : [{ path: literal, access: "read", suffixes: "any" }],
            ),
          ],
        }),
    },
  );

  textLaw(
    "an entry less, of those that give no less than what surrounds them, never adds to it but that it may be moved",
    150,
    (remove: (profile: Profile, at: number) => Profile) =>
      fc.property(
        fc.tuple(macProfile, fc.nat(), mac).chain(([one, at, on_]) => {
          const cases = [on(one, on_), on(remove(one, at), on_)] as const;
          return fc.tuple(fc.constant(cases), asked(cases[0], cases[1]));
        }),
        ([[before, after], questions]) => {
          fc.pre(spellAlike(before.profile, before.profile));
          const held = new Set<string>(heldNodes(before.profile, before.facts));
          const more = wider(after, before, questions);
          const isFreed = (query: Query) => isNaming(query) && held.has(query.path ?? "");
          expect(more.filter((query) => !isFreed(query) && !isPassing(query, after))).toEqual([]);
        },
      ),
    (one, at) => {
      const removed = one.files[at % Math.max(1, one.files.length)];
      if (removed === undefined) return one;
      const files = one.files.filter((entry) => entry !== removed);
      return isLess(removed, nearestEntry(indexEntries(files), removed.path))
        ? one
        : normalProfile({ ...one, files });
    },
    {
      "removes any": (one, at) =>
        normalProfile({ ...one, files: one.files.filter((_, index) => index !== at % one.files.length) }),
      "removes what no entry gives": (one) =>
        normalProfile({ ...one, files: one.files.filter(({ access }) => access !== "none") }),
      "removes the masks": (one) => normalProfile({ ...one, masks: [] }),
    },
  );
});

it("the text does not depend on the order of entries, of masks and of what the masks were found to cover", () => {
  fc.assert(
    fc.property(macProfile, mac, (profile, one) => {
      const given = on(profile, one);
      const plan = planOf(given);
      const turned = normalProfile({
        ...profile,
        files: profile.files.toReversed(),
        masks: profile.masks.toReversed(),
      });
      const facts = { ...given.facts, hits: given.facts.hits.toReversed() };
      expect(planOf({ ...given, profile: turned, facts })).toEqual(plan);
      expect(planOf(given)).toEqual(plan);
      const unordered = { ...profile, files: profile.files.toReversed(), masks: profile.masks.toReversed() };
      expect(planOf({ ...given, profile: unordered })?.rules ?? null).toEqual(plan?.rules ?? null);
    }),
    { numRuns: 200 },
  );
});

/** A folder that leads to what is given can be looked at, also where one of the two gives files alone. */
function isPassing({ operation, path = "/" }: Query, { profile, facts }: MacCase): boolean {
  return operation === "file-read-metadata" && waysTo(profile, facts).has(foldedPath(knownPath(path)));
}

/**
 * Whether two profiles have one spelling for each name. Profiles are about paths as they are spelled on the disk: that two
 * others are the same, where case does not count or composed and decomposed, neither an intersection nor the normal form
 * can know.
 */
function spellAlike(a: Profile, b: Profile): boolean {
  const paths = [a, b].flatMap(({ files, masks }) => [
    ...files.map((entry) => entry.path),
    ...masks.map(({ pattern }) => pattern.literal ?? literalPrefix(pattern)),
  ]);
  const folded = (at: AbsolutePath): string => foldedPath(at).normalize("NFC");
  const spellings = new Map(paths.flatMap((one) => [...upwards(one)].map((at) => [folded(at), at])));
  return paths.every((one) => [...upwards(one)].every((at) => spellings.get(folded(at)) === at));
}

function isNaming({ operation }: Query): boolean {
  return DECIDED.names.some((one) => one === operation);
}

function isLess(entry: FileEntry, above: FileEntry): boolean {
  const isShorter =
    above.access !== "none" && !sameSuffixes(meetSuffixes(entry.suffixes, above.suffixes), above.suffixes);
  return !isAtMost(above.access, entry.access) || isShorter;
}
