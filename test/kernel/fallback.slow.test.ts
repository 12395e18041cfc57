import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { knownPath } from "../../src/profile/path.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { FILTERLESS, HANGING } from "../support/battery/stand-ins.ts";
import { itUnless, notRoot, sandboxMustWork, unusable } from "../support/battery/walls.ts";

sandboxMustWork("launchers that never come to an end");

/** Each takes the whole time that the walls have to stand, and none has anything to do meanwhile. */
describe.skipIf(unusable !== null)("the time that the walls have to stand", { concurrent: true }, () => {
  const cases = [
    ["hangs", HANGING, "the walls did not stand in time"],
    ["forgets the filter", FILTERLESS, "no filter came into force"],
  ] as const;
  for (const [what, standIn, said] of cases) {
    itUnless(
      notRoot,
      `proof: a launcher that ${what} is given up, and nothing runs`,
      async () => {
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
      },
      90_000,
    );
  }
});
