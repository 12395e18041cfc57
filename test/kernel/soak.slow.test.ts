import { describe } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { itLeavesNothing } from "../support/battery/soak-tests.ts";

sandboxMustWork("dozens of calls and killed supervisors");

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  itLeavesNothing(person, 60, 300_000);
});
