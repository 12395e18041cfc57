import { describe, expect, test } from "vitest";
import { digest, printProfile } from "../../../src/profile/canonical.ts";
import { compare, isWithin } from "../../../src/profile/compare.ts";
import { intersect } from "../../../src/profile/intersect.ts";
import type { Limits } from "../../../src/profile/limits.ts";
import { CLOSED, normalProfile, OPEN, type Profile } from "../../../src/profile/profile.ts";
import { refusal } from "./refusal.ts";

/** A profile as somebody makes it by hand, without `normalProfile`. */
const byHand = (limits: object): Profile => Object.assign({}, OPEN, { limits });
const limitsOf = (limits: object): Limits => byHand(limits).limits;

describe("a bound that is none", () => {
  const bounds = [NaN, -5, -Infinity, Infinity, "5", 5n, null];

  test.each(bounds)("is refused by everything that would compare or keep it: %s", (bound) => {
    const [odd, fine] = [byHand({ wallMs: bound }), normalProfile({ limits: { wallMs: 10 } })];
    const message = `invalid limit \`wallMs\`: \`${String(bound)}\``;
    const uses: readonly (() => unknown)[] = [
      () => normalProfile({ limits: odd.limits }),
      () => compare(odd, OPEN),
      () => compare(OPEN, odd),
      () => isWithin(odd, odd),
      () => digest(odd),
      () => printProfile(odd),
      () => intersect(odd, fine),
      () => intersect(OPEN, odd),
    ];
    for (const use of uses)
      expect(refusal(use)).toBe(
        `USAGE: ${message}
→ write a finite number of 0 or more, or leave it out for no limit`,
      );
  });

  test("is no limit of another name, and `strict` is no text", () => {
    expect(refusal(() => normalProfile({ limits: limitsOf({ wallms: 5 }) }))).toMatch(
      /^USAGE: no limit is named `wallms`\n→ the limits are wallMs, /,
    );
    expect(refusal(() => normalProfile({ limits: limitsOf({ strict: "no" }) }))).toBe(
      "USAGE: invalid `strict`: `no`\n→ write `true` or `false`",
    );
  });

  test("is not 0, a fraction or one left undefined", () => {
    for (const limits of [{ wallMs: 0 }, { cpuSeconds: 0.5 }, { processes: Number.MAX_VALUE }])
      expect(normalProfile({ limits })).toMatchObject({ limits });
    expect(normalProfile({ limits: limitsOf({ wallMs: undefined }) }).limits).toEqual({});
    expect([isWithin(CLOSED, OPEN), isWithin(OPEN, CLOSED)]).toEqual([true, false]);
  });
});

test("a port that is none is refused, also in `never`, where it would bar nothing", () => {
  for (const port of [NaN, -5, 0, 1.5, 65_536, Infinity]) {
    const odd = { name: "example.org", port, private: false };
    const fine = { ...odd, port: null };
    for (const network of [
      { hosts: [odd], never: [] },
      { hosts: [fine], never: [odd] },
    ])
      expect(refusal(() => normalProfile({ network }))).toMatch(
        /^HOST_INVALID: .* has a port outside 1 to 65535\n/,
      );
    expect(
      normalProfile({ network: { hosts: [fine], never: [{ ...odd, port: 443 }] } }).network,
    ).toMatchObject({
      hosts: [fine],
    });
  }
});
