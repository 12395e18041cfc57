import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { descendantsOf } from "../support/battery/descendants.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import {
  describeProcess,
  end,
  IN_LAUNCHERS,
  leftAfter,
  processesWith,
} from "../support/battery/processes.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";
import { IS_LONG } from "../support/long.ts";

sandboxMustWork("supervisors that are killed while a call runs in a shelter");

const ROUNDS = IS_LONG ? 24 : 8;

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  it("proc: nothing is left of walls in a shelter, at whatever instant their supervisor is killed", async () => {
    const word = randomBytes(12).toString("hex");
    using place = new Place(person);
    try {
      const most: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const argv: [string, ...string[]] = ["perl", "-e", "sleep 600", word, IN_LAUNCHERS];
        const calls = [0, 60, 90].map((afterMs) => ({ argv, afterMs }));
        const child = place.start({ job: { calls } });
        const closed = once(child, "close");
        await once(child.stdout ?? child, "data");
        await pause(60 + Math.random() * 400);
        const below = descendantsOf(child.pid ?? -1);
        most.push(below.length);
        child.kill("SIGKILL");
        await closed;
        expect((await leftAfter(5_000, word)).map(describeProcess)).toEqual([]);
      }
      // A call of its own has a launcher and two processes; in a shelter one launcher more.
      expect(Math.max(...most)).toBeGreaterThan(9);
    } finally {
      end(processesWith(word));
    }
  }, 180_000);
});
