import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { printProcess, thisProcess } from "../../src/host/launch/process-id.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("what killed supervisors left");

describe.skipIf(unusable !== null)(
  "the next supervisor removes what a killed one left in the state folder",
  () => {
    const canary = (place: Place, owner: string): string => {
      const folder = join(place.state, "cofferdam", `attest.${owner}`, "canary-x");
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, "canary"), "");
      return folder;
    };

    it("fs.residue: the battery's folder, but not that of one who is at it", async () => {
      using place = new Place(CALLER, { isFirst: true });
      const { pid = 0 } = spawnSync("/bin/true");
      const [left, others] = [canary(place, `${pid}.1`), canary(place, printProcess(thisProcess()))];
      await using _supervisor = await place.supervisor();
      expect([existsSync(left), existsSync(others)]).toEqual([false, true]);
      expect(
        readdirSync(join(place.state, "cofferdam")).filter((name) => name.startsWith("attest.")),
      ).toEqual([`attest.${printProcess(thisProcess())}`]);
    });

    it.runIf(CALLER.uid === 0)(
      "fs.residue: a device node that was not finished, once it is old",
      async () => {
        using place = new Place(CALLER);
        const folder = join(place.state, "cofferdam/devices");
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(join(folder, "null-left"), "");
        await using _atOnce = await place.supervisor();
        expect(readdirSync(folder)).toContain("null-left");
        await using _later = await place.supervisor({}, { now: () => Date.now() + 120_000 });
        expect(readdirSync(folder)).not.toContain("null-left");
      },
    );
  },
);
