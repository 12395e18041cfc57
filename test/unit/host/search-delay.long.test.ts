import { expect, test } from "vitest";
import { makeNames } from "../../support/files/many-names.ts";
import { MAX_HELD_MS } from "../../support/load/busy.ts";
import { heldMs, slowness } from "../../support/load/held-loop.ts";
import { plantFiles, searchFigures } from "../../support/search/figures.ts";
import { Wood } from "../../support/search/wooded.ts";

const OPTIONS = { timeout: 240_000 };

test(
  "the first search of 100,000 files holds the event loop for no longer than any other call may, nor does one of a single folder",
  OPTIONS,
  async () => {
    using wood = new Wood();
    plantFiles(wood.at("many"), 100_000);
    const many = wood.profile({ none: ["**/.env"], read: ["**/.git/{hooks,config}"] });
    expect(await heldMs(() => searchFigures(many))).toBeLessThan(MAX_HELD_MS * slowness());
    using flat = new Wood();
    flat.plant("one/");
    makeNames(
      flat.at("one"),
      Array.from({ length: 50_000 }, (_, at) => String(at)),
    );
    const one = flat.profile({ none: ["**/.env"] });
    expect(await heldMs(() => searchFigures(one))).toBeLessThan(MAX_HELD_MS * slowness());
  },
);
