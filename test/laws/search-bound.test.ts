import fc from "fast-check";
import { expect } from "vitest";
import type { Unsearched } from "../../src/backend/facts.ts";
import { withinSearch } from "../../src/backend/search-bound.ts";
import { regionsOf } from "../../src/backend/search-regions.ts";
import { isAtMost } from "../../src/profile/access.ts";
import { accessTo } from "../../src/profile/access-to.ts";
import { isInside } from "../../src/profile/path.ts";
import * as generate from "../support/generate.ts";
import { law } from "./law.ts";

/** A profile, some of whose regions could not be searched, and what is asked about it. */
const unsearched = fc
  .tuple(
    generate.profile,
    fc.array(generate.path, { maxLength: 2 }),
    fc.nat(),
    fc.constantFrom("refuse", "read-only"),
  )
  .map(([profile, paths, which, over]) => {
    const regions = regionsOf(profile);
    const start = regions[which % Math.max(1, regions.length)]?.start;
    const all = [...paths, ...(start === undefined ? [] : [start])].map(
      (path): Unsearched => ({ path, bound: { kind: "entries", max: 1 }, over }),
    );
    return { profile, unsearched: all };
  });

const asked = fc.array(generate.pathProbe, { minLength: 10, maxLength: 10 });

law(
  "what is left of a profile that could not be searched for gives no more than it does, and there nothing to write",
  (within: typeof withinSearch) =>
    fc.property(unsearched, asked, ({ profile, unsearched: all }, probes) => {
      const left = within(profile, { unsearched: all });
      const affected = regionsOf(profile).filter(({ start }) =>
        all.some(({ path }) => isInside(start, path)),
      );
      const mustRefuse = affected.some(
        ({ masks }) => all[0]?.over === "refuse" || masks.some(({ atMost }) => atMost === "none"),
      );
      expect("reason" in left).toBe(mustRefuse);
      if ("reason" in left) return;
      for (const { path, facts } of probes) {
        const access = accessTo(left.profile, path, facts);
        expect(isAtMost(access, accessTo(profile, path, facts))).toBe(true);
        if (affected.some(({ start }) => isInside(path, start))) expect(access).not.toBe("write");
      }
    }),
  withinSearch,
  {
    "leaves it as it is": (profile) => ({ profile, limits: [] }),
    "looks at the first folder alone": (profile, { unsearched: all }) =>
      withinSearch(profile, { unsearched: all.slice(0, 1) }),
    "never refuses": (profile, { unsearched: all }) => {
      const left = withinSearch(profile, { unsearched: all.map((one) => ({ ...one, over: "read-only" })) });
      return "reason" in left ? { profile, limits: [] } : left;
    },
  },
);
