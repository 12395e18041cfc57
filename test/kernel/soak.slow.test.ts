import { describe } from "vitest";
import { PEOPLE } from "../support/battery/people.ts";
import { itLeavesNothing } from "../support/battery/soak-tests.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";

sandboxMustWork("dozens of calls and killed supervisors");

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  itLeavesNothing(person, 60, 300_000);
});
