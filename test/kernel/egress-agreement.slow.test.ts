import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ConnectTarget, printHostRule } from "../../src/profile/host-rule.ts";
import { type Network, normalNetwork, reaches } from "../../src/profile/network.ts";
import { printed, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { networkPair, TARGETS } from "../support/generate.ts";
import { IS_LONG } from "../support/long.ts";
import { localOutside } from "../support/web/local-outside.ts";
import { speaking } from "../support/web/server.ts";

sandboxMustWork("random networks against the proxy");

/** There is no upstream proxy: every host is reached by its address. */
const DIRECT = TARGETS.filter(({ proxy }) => proxy === undefined);

const SEED = Number(process.env["COFFERDAM_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const CASES = IS_LONG ? 400 : 30;

/** Each host and port that it reads is asked for by SOCKS; prints `1` where it is connected to, else `0`. */
const ASK = `
my ($secret) = $ENV{http_proxy} =~ m{cofferdam:(.*)\\@};
for (split " ", $ARGV[0]) {
  my ($host, $port) = /^(.*):(\\d+)$/;
  socket(S, 2, 1, 0) && connect(S, pack("S n a4 x8", 2, 61080, "\\x7f\\0\\0\\1")) or die "no proxy";
  syswrite S, pack("C3", 5, 1, 2); sysread S, $_, 2;
  syswrite S, pack("C C/a* C/a*", 1, "cofferdam", $secret); sysread S, $_, 2;
  syswrite S, pack("C4 C/a* n", 5, 1, 0, 3, $host, $port); sysread S, $_, 10;
  print ord(substr $_, 1, 1) == 0 ? 1 : 0;
  close S;
}`;

/** As a config or a profile writes it. */
function written(network: Network): unknown {
  if (typeof network === "string") return network;
  const { hosts, never, strictSni = false } = network;
  return { hosts: hosts.map(printHostRule), never: never.map(printHostRule), strict_sni: strictSni };
}

describe.skipIf(unusable !== null)("what a program reaches", () => {
  it(`never-weaker: is what the config and a profile both let be reached, seed ${SEED}`, {
    timeout: CASES * 5_000,
  }, async () => {
    const server = await speaking(() => undefined);
    const hosts = [...new Set(DIRECT.map(({ host }) => host))];
    const ports = [...new Set(DIRECT.map(({ port }) => port))];
    const addresses = [...new Set(DIRECT.map(({ address }) => address))];
    const leads = fc.record(Object.fromEntries(hosts.map((host) => [host, fc.constantFrom(...addresses)])));
    const isHere = (network: Network): boolean => network !== "host" && network !== "none";
    const both = fc
      .tuple(networkPair, leads)
      .map(([[one, other], to]) => [normalNetwork(one), normalNetwork(other), to] as const)
      .filter(([one]) => isHere(one));
    const seen = { reached: 0, refused: 0 };
    for (const [need, ceiling, to] of fc.sample(both, { numRuns: CASES, seed: SEED })) {
      const names = Object.fromEntries(Object.entries(to).map(([host, address]) => [host, [address]]));
      const asked = hosts.flatMap((host) => ports.map((port) => ({ host, port })));
      const local = localOutside({
        names,
        ports: Object.fromEntries(asked.map((at) => [`${at.host}:${at.port}`, server])),
      });
      await using at = await testSession(() => undefined, {
        settings: { shell: { network: written(need), default: { approval: false } } },
        profile: { network: written(ceiling) },
        outside: local,
      });
      const list = asked.map(({ host, port }) => `${host}:${port}`).join(" ");
      const said = printed(await at.session.call("shell", { argv: ["perl", "-e", ASK, list] }));
      const expected = asked.map(({ host, port }) => {
        const target: ConnectTarget = { host, port, address: to[host] ?? host };
        const address = host.includes(":") || /^[\d.]+$/.test(host) ? host : target.address;
        const isReached = [need, ceiling].every((network) => reaches(network, { ...target, address }));
        seen[isReached ? "reached" : "refused"] += 1;
        return isReached ? "1" : "0";
      });
      // With nothing in common there is no way out at all, and the program ends there.
      const told = said === "" ? "0".repeat(asked.length) : said;
      expect([told, written(need), written(ceiling)]).toEqual([
        expected.join(""),
        written(need),
        written(ceiling),
      ]);
    }
    expect(Math.min(seen.reached, seen.refused)).toBeGreaterThan(CASES);
  });
});
