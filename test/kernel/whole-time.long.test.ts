import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { knownPath } from "../../src/profile/path.ts";
import { testSession } from "../support/approval/test-session.ts";
import { workersOf } from "../support/battery/descendants.ts";
import { itUnless, notRoot, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { FILTERLESS, HANGING } from "../support/battery/stand-ins.ts";
import { RUNAWAY, withRunaway } from "../support/files/runaway.ts";
import { toldOf } from "../support/files/told.ts";
import { RulesPlace } from "../support/mac/rules.ts";
import { noStandIn, standInMustWork } from "../support/mac/stand-in.ts";

sandboxMustWork("what never comes to an end by itself");
standInMustWork("a sandbox on macOS that is never ready");

/* Each takes the whole of its time, and hardly anything has something to do meanwhile: so all of them at once. */

describe.skipIf(unusable !== null)("the time that a sandbox may take", { concurrent: true }, () => {
  const cases = [
    ["hangs", HANGING, "the sandbox was not ready in time"],
    ["forgets the filter", FILTERLESS, "no system call filter became active"],
  ] as const;
  for (const [what, standIn, said] of cases) {
    itUnless(notRoot, `proof: a launcher that ${what} is given up, and nothing runs`, async () => {
      using place = new Place(CALLER);
      const folder = knownPath(place.folder("helpers"));
      place.file("helpers/bwrap", standIn, 0o755);
      const settings = { sandbox: { os_sandbox_fallback: "refuse_tools" } };
      await using supervisor = await place.supervisor(settings, {
        helperFolders: [folder, knownPath("/usr/bin")],
      });
      const outcome = await supervisor
        .session({ caller: "person" })
        .call("shell", { argv: ["sh", "-c", `: > ${place.ws}/ran`] });
      expect(outcome).toMatchObject({ kind: "denied", code: "SANDBOX_UNAVAILABLE", reason: said });
      expect(existsSync(join(place.ws, "ran"))).toBe(false);
    });
  }
});

it.skipIf(noStandIn !== null)(
  "proof: on macOS a sandbox that is not ready within twenty seconds is given up",
  { concurrent: true, timeout: 60_000 },
  async () => {
    using place = new RulesPlace();
    place.standIn.mode = "hangs";
    await expect(place.run({ argv: ["/bin/true"] })).rejects.toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
      message: "the sandbox was not ready in time",
    });
    expect(place.left()).toEqual([]);
  },
);

/** `files-workers` has the twin that a limit ends sooner. */
it.skipIf(unusable !== null)(
  "a search that does not end costs one worker and one call, in bounded time",
  { concurrent: true, timeout: 60_000 },
  async () => {
    await using at = await testSession(withRunaway);
    expect(toldOf(await at.session.call("search_files", RUNAWAY))).toBe("WALL_TIME");
    expect(workersOf(process.pid)).toEqual([]);
    expect(toldOf(await at.session.call("search_files", { text: "xx" }))).toMatchObject({ files: 1 });
  },
);
