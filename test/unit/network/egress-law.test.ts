import { connect } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Targets } from "../../../src/host/look/outside.ts";
import { CallEgress } from "../../../src/network/call-egress.ts";
import { type ConnectTarget, canonicalAddress } from "../../../src/profile/host-rule.ts";
import { type Network, normalNetwork, reaches } from "../../../src/profile/network.ts";
import { network, TARGETS } from "../../support/generate.ts";
import { speaking } from "../../support/web/server.ts";

const asked = fc.constantFrom(
  ...TARGETS.filter(({ serverName, proxy }) => serverName === undefined && proxy === undefined),
);

test("what is dialled is what the network reaches, and all of that is", async () => {
  const server = await speaking(() => undefined);
  const seen = { reached: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(network.map(normalNetwork), asked, async (granted: Network, target) => {
      if (granted === "host") return;
      const dialled: ConnectTarget[] = [];
      const dial = (targets: Targets) => {
        dialled.push(...targets);
        return connect(server, "127.0.0.1");
      };
      // A name leads to the address that it is asked about, and to one that nobody reaches.
      const resolve = async () => [target.address, "127.0.0.9"];
      using egress = new CallEgress(
        { network: granted, limits: {}, ask: null, onRefused: () => undefined },
        { dial, resolve, isOwn: async () => false },
      );
      const { kind } = await egress.reach(target.host, target.port);
      const address = canonicalAddress(target.address);
      const isReached = reaches(granted, { ...target, address });
      expect([kind, dialled]).toEqual(isReached ? ["reached", [{ ...target, address }]] : ["refused", []]);
      seen[isReached ? "reached" : "refused"] += 1;
    }),
    { numRuns: 1_500 },
  );
  expect(Math.min(seen.reached, seen.refused)).toBeGreaterThan(100);
});
