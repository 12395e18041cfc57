import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, vi } from "vitest";
import { Ledger } from "../../src/host/launch/ledger.ts";
import { absolutePath } from "../../src/profile/path.ts";
import { itUnless, notRoot, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { leftAfter, processesWith } from "../support/battery/processes.ts";
import { waiting } from "../support/battery/stand-ins.ts";

sandboxMustWork("a sandbox that is built for a dead supervisor");

describe("a supervisor that is killed while its sandbox is built", () => {
  itUnless(
    notRoot ?? unusable,
    "fs.residue: leaves nothing, though the launcher goes on for a while and makes again what is swept",
    async () => {
      using place = new Place(CALLER);
      const helpers = place.folder("helpers");
      const isWaiting = join(place.top, "waiting");
      place.file("helpers/bwrap", waiting(isWaiting), 0o755);
      const masks = [{ pattern: `${place.ws}/held`, at_most: "none" }];
      const profile = place.file("profile.yaml", JSON.stringify({ profile: "holds", masks }));
      const job = { profiles: [profile], helperFolders: [helpers, "/usr/bin"] };
      const child = place.start({
        job: { ...job, calls: [{ argv: ["sh", "-c", "sleep 60; :", helpers], afterMs: 300 }] },
      });
      const made = new Promise((resolve) => child.stdout?.once("data", resolve));
      await made;
      place.file("waiting", "");
      const building = (): readonly number[] => processesWith(join(helpers, "bwrap"));
      await vi.waitUntil(() => building().length > 0 && existsSync(join(place.ws, "held")), {
        timeout: 20_000,
      });
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("close", resolve));
      expect(building()).toHaveLength(1);
      const sweeping = new Ledger(absolutePath(join(place.state, "cofferdam"))).sweep();
      await pause(200);
      place.remove("waiting");
      await sweeping;
      expect(await leftAfter(5_000, helpers)).toEqual([]);
      expect([readdirSync(place.ws), readdirSync(join(place.state, "cofferdam/ledger"))]).toEqual([[], []]);
    },
  );
});
