import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("the state folder");

const CALLS = [{ argv: ["true"] }];
const RAN = [{ kind: "made" }, { kind: "ran", code: 0 }];

describe.skipIf(unusable !== null).each(PEOPLE)("the state folder, as $name", (person) => {
  it("is made once by several that start at once, and all of them run", async () => {
    using place = new Place(person);
    const names = Array.from({ length: 6 }, (_, at) => `${at}.json`);
    const all = await Promise.all(names.map((name) => place.run({ job: { calls: CALLS } }, name)));
    expect(all).toMatchObject(names.map(() => RAN));
  });

  it.each(["launcher.json", "attestation.json"])(
    "makes nobody wait for a FIFO in the place of %s",
    async (name) => {
      using place = new Place(person);
      await place.run({ job: { calls: CALLS } });
      const file = join(place.state, "cofferdam", name);
      expect(existsSync(file)).toBe(true);
      const { status } = spawnSync("sh", ["-c", 'rm "$0" && mkfifo "$0"', file], person.runAs);
      expect(status).toBe(0);
      expect(await place.run({ job: { calls: CALLS } })).toMatchObject(RAN);
    },
  );
});
