import { realpathSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EVERYTHING, reach } from "../../../src/host/look/runtimes/disk.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { FOLDER, freshTrees } from "./runtimes-tree.ts";

const tree = freshTrees();

describe("links", () => {
  test("lead to where the kernel says, or nowhere", () => {
    const names = ["a", "b", "c"] as const;
    const target = fc
      .array(fc.constantFrom(...names, "..", "."), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join("/"));
    const farm = fc.array(
      fc.record({
        at: fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }),
        to: fc.option(target),
      }),
      { maxLength: 8 },
    );
    /** Out of a folder that is itself a link. */
    const outOfLink: [{ at: ("a" | "b")[]; to: string }[], string] = [
      [
        { at: ["b"], to: ".." },
        { at: ["a"], to: "b/../." },
      ],
      "a",
    ];
    let farms = 0;
    fc.assert(
      fc.property(farm, target, (entries, asked) => {
        const top = tree().at(`farm${++farms}`);
        tree().add({ [`farm${farms}`]: FOLDER });
        for (const { at, to } of entries) {
          const name = `farm${farms}/${at.join("/")}`;
          if (kernel(`${top}/${at.join("/")}`) !== null) continue;
          try {
            tree().add({ [name]: to === null ? FOLDER : { link: to } });
          } catch {
            // Something else stands in the way: one farm with less in it.
          }
        }
        const path = `${top}/${asked}`;
        expect(reach(EVERYTHING, path)?.real ?? null).toBe(kernel(path));
      }),
      { numRuns: 1_000, examples: [outOfLink] },
    );
  });

  function kernel(path: string): string | null {
    try {
      return absolutePath(realpathSync.native(path));
    } catch {
      return null;
    }
  }
});
