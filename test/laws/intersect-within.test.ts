import fc from "fast-check";
import { describe, expect } from "vitest";
import { isWithin } from "../../src/profile/compare.ts";
import { intersect } from "../../src/profile/intersect.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { pair } from "../support/generate.ts";
import { law } from "./law.ts";

type Meet = (a: Profile, b: Profile) => Profile;

describe("intersect", () => {
  law(
    "is always known to be within both",
    (meet: Meet) =>
      fc.property(pair, ([a, b]) => {
        expect([isWithin(meet(a, b), a), isWithin(meet(a, b), b)]).toEqual([true, true]);
      }),
    intersect,
    {
      "gives back the first": (a) => a,
      "drops the masks of the second": (a, b) => intersect(a, { ...b, masks: [] }),
      "rewrites a mask as another that means the same": (a, b) => ({
        ...intersect(a, b),
        masks: intersect(a, b).masks.map((mask) => ({
          ...mask,
          pattern: { ...mask.pattern, text: `${mask.pattern.text}/**` },
        })),
      }),
      "forgets `never`": (a, b) => {
        const { network, ...rest } = intersect(a, b);
        return { ...rest, network: typeof network === "string" ? network : { ...network, never: [] } };
      },
      "widens the environment": (a, b) => ({ ...intersect(a, b), env: ["*"] }),
      "sets no limits": (a, b) => ({ ...intersect(a, b), limits: {} }),
    },
  );
});
