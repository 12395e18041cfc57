import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { endingOf } from "../support/battery/command.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";
import { heldIn, isThere } from "../support/quarantine/planting.ts";

sandboxMustWork("what killed calls plant");

const settings = (appeared: string) => ({
  sandbox: { appeared },
  shell: { default: { approval: false } },
});

describe.skipIf(unusable !== null).each(PEOPLE)("a supervisor that is killed, as $name,", (person) => {
  it.each(["quarantine", "report"])(
    "leaves what its call made to the next one, which does with it what the config says: `%s`",
    async (appeared) => {
      using place = new Place(person);
      const line = "mkdir a .husky; echo x | tee a/.envrc .husky/pre-push > plain; echo x > ready; sleep 30";
      const child = place.start({
        job: { calls: [{ argv: ["sh", "-c", line] }] },
        settings: settings(appeared),
      });
      while (!existsSync(join(place.ws, "ready"))) await pause(10);
      expect([isThere(place, "a/.envrc"), isThere(place, ".husky")]).toEqual([true, true]);
      const ending = endingOf(child);
      child.kill("SIGKILL");
      await ending;
      // Its processes end with it, a moment later.
      await pause(100);
      const next = await place.run({ job: { calls: [{ argv: ["true"] }] }, settings: settings(appeared) });
      expect(next).toMatchObject([{ kind: "made" }, { kind: "ran", code: 0 }]);
      const isTaken = appeared === "quarantine";
      expect([isThere(place, "a/.envrc"), isThere(place, ".husky")]).toEqual([!isTaken, !isTaken]);
      expect([heldIn(place), isThere(place, "plain")]).toEqual([isTaken ? [".husky", "a/.envrc"] : [], true]);
    },
  );
});
