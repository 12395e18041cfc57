import fc from "fast-check";
import { type AbsolutePath, isInside, joinPath, knownPath } from "../../../src/profile/path.ts";
import type { Query, Vnode } from "../query.ts";
import { CALL, CALL_PARAMETERS, CALLS, type MacCase, macCase, name, path } from "./mac-case.ts";
import { DECIDED, heldNodes, NEVER_GIVEN } from "./portable.ts";

const VNODES: readonly Vnode[] = ["REGULAR-FILE", "REGULAR-FILE", "DIRECTORY", "SYMLINK"];
const OPERATIONS = [...DECIDED.read, ...DECIDED.run, ...DECIDED.change, ...DECIDED.names];
const OF_READING = [...DECIDED.read, ...DECIDED.run];

/** Names that few patterns match and no entry has. */
const fresh = fc.constantFrom("fresh", "fresh.md", "a-fresh-one", "Fresh");

/** Where calls have their places, one call's, and another's. */
const CALL_PATHS = [
  CALLS,
  CALL,
  `${CALL}/canary`,
  ...["HOME", "TMP", "GIVEN"].flatMap((one) => [
    CALL_PARAMETERS.get(one) ?? "",
    `${CALL_PARAMETERS.get(one)}/a`,
  ]),
  `${CALL}x/tmp/a`,
].map(knownPath);

/**
 * Questions about files, for a case: paths that its profile speaks of and below them, any others, and their other names.
 * Many are about what is given, so that the answer is yes often enough for a no to mean something.
 */
export function fileQuestions(given: MacCase, count: number): fc.Arbitrary<readonly Query[]> {
  const query: fc.Arbitrary<Query> = fc.record({
    operation: fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...OPERATIONS) },
      fc.constantFrom(...NEVER_GIVEN),
    ),
    path: askedPaths(given),
    vnode: fc.constantFrom(...VNODES),
  });
  const held = heldNodes(given.profile, given.facts);
  const moving: fc.Arbitrary<Query> = fc.record({
    operation: fc.constantFrom(...DECIDED.names),
    path: fc.constantFrom(...held, knownPath("/Users/ada/w")),
    vnode: fc.constantFrom(...VNODES),
  });
  const some = fc.oneof(
    { weight: 6, arbitrary: query },
    { weight: 5, arbitrary: likelyGiven(given) },
    { weight: 1, arbitrary: moving },
  );
  return fc.array(some, { minLength: count, maxLength: count });
}

/** One case and its questions, the same for the same seed. */
export function caseFrom(seed: number, count: number): readonly [MacCase, readonly Query[]] {
  const [drawn] = fc.sample(
    macCase.chain((one) => fileQuestions(one, count).map((queries) => [one, queries] as const)),
    { seed, numRuns: 1 },
  );
  if (drawn === undefined) throw new Error("nothing was drawn");
  return drawn;
}

/** Paths that a profile speaks of. */
export function spokenPaths({ profile, facts }: MacCase): readonly AbsolutePath[] {
  return [
    ...profile.files.map((entry) => entry.path),
    ...profile.masks.flatMap((mask) => mask.pattern.literal ?? []),
    ...facts.hits,
  ];
}

function askedPaths(given: MacCase): fc.Arbitrary<AbsolutePath> {
  const near = fc.constantFrom(...spokenPaths(given), knownPath("/Users/ada/w"));
  return fc.oneof(
    path,
    near,
    { weight: 2, arbitrary: fc.tuple(near, name).map(([folder, last]) => joinPath(folder, last)) },
    {
      weight: 2,
      arbitrary: fc.tuple(near, name, name).map(([at, one, two]) => joinPath(at, `${one}/${two}`)),
    },
    fc.tuple(near, fc.constantFrom("/tmp", "/System/Volumes/Data")).map(([at, alias]) => aliasOf(at, alias)),
    fc.constantFrom(...CALL_PATHS),
  );
}

/** What an entry gives, below it; in it another entry or a mask may still say no. */
function likelyGiven({ profile }: MacCase): fc.Arbitrary<Query> {
  const entries = profile.files.filter(({ access }) => access !== "none");
  const ofTheCall = fc.record({
    operation: fc.constantFrom(...OPERATIONS),
    path: fc.constantFrom(...CALL_PATHS.filter((one) => isInside(one, knownPath(CALL)) && one !== CALL)),
    vnode: fc.constantFrom(...VNODES),
  });
  if (entries.length === 0) return ofTheCall;
  const inEntry = fc.constantFrom(...entries).chain(({ path: root, access, suffixes }) => {
    const last = suffixes === "any" ? fresh : fc.constantFrom(...suffixes, "").map((one) => `fresh${one}`);
    return fc.record<Query>({
      operation: fc.constantFrom(...(access === "write" ? OPERATIONS : OF_READING)),
      path: fc
        .tuple(fc.array(fc.oneof(fresh, name), { maxLength: 1 }), last)
        .map(([above, end]) => joinPath(root, [...above, end].join("/"))),
      vnode: fc.constantFrom(...VNODES),
    });
  });
  return fc.oneof({ weight: 6, arbitrary: inEntry }, ofTheCall);
}

function aliasOf(at: AbsolutePath, alias: string): AbsolutePath {
  return knownPath(alias === "/tmp" ? at.replace(/^(\/private\/tmp)?/, "/tmp") : `${alias}${at}`);
}
