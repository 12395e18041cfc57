import { describe, expect, it } from "vitest";
import { parseHostRule, printHostRule } from "../../../src/profile/host-rule.ts";
import {
  coveringNames,
  meetNetworks,
  type Network,
  normalNetwork,
  reaches,
  reachesName,
  reachesSome,
} from "../../../src/profile/network.ts";
import { networkOutside } from "../../../src/profile/network-outside.ts";

const list = (hosts: readonly string[], never: readonly string[] = []): Network =>
  normalNetwork({ hosts: hosts.map(parseHostRule), never: never.map(parseHostRule) });
const told = (network: Network): unknown =>
  typeof network === "string"
    ? network
    : [network.hosts.map(printHostRule), network.never.map(printHostRule)];
const reached = (network: Network, host: string, address: string, port = 443): boolean =>
  reaches(network, { host, address, port });

describe("a network", () => {
  it("reaches nothing, the listed, every public address, or everything", () => {
    const networks = ["none", list(["a.test"]), "open", "host"] as const;
    const asked = [
      ["a.test", "198.41.0.4"],
      ["b.test", "198.41.0.4"],
      ["localhost", "127.0.0.1"],
    ] as const;
    expect(
      networks.map((network) => asked.map(([host, address]) => reached(network, host, address))),
    ).toEqual([
      [false, false, false],
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ]);
  });

  it("never reaches what `never` lists, by name or by the address that a name led to", () => {
    const network = list(["*.a.test", "10.0.0.1"], ["b.a.test", "198.41.0.4:443", "10.0.0.1:80"]);
    expect([
      reached(network, "c.a.test", "8.8.8.8"),
      reached(network, "b.a.test", "8.8.8.8"),
      reached(network, "c.a.test", "198.41.0.4"),
      reached(network, "c.a.test", "198.41.0.4", 80),
      reached(network, "10.0.0.1", "10.0.0.1", 443),
      reached(network, "10.0.0.1", "10.0.0.1", 80),
    ]).toEqual([true, false, false, true, true, false]);
  });

  it("has one spelling: in order, without what another rule covers, `none` when nothing is listed", () => {
    expect(
      told(
        list(
          ["b.a.test:443", "*.a.test", "a.test private", "a.test:80", "10.0.0.1 private", "10.0.0.1"],
          ["x.test private", "x.test:1"],
        ),
      ),
    ).toEqual([["*.a.test", "10.0.0.1", "a.test private"], ["x.test"]]);
    expect(told(list([], ["x.test"]))).toBe("none");
  });

  it("meets another where both reach", () => {
    expect(told(meetNetworks(list(["*.a.test private", "10.0.0.1", "1.1.1.1"], ["x.test"]), "open"))).toEqual(
      [["*.a.test", "1.1.1.1"], ["x.test"]],
    );
    expect(
      told(
        meetNetworks(
          list(["*.a.test:443", "b.test"], ["x.test"]),
          list(["c.a.test private", "b.test:80 private"], ["y.test"]),
        ),
      ),
    ).toEqual([
      ["b.test:80", "c.a.test:443"],
      ["x.test", "y.test"],
    ]);
    expect(told(meetNetworks(list(["a.test"]), list(["b.test"])))).toBe("none");
  });

  it("reaches a listed name at a listed address of any class, on a port of both, and nothing that `never` lists", () => {
    const both = list(["vm.test:80", "*.a.test", "127.0.0.1:80", "10.0.0.1"], ["no.a.test", "10.0.0.1:22"]);
    expect([
      reached(both, "vm.test", "127.0.0.1", 80),
      reached(both, "vm.test", "127.0.0.1", 443),
      reached(both, "vm.test", "127.0.0.2", 80),
      reached(both, "vm.test", "10.0.0.1", 80),
      reached(both, "b.a.test", "10.0.0.1", 443),
      reached(both, "b.a.test", "10.0.0.1", 22),
      reached(both, "no.a.test", "10.0.0.1", 443),
      reached(both, "other.test", "127.0.0.1", 80),
    ]).toEqual([true, false, false, true, true, false, false, false]);
    const pinned = list(["vm.test at 127.0.0.1", "* at 10.0.0.1"]);
    expect([
      reached(pinned, "vm.test", "127.0.0.1"),
      reached(pinned, "vm.test", "198.41.0.4"),
      reached(pinned, "b.test", "10.0.0.1"),
      reached(pinned, "10.0.0.1", "10.0.0.1"),
      reached(pinned, "127.0.0.1", "127.0.0.1"),
    ]).toEqual([true, false, true, false, false]);
  });

  it("meets in a name at one address where one of the two lists both and the other lets the name lead there", () => {
    const both = list(["vm.test", "10.0.0.1:80", "127.0.0.1"]);
    expect(told(meetNetworks(both, list(["vm.test private"])))).toEqual([
      ["vm.test", "vm.test:80 at 10.0.0.1"],
      [],
    ]);
    expect(told(meetNetworks(both, list(["vm.test", "127.0.0.1:80"])))).toEqual([
      ["127.0.0.1:80", "vm.test"],
      [],
    ]);
    expect(told(meetNetworks(both, list(["* at 127.0.0.1"])))).toEqual([["vm.test at 127.0.0.1"], []]);
    expect(told(meetNetworks(both, list(["vm.test"])))).toEqual([["vm.test"], []]);
    expect(told(meetNetworks(both, "open"))).toEqual([["vm.test"], []]);
    expect(told(list(["vm.test at 127.0.0.1", "vm.test", "127.0.0.1"]))).toEqual([
      ["127.0.0.1", "vm.test"],
      [],
    ]);

    // A name that leads to public addresses anyway needs no rule for one of them.
    expect(told(list(["*.a.test", "*.a.test at 1.1.1.1"]))).toEqual([["*.a.test"], []]);
    const three = [
      list(["*.a.test", "1.1.1.1"]),
      list(["*", "*.a.test at 1.1.1.1"]),
      list(["*.a.test"]),
    ] as const;
    const [first, second, third] = three;
    expect(meetNetworks(meetNetworks(first, second), third)).toEqual(
      meetNetworks(first, meetNetworks(second, third)),
    );
  });

  it("keeps a public address beside `*`: one of this machine's own is reached by that alone", () => {
    expect(told(list(["*", "198.41.0.4"]))).toEqual([["*", "198.41.0.4"], []]);
  });

  it("names the tails that could cover a name", () => {
    expect([
      coveringNames("c.b.a"),
      coveringNames("*.b.a"),
      coveringNames("a"),
      coveringNames("1.2.3.4"),
      coveringNames("::1"),
    ]).toEqual([
      ["c.b.a", "*", "*.b.a", "*.a"],
      ["*.b.a", "*", "*.a"],
      ["a", "*"],
      ["1.2.3.4", "*"],
      ["::1", "*"],
    ]);
  });
});

describe("a network that exceeds another", () => {
  it("is found out when the other lists the very target that would be asked about first", () => {
    const asked = networkOutside(list(["*.a.test"]), list(["b.test"]));
    expect(asked).toEqual({ host: "witness-0.a.test", address: "23.0.0.1", port: 443 });
    expect(networkOutside(list(["*.a.test"]), list(["witness-0.a.test"]))).toEqual({
      host: "witness-1.a.test",
      address: "23.0.0.1",
      port: 443,
    });
    expect(networkOutside(list(["*.a.test"], ["*.a.test:443", "23.0.0.1"]), list(["b.test"]))).toEqual({
      host: "witness-0.a.test",
      address: "23.0.1.1",
      port: 40000,
    });
  });

  it("is open where it lists every host and bars none, and less than that where it bars one", () => {
    expect([list(["*"]), list(["a.test", "*"]), list(["*:443"]), list(["*"], ["a.test"])].map(told)).toEqual([
      "open",
      "open",
      [["*:443"], []],
      [["*"], ["a.test"]],
    ]);
    expect(told(list(["*", "10.0.0.1", "a.test private"]))).toEqual([
      ["*", "10.0.0.1", "a.test private"],
      [],
    ]);
    expect(networkOutside(list(["*"], ["a.test"]), "open")).toBe(null);
    expect(networkOutside("open", list(["*"], ["a.test"]))).toEqual({
      host: "a.test",
      address: "23.0.0.1",
      port: 443,
    });
  });

  it("is found out where the other wants hellos to name their host", () => {
    const strict = normalNetwork({ hosts: [parseHostRule("*")], never: [], strictSni: true });
    expect(networkOutside(strict, "open")).toBe(null);
    expect(networkOutside("open", strict)).toEqual({
      host: "witness.example-0",
      address: "23.0.0.1",
      port: 443,
      serverName: "another name",
    });
  });

  it("is found out when the other covers a whole tail", () => {
    expect(networkOutside("open", list(["*.example", "*.example-0"]))).toEqual({
      host: "witness.example-1",
      address: "23.0.0.1",
      port: 443,
    });
  });
});

describe("a network, as far as a name or a list alone tell", () => {
  it("is said to reach a name where some address of it may be reached, and an address where that may", () => {
    const cases = [
      ["none", "a.test", 443, false],
      ["host", "127.0.0.1", 443, true],
      ["open", "a.test", 443, true],
      ["open", "198.41.0.4", 443, true],
      ["open", "10.0.0.1", 443, false],
      [list(["a.test:443"]), "a.test", 443, true],
      [list(["a.test:443"]), "a.test", 80, false],
      [list(["*.test"], ["b.test"]), "a.test", 443, true],
      [list(["*.test"], ["b.test"]), "b.test", 443, false],
      [list(["10.0.0.1"]), "10.0.0.1", 443, true],
      [list(["10.0.0.1"]), "10.0.0.2", 443, false],
    ] as const;
    for (const [network, host, port, isReached] of cases)
      expect([host, reachesName(network, host, port)]).toEqual([host, isReached]);
  });

  it("reaches something of a rule, unless that is not listed, or never reached as a whole", () => {
    const cases = [
      ["none", "a.test", false],
      ["host", "10.0.0.1", true],
      ["open", "a.test", true],
      ["open", "10.0.0.1", false],
      ["open", "198.41.0.4", true],
      [list(["a.test"]), "*.test", true],
      [list(["a.test:80"]), "a.test:443", false],
      [list(["*.test"]), "a.test private", true],
      [list(["b.test"]), "a.test", false],
      [list(["*.test"], ["*.test"]), "a.test", false],
      [list(["*.test"], ["a.test"]), "a.test private", false],
      [list(["*.test"], ["a.test"]), "*.test", true],
      [list(["*.test"], ["a.test:80"]), "a.test", true],
      ["open", "a.test at 10.0.0.1", false],
      [list(["a.test"]), "a.test at 10.0.0.1", false],
      [list(["a.test", "10.0.0.1"]), "a.test at 10.0.0.1", true],
      [list(["a.test:80", "10.0.0.1:443"]), "a.test at 10.0.0.1", false],
      [list(["*.test"], ["a.test at 10.0.0.1"]), "a.test", true],
    ] as const;
    for (const [network, rule, isReached] of cases)
      expect([rule, reachesSome(network, parseHostRule(rule))]).toEqual([rule, isReached]);
  });
});
