import { networkInterfaces } from "node:os";
import { describe, expect, it } from "vitest";
import { isOwnAddress } from "../../../src/host/look/outside.ts";

describe("an address is this machine's own", () => {
  it("where an interface has it", async () => {
    const all = Object.values(networkInterfaces()).flatMap((some = []) => some);
    const own = all.filter(({ address }) => !address.startsWith("fe80:")).map(({ address }) => address);
    expect(own).toContain("127.0.0.1");
    for (const address of own) expect([address, await isOwnAddress(address)]).toEqual([address, true]);
  });

  it("where no interface has it, and it is of loopback all the same", async () => {
    for (const address of ["127.0.0.2", "127.255.255.254", "0.0.0.0"])
      expect([address, await isOwnAddress(address)]).toEqual([address, true]);
  });

  it("and no other is, whether it can be reached or not", async () => {
    for (const address of ["203.0.113.9", "2001:db8::9", "255.255.255.255", "224.0.0.1", "10.255.255.254"])
      expect([address, await isOwnAddress(address)]).toEqual([address, false]);
  });
});
