import fc from "fast-check";
import { knownPath } from "../../../src/profile/path.ts";
import { askedPaths, callPaths, pathsIn } from "../../support/mac/asked-paths.ts";
import { type MacCase, macCase } from "../../support/mac/mac-case.ts";
import type { Query, Vnode } from "../query.ts";
import { DECIDED, heldNodes, NEVER_GIVEN } from "./portable.ts";

const VNODES: readonly Vnode[] = ["REGULAR-FILE", "REGULAR-FILE", "DIRECTORY", "SYMLINK"];
const OPERATIONS = [...DECIDED.read, ...DECIDED.run, ...DECIDED.change, ...DECIDED.names];
const OF_READING = [...DECIDED.read, ...DECIDED.run];

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

/** What an entry gives, below it; in it another entry or a mask may still say no. */
function likelyGiven({ profile }: MacCase): fc.Arbitrary<Query> {
  const entries = profile.files.filter(({ access }) => access !== "none");
  const ofTheCall = fc.record({
    operation: fc.constantFrom(...OPERATIONS),
    path: callPaths,
    vnode: fc.constantFrom(...VNODES),
  });
  if (entries.length === 0) return ofTheCall;
  const inEntry = fc.constantFrom(...entries).chain((entry) =>
    fc.record<Query>({
      operation: fc.constantFrom(...(entry.access === "write" ? OPERATIONS : OF_READING)),
      path: pathsIn(entry),
      vnode: fc.constantFrom(...VNODES),
    }),
  );
  return fc.oneof({ weight: 6, arbitrary: inEntry }, ofTheCall);
}
