import { expect, it } from "vitest";
import { settleAppeared } from "../../src/call/appeared/settle.ts";
import { type Appeared, REPORTED } from "../../src/host/launch/appeared.ts";
import { type Planted, Quarantine, type TakenFrom } from "../../src/host/launch/quarantine/quarantine.ts";
import type { QuarantineRecord } from "../../src/host/launch/quarantine/record.ts";
import { joinPath, knownPath } from "../../src/profile/path.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { heldIn, isThere, standingWith } from "../support/quarantine/planting.ts";

sandboxMustWork("what can't be taken away");

/** One that can't move a folder of this name, as where it is a mount point, or its folder another user's. */
class Stuck extends Quarantine {
  override async *takeAll(planted: readonly Planted[], from: TakenFrom): AsyncGenerator<QuarantineRecord> {
    const stuck = planted.filter(({ path }) => path.endsWith("/stuck"));
    for await (const record of super.takeAll(
      planted.filter((one) => !stuck.includes(one)),
      from,
    ))
      yield record;
    for (const one of stuck) {
      const none = { kind: "folder", files: 0, bytes: 0, digest: null, aside: null, keptAt: null } as const;
      const items = [{ ...one, ...none, state: "live", problem: "EBUSY" } as const];
      yield { version: 1, id: "0", pid: 1, startedAt: null, takenAt: 0, ...from, items };
    }
  }
}

it.skipIf(unusable !== null)(
  "what lies in a folder that can't be moved is taken by itself, and told so",
  async () => {
    await using at = await standingWith("quarantine", {}, (place) => {
      for (const folder of ["stuck", "free"]) {
        place.folder(`ws/${folder}`);
        place.file(`ws/${folder}/.envrc`, "x");
      }
    });
    const { shared } = at.supervisor;
    const appeared = (name: string): Appeared => ({
      path: joinPath(knownPath(at.place.ws), name),
      kind: "protected",
      obeyedBy: { by: "a shell", when: "it starts" },
      runs: [],
      fate: REPORTED,
    });
    const names = ["stuck", "stuck/.envrc", "free", "free/.envrc"];
    const { found } = await settleAppeared(
      { found: names.map(appeared), unknown: null },
      {
        shared: { ...shared, quarantine: new Stuck(shared.host.stateFolder, shared.host) },
        from: { sessionId: "s", callId: "c", tool: "shell", workspace: shared.loaded.config.workspace },
        profile: shared.policy.withApproval.profile,
        before: { hits: [], repositories: [], treeStates: new Map() },
        startedAt: Date.now(),
        record: () => undefined,
        agreed: [],
        asks: null,
        onTaken: () => undefined,
      },
    );
    expect(found.map(({ fate }) => fate.kind)).toEqual(["live", "quarantined", "quarantined", "quarantined"]);
    expect(heldIn(at.place)).toEqual(["free", "stuck/.envrc"]);
    expect(isThere(at.place, "stuck/.envrc")).toBe(false);
  },
);
