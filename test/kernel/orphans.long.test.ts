import { describe, expect, it } from "vitest";
import { killSupervisors } from "../support/battery/kills.ts";
import { PROJECTS } from "../support/battery/linked.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { IS_LONG } from "../support/long.ts";

sandboxMustWork("a hundred killed supervisors");

const TRIES = Math.ceil((IS_LONG ? 500 : 120) / PEOPLE.length / PROJECTS.length);

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  it.each(PROJECTS)(
    "proc: nothing survives supervisors that are killed at every instant of a launch in $what",
    {
      timeout: 300_000,
    },
    async ({ what, prepare }) => {
      const killed = await killSupervisors(person, TRIES, prepare);
      console.info(
        `killed as ${person.name} in ${what}: ${killed.tries} launches, ${killed.started} programs had started`,
      );
      expect(killed.left).toEqual([]);
      // The instants are spread over the launch: some programs had started, some had not.
      expect(killed.started).toBeGreaterThan(killed.tries / 20);
      expect(killed.started).toBeLessThan(killed.tries);
    },
  );
});
