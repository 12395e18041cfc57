import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { descendantsOf } from "../support/battery/descendants.ts";
import { PROJECTS } from "../support/battery/linked.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import {
  describeProcess,
  end,
  IN_LAUNCHERS,
  leftAfter,
  processesWith,
} from "../support/battery/processes.ts";
import { IS_LONG } from "../support/long.ts";

sandboxMustWork("supervisors that are killed while a call runs in a shelter");

const ROUNDS = IS_LONG ? 12 : 3;

/** A call of its own has a launcher and two processes; in a shelter one launcher more. */
const WHOLE = 10;

/** Waits until a process has so many below it; how long that took, in milliseconds. */
async function untilBelow(pid: number, count: number): Promise<number> {
  const began = performance.now();
  const isThere = () => expect(descendantsOf(pid).length).toBeGreaterThanOrEqual(count);
  await vi.waitFor(isThere, { timeout: 30_000, interval: 10 });
  return performance.now() - began;
}

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  it.each(PROJECTS)(
    "proc: nothing is left of a sandbox in a shelter for $what, at whatever instant its supervisor is killed",
    async ({ prepare, launchers }) => {
      const word = randomBytes(12).toString("hex");
      using place = new Place(person);
      prepare(place);
      try {
        // How long this machine takes until all three run, in milliseconds.
        let wholeMs = 0;
        for (let round = 0; round < ROUNDS; round += 1) {
          const argv: [string, ...string[]] = ["perl", "-e", "sleep 600", word, IN_LAUNCHERS];
          const calls = [0, 60, 90].map((afterMs) => ({ argv, afterMs }));
          const child = place.start({ job: { calls } });
          const closed = once(child, "close");
          await once(child.stdout ?? child, "data");
          if (round === 0)
            wholeMs = await untilBelow(child.pid ?? -1, WHOLE + calls.length * (launchers - 1));
          else await pause(Math.random() * 1.2 * wholeMs);
          child.kill("SIGKILL");
          await closed;
          expect((await leftAfter(5_000, word)).map(describeProcess)).toEqual([]);
        }
      } finally {
        end(processesWith(word));
      }
    },
  );
});
