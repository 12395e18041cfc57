import { describe, expect, it } from "vitest";
import { renderSeatbelt } from "../../../src/backend/seatbelt/render.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { normalProfile, type ProfileParts } from "../../../src/profile/profile.ts";
import type { ProgramStart } from "../../../src/tool/launch.ts";
import { machine, planOf, write } from "../../support/mac/machine.ts";

const { mac } = machine();
const FACTS = machine({}, { mac: mac === null ? null : { ...mac, proxyPort: 8118 } });
const APP = "/Users/ada/work/app";
const LAUNCH: ProgramStart = { argv: [knownPath("/bin/sh"), "-c", "make"], cwd: knownPath(APP), env: {} };
const HOSTS = { hosts: [{ name: "a.test", port: 443, private: false }], never: [] } as const;

/** Every rule of the text that has to do with connections, names and routes, and where programs find the proxy. */
function networkOf(network: ProfileParts["network"], asksForHosts: boolean) {
  const launch = asksForHosts ? { ...LAUNCH, asksForHosts } : LAUNCH;
  const parts = { ...write(APP), ...(network === undefined ? {} : { network }) };
  const { rules, proxy } = planOf(renderSeatbelt(normalProfile(parts), launch, FACTS));
  const about = /network-|mDNSResponder|dnssd|networkd|SystemConfiguration|routetable|localhost|AF_SYSTEM/;
  return [proxy?.port ?? null, ...rules.text.split("\n").filter((line) => about.test(line))];
}

const ONE_PORT = [8118, '(allow network-outbound (remote tcp "localhost:8118"))'];
const NOTHING = [null];

describe("what a call may reach of the network", () => {
  it.each<readonly [string, ProfileParts["network"], boolean, readonly (string | number | null)[]]>([
    ["listed hosts", HOSTS, false, ONE_PORT],
    ["listed hosts and others after a yes", HOSTS, true, ONE_PORT],
    ["every public address", "open", false, ONE_PORT],
    ["hosts after a yes alone", "none", true, ONE_PORT],
    ["no hosts of a list that is empty", { hosts: [], never: [] }, false, NOTHING],
    ["nothing", "none", false, NOTHING],
  ])(
    "with %s is the proxy's one port or nothing: no names, no routes, no datagrams",
    (_, network, asks, rules) => {
      expect(networkOf(network, asks)).toEqual(rules);
    },
  );

  it("is all of it with the machine's own, whatever is asked, and past the proxy", () => {
    const [port, ...rules] = networkOf("host", true);
    expect(port).toBe(null);
    expect(rules.join("\n")).toContain('(remote ip "*:*")');
    expect(rules.join("\n")).not.toContain("localhost");
  });
});
