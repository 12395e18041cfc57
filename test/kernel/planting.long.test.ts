import { describe, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { expectDeniedToFileTools, expectTaken, expectToldByFileTools } from "../support/planting/claims.ts";
import { WAYS } from "../support/planting/ground.ts";
import { batchesOf, namesThatRun } from "../support/planting/names.ts";

sandboxMustWork("what hosts execute, made in all ways");

const unasked = namesThatRun("unasked");
const started = namesThatRun("started");

describe.skipIf(unusable !== null).each(PEOPLE)(
  "planted: by a call, as $name",
  { timeout: 300_000 },
  (person) => {
    it.each(WAYS)("no name that runs unasked is live after the call that made it: way `%s`", async (way) => {
      const plants = unasked.map((name, at) => ({ way, folder: `${way}/${at}`, name }));
      await expectTaken(person, plants);
    });

    it.each(batchesOf(unasked, 50))(
      "no file tool makes or changes `%s`, and the ones that follow it",
      async (...names) => {
        await expectDeniedToFileTools(person, names);
      },
    );

    it.each(batchesOf(started, 100))(
      "a file tool tells that it made `%s`, and the ones that follow it",
      async (...names) => {
        await expectToldByFileTools(person, names);
      },
    );
  },
);
