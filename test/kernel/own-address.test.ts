import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import { itNeeds } from "../support/battery/needs.ts";

const OUTSIDE = join(import.meta.dirname, "../../src/host/look/outside.ts");
const IP = "/usr/bin/ip";
const UNSHARE = "/usr/bin/unshare";

/** What is asked about each of its arguments. */
const ASKS = `
  const { isOwnAddress } = await import(${JSON.stringify(OUTSIDE)});
  for (const address of process.argv.slice(1)) console.log(address, await isOwnAddress(address));
`;

/** Of a machine that has an address of either kind, and reaches all others from it. */
const MACHINE = [
  "ip link set lo up",
  "ip address add 192.0.2.1/32 dev lo",
  "ip -6 address add 2001:db8:9::1/128 dev lo",
  "ip route add default dev lo",
  "ip -6 route add default dev lo",
  "ip route add 198.51.101.0/24 dev lo",
  "ip -6 route add 2001:db8:2::/48 dev lo",
];

/** Asked within a network of its own, which ends with the question. */
function askedIn(machine: readonly string[], addresses: readonly string[]): readonly string[] {
  const node = [process.execPath, "--input-type=module", "-e", ASKS, "--", ...addresses];
  const script = [...machine, 'exec "$@"'].join(" && ");
  const words = ["--map-root-user", "--net", "/bin/sh", "-c", script, "sh", ...node];
  const { stdout, stderr } = spawnSync(UNSHARE, words, { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

itNeeds(
  [IP, UNSHARE],
  "net.hosts: an address that a route alone makes local is the machine's own, as one of an interface is",
  () => {
    const own = ["192.0.2.1", "2001:db8:9::1"];
    const routed = ["198.51.100.7", "203.0.113.3", "2001:db8:1::7"];
    const others = ["198.51.101.7", "203.0.113.16", "2001:db8:2::9"];
    const routes = [
      "ip route add local 198.51.100.0/24 dev lo",
      "ip route add local 203.0.113.0/28 dev lo src 192.0.2.1",
      "ip -6 route add local 2001:db8:1::/48 dev lo",
    ];
    // As for a transparent proxy: only what has the mark comes here.
    const marked = [
      "ip route add local 0.0.0.0/0 dev lo table 100",
      "ip rule add fwmark 1 lookup 100",
      "ip -6 route add local ::/0 dev lo table 100",
      "ip -6 rule add fwmark 1 lookup 100",
    ];
    const told = [
      ...[...own, ...routed].map((address) => `${address} true`),
      ...others.map((address) => `${address} false`),
    ];
    const addresses = [...own, ...routed, ...others];
    expect(askedIn([...MACHINE, ...routes], addresses)).toEqual(told);
    expect(askedIn([...MACHINE, ...routes, ...marked], addresses)).toEqual(told);
    expect(askedIn(MACHINE, addresses)).toEqual([
      ...own.map((address) => `${address} true`),
      ...[...routed, ...others].map((address) => `${address} false`),
    ]);
  },
);
