import { expect, it } from "vitest";
import { standingIn } from "../support/approval/standing.ts";
import { workersOf } from "../support/battery/descendants.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";
import { RUNAWAY, withRunaway } from "../support/files/runaway.ts";
import { toldOf } from "../support/files/told.ts";

sandboxMustWork("a search that does not end");

/** Slow, because it waits until the search's own time is over; `files-workers` has the twin that a limit ends sooner. */
it.skipIf(unusable !== null)(
  "costs one worker and one call, in bounded time",
  { timeout: 60_000 },
  async () => {
    await using at = await standingIn(withRunaway);
    const began = performance.now();
    expect(toldOf(await at.session.call("search_files", RUNAWAY))).toBe("WALL_TIME");
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(workersOf(process.pid)).toEqual([]);
    expect(toldOf(await at.session.call("search_files", { text: "xx" }))).toMatchObject({ files: 1 });
  },
);
