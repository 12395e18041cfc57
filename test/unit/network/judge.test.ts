import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Resolve, resolveHere } from "../../../src/host/look/outside.ts";
import { judgeHost as judgeBy } from "../../../src/network/judge.ts";
import { canonicalAddress, parseHostRule } from "../../../src/profile/host-rule.ts";
import { type Network, normalNetwork, reaches, reachesName } from "../../../src/profile/network.ts";
import { hostsOf, PUBLIC } from "../../support/web/server.ts";

/** The same on a machine that has no address of its own. */
function judgeHost(
  network: Network,
  place: Parameters<typeof judgeBy>[1],
  resolve: Resolve,
  signal?: AbortSignal,
): ReturnType<typeof judgeBy> {
  return judgeBy(network, place, { resolve, isOwn: async () => false }, signal);
}

const DOCS = { host: "docs.example.org", port: 443 };
const at =
  (...addresses: readonly string[]) =>
  async () =>
    addresses;

describe("a host is judged by where it leads", () => {
  test.each<[claim: string, address: string, because: string, reason: RegExp]>([
    ["this machine", "127.0.0.1", "special", /has the address 127\.0\.0\.1, a loopback address/],
    ["this machine in IPv6", "::1", "special", /a loopback address/],
    ["this machine, mapped", "::ffff:127.0.0.1", "special", /has the address 127\.0\.0\.1, a loopback/],
    ["no address", "0.0.0.0", "special", /an unspecified address/],
    ["the local network", "192.168.1.1", "private", /a private address/],
    ["the local network in IPv6", "fd00::1", "private", /a private address/],
    ["a carrier's network", "100.64.0.1", "private", /a private address/],
    ["the cloud's metadata", "169.254.169.254", "special", /a link-local address/],
    ["the cloud's metadata, mapped", "::ffff:a9fe:a9fe", "special", /169\.254\.169\.254/],
    ["the cloud's metadata in IPv6", "fd00:ec2::254", "special", /outside the public internet/],
    ["many at once", "224.0.0.1", "special", /outside the public internet/],
    ["an IPv4 address in IPv6 for translation", "64:ff9b::7f00:1", "special", /outside the public internet/],
    ["a link's own address with a zone", "fe80::1%eth0", "special", /of only one network link/],
  ])("to %s: refused, and to a public address it is reached", async (_claim, address, because, reason) => {
    const judged = await judgeHost(hostsOf("docs.example.org"), DOCS, at(address));
    expect(judged).toMatchObject({ kind: "refused", because, reason: expect.stringMatching(reason) });
    expect(await judgeHost(hostsOf("docs.example.org"), DOCS, at(PUBLIC))).toEqual({
      kind: "reachable",
      targets: [{ ...DOCS, address: PUBLIC }],
    });
  });

  test("of several addresses those alone count that may be reached", async () => {
    const judged = await judgeHost(hostsOf("docs.example.org"), DOCS, at("10.0.0.1", PUBLIC, "::1", PUBLIC));
    expect(judged).toEqual({ kind: "reachable", targets: [{ ...DOCS, address: PUBLIC }] });
  });

  test("a private one is reached where the entry says so, a special one only when it is listed itself", async () => {
    const rule = hostsOf("docs.example.org private");
    expect(await judgeHost(rule, DOCS, at("10.0.0.1"))).toMatchObject({ kind: "reachable" });
    expect(await judgeHost(rule, DOCS, at("127.0.0.1"))).toMatchObject({ because: "special" });
    const here = { host: "127.0.0.1", port: 8080 };
    expect(await judgeHost(hostsOf("127.0.0.1:8080"), here, at())).toMatchObject({ kind: "reachable" });
    expect(await judgeHost(hostsOf("127.0.0.1:8081"), here, at())).toMatchObject({ because: "unlisted" });
  });

  test("an address that is listed beside the name counts for it, also one of this machine's own", async () => {
    const loop = at("127.0.0.1", "::1");
    const listed = [{ ...DOCS, address: "127.0.0.1" }];
    const both = hostsOf("docs.example.org:443", "127.0.0.1:443");
    expect(await judgeHost(both, DOCS, loop)).toEqual({ kind: "reachable", targets: listed });
    const elsewhere = hostsOf("docs.example.org:443", "127.0.0.1:80");
    expect(await judgeHost(elsewhere, DOCS, loop)).toMatchObject({
      because: "special",
      address: "127.0.0.1",
    });
    const own = { resolve: at(PUBLIC), isOwn: async () => true };
    expect(await judgeBy(hostsOf("docs.example.org"), DOCS, own)).toMatchObject({ address: PUBLIC });
    for (const rules of [["docs.example.org", PUBLIC], ["*", PUBLIC], [`docs.example.org at ${PUBLIC}`]])
      expect(await judgeBy(hostsOf(...rules), DOCS, own)).toMatchObject({ kind: "reachable" });
  });

  test("what is never reached is not, neither by name nor by address", async () => {
    const network = (never: string): Network => ({
      hosts: [parseHostRule("*.example.org")],
      never: [parseHostRule(never)],
    });
    expect(await judgeHost(network("docs.example.org"), DOCS, at(PUBLIC))).toMatchObject({
      because: "never",
    });
    expect(await judgeHost(network(PUBLIC), DOCS, at(PUBLIC))).toMatchObject({ because: "never" });
    expect(await judgeHost(network("other.example.org"), DOCS, at(PUBLIC))).toMatchObject({
      kind: "reachable",
    });
  });

  test("a name that is not listed is not even looked up: a look-up can carry data away", async () => {
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return [PUBLIC];
    };
    const leak = { host: "secret.attacker.example", port: 443 };
    expect(await judgeHost(hostsOf("docs.example.org"), leak, resolve)).toMatchObject({
      because: "unlisted",
    });
    expect(await judgeHost("none", DOCS, resolve)).toMatchObject({ because: "unlisted" });
    expect(asked).toEqual([]);
    await judgeHost(hostsOf("docs.example.org"), DOCS, resolve);
    expect(asked).toEqual(["docs.example.org"]);
  });

  test("a name without an address is told as that, and a look-up ends with its signal", async () => {
    const failing = () => Promise.reject(new Error("ENOTFOUND"));
    const network = hostsOf("docs.example.org");
    expect(await judgeHost(network, DOCS, failing)).toMatchObject({ because: "no-address" });
    const given = new AbortController();
    const waiting = judgeHost(network, DOCS, () => new Promise(() => undefined), given.signal);
    given.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });

  test("the machine's own look-up knows what its own names are", async () => {
    expect((await resolveHere("localhost")).every((one) => ["127.0.0.1", "::1"].includes(one))).toBe(true);
    const judged = await judgeHost(hostsOf("localhost"), { host: "localhost", port: 80 }, resolveHere);
    expect(judged).toMatchObject({ because: "special" });
  });
});

const name = fc.constantFrom("a.org", "b.a.org", "c.b.a.org", "b.org", "x.test");
const address = fc.constantFrom(
  ...["93.184.215.14", "8.8.8.8", "2606:4700::1111", "10.0.0.1", "192.168.0.1", "fd00::1"],
  ...["127.0.0.1", "::1", "169.254.169.254", "100.100.100.200", "0.0.0.0", "::ffff:10.0.0.1"],
);
const rule = fc
  .tuple(
    fc.oneof(
      name,
      name.map((one) => `*.${one}`),
      address.map(canonicalAddress),
    ),
    fc.constantFrom(null, 443, 80),
    fc.boolean(),
  )
  .map(([written, port, isPrivate]) => ({ ...parseHostRule(written), port, private: isPrivate }));
const network: fc.Arbitrary<Network> = fc.oneof(
  fc.constantFrom<Network>("none", "open"),
  fc
    .record({ hosts: fc.array(rule, { maxLength: 5 }), never: fc.array(rule, { maxLength: 2 }) })
    .map(normalNetwork),
);
const host = fc.oneof(name, address.map(canonicalAddress));
const port = fc.constantFrom(443, 80, 8080);

test("what may be connected to is what the network reaches of what the name leads to: all of it, and nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(
      network,
      host,
      port,
      fc.array(address, { maxLength: 4 }),
      async (given, to, on, found) => {
        const judged = await judgeHost(given, { host: to, port: on }, async () => found);
        const isLiteral = /^[\d.]+$|:/.test(to);
        const targets = (isLiteral ? [to] : found.map(canonicalAddress)).map((one) => ({
          host: to,
          address: one,
          port: on,
        }));
        const allowed = targets.filter((target) => reaches(given, target));
        const connected = judged.kind === "reachable" ? judged.targets.map((one) => one.address) : [];
        expect(new Set(connected)).toEqual(new Set(allowed.map((one) => one.address)));
        // Whoever is asked about a name is asked about no other than what could be reached.
        if (allowed.length > 0) expect(reachesName(given, to, on)).toBe(true);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("an address of this machine is reached where it is listed itself, and by nothing else but `host`", async () => {
  const isOwn = async (address: string) => [PUBLIC, "2606:4700::1"].includes(address);
  const resolve = async () => [PUBLIC];
  const judged = async (network: Network, host: string) =>
    judgeBy(network, { host, port: 443 }, { resolve, isOwn }, null);
  const refused = {
    kind: "refused",
    because: "special",
    reason: expect.stringMatching(/has the address .* of this machine$/),
  };
  expect(await judged("open", "a.test")).toMatchObject(refused);
  expect(await judged("open", "2606:4700::1")).toMatchObject(refused);
  expect(await judged(hostsOf("*.test", "a.test private"), "a.test")).toMatchObject(refused);
  expect(await judged(hostsOf("*"), PUBLIC)).toMatchObject(refused);
  expect(await judged(hostsOf(PUBLIC), PUBLIC)).toMatchObject({ kind: "reachable" });
  expect(await judged("host", "a.test")).toMatchObject({ kind: "reachable" });
  expect(await judged("open", "8.8.8.8")).toMatchObject({ kind: "reachable" });
});
