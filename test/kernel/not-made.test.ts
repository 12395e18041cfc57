import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("a supervisor that can't be made");

const descriptors = (): number => readdirSync("/proc/self/fd").length;

describe.skipIf(unusable !== null)("a supervisor that can't be made after all", () => {
  it("leaves none of its sandbox's descriptors open; one that is made has some", async () => {
    using place = new Place(CALLER);
    await using _first = await place.supervisor();
    const before = descriptors();
    {
      await using _twin = await place.supervisor();
      expect(descriptors()).toBeGreaterThan(before);
    }
    const id = (): never => {
      throw new Error("no id for a run");
    };
    for (let tries = 0; tries < 3; tries += 1)
      await expect(place.supervisor({}, { id })).rejects.toThrow("no id for a run");
    // One more may be open for a moment.
    await expect.poll(descriptors).toBe(before);
  });
});
