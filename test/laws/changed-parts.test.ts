import fc from "fast-check";
import { describe, expect } from "vitest";
import {
  type BoundPart,
  boundPart,
  CallPart,
  changedParts,
  inOrder,
  keptBinding,
} from "../../src/policy/bound-call.ts";
import { partsHash } from "../../src/policy/hashes.ts";
import { jsonDigest } from "../../src/policy/json-digest.ts";
import { law } from "./law.ts";

/** The parts of a call: each kind and name has at most one state. */
const parts = fc
  .uniqueArray(
    fc.record({
      part: fc.constantFrom(...CallPart.unwrap().shape.part.options),
      name: fc.option(fc.constantFrom("a", "b", "TERM", '"', ""), { nil: null }),
      state: fc.integer({ min: 0, max: 2 }),
    }),
    { selector: ({ part, name }) => JSON.stringify([part, name]), maxLength: 8 },
  )
  .map((states) => states.map(({ part, name, state }) => boundPart(part, name, state)));

/** Parts, and what has become of them: some changed, gone, new or in another place. */
const pairs = fc
  .tuple(parts, parts, fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }))
  .map(([then, others, kept]): readonly [readonly BoundPart[], readonly BoundPart[]] => {
    const keyOf = ({ part, name }: BoundPart): string => JSON.stringify([part, name]);
    const stay = then.filter((_, at) => kept[at] === true);
    const added = others.filter((one) => stay.every((other) => keyOf(other) !== keyOf(one)));
    return [then, kept[0] === true ? [...added, ...stay] : stay.toReversed()];
  });

type Hash = (parts: readonly BoundPart[]) => string;
type Changed = typeof changedParts;

const CALL = { tool: "shell", agent: null };
const stored = (then: readonly BoundPart[]) => keptBinding({ key: "", parts: then, origin: null }).parts;

describe("the hash of a call", () => {
  law(
    "is equal exactly for equal parts, in any order",
    (hash: Hash) =>
      fc.property(pairs, ([then, now]) => {
        expect(hash(then) === hash(now)).toBe(JSON.stringify(inOrder(then)) === JSON.stringify(inOrder(now)));
        expect(hash(now.toReversed())).toBe(hash(now));
      }),
    (all) => partsHash(CALL, all),
    {
      "keeps the order in which parts were found": (all) => jsonDigest({ ...CALL, parts: all }),
      "leaves out the variables": (all) =>
        partsHash(
          CALL,
          all.filter(({ part }) => part !== "variable"),
        ),
      "leaves out the names": (all) =>
        partsHash(
          CALL,
          all.map((one) => ({ ...one, name: null })),
        ),
    },
  );
});

describe("the changed parts of a call", () => {
  law(
    "are none exactly for an equal hash, and are the changed ones alone",
    (changed: Changed) =>
      fc.property(pairs, ([then, now]) => {
        const found = changed(stored(then), now);
        expect(found.length === 0).toBe(partsHash(CALL, then) === partsHash(CALL, now));
        const stateIn = (all: readonly BoundPart[], { part, name }: CallPart) =>
          all.find((one) => one.part === part && one.name === name)?.digest;
        for (const one of found) expect(stateIn(then, one)).not.toBe(stateIn(now, one));
        const keys = found.map(({ part, name }) => JSON.stringify([part, name]));
        expect(new Set(keys).size).toBe(keys.length);
      }),
    changedParts,
    {
      "forgets parts that are gone": (then, now) =>
        changedParts(
          then.filter((one) => now.some(({ part, name }) => part === one.part && name === one.name)),
          now,
        ),
      "forgets parts that are new": (then, now) =>
        changedParts(
          then,
          now.filter((one) => then.some(({ part, name }) => part === one.part && name === one.name)),
        ),
      "takes parts of one kind for the same": (then, now) =>
        changedParts(
          then.map((one) => ({ ...one, name: null })),
          now.map((one) => ({ ...one, name: null })),
        ),
      "compares whole digests with stored ones": (then, now) =>
        changedParts(
          then,
          now.map((one) => ({ ...one, digest: one.digest.slice(1) })),
        ),
    },
  );
});
