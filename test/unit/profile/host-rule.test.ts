import { describe, expect, it } from "vitest";
import {
  addressClass,
  canonicalAddress,
  isAddress,
  meetRules,
  nameCovers,
  parseHostRule,
  printHostRule,
  ruleAllows,
} from "../../../src/profile/host-rule.ts";
import { refusal } from "./refusal.ts";

describe("a host rule", () => {
  it.each([
    ["example.com", "example.com"],
    ["EXAMPLE.com.:443", "example.com:443"],
    ["*.Example.org  private", "*.example.org private"],
    ["Example.org:443  at  ::FFFF:10.0.0.1", "example.org:443 at 10.0.0.1"],
    ["* at 2001:DB8::1", "* at 2001:db8::1"],
    ["_dmarc.a-b.test", "_dmarc.a-b.test"],
    ["xn--e1afmkfd.test", "xn--e1afmkfd.test"],
    ["private", "private"],
    ["10.0.0.1:80 private", "10.0.0.1:80 private"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["[::ffff:7f00:1]:8080", "127.0.0.1:8080"],
    ["[2001:DB8:0::A]:443", "[2001:db8::a]:443"],
    ["2001:db8::1:443", "2001:db8::1:443"],
    ["[::1]", "::1"],
  ])("%j is %j", (written, canonical) => {
    const rule = parseHostRule(written);
    expect(printHostRule(rule)).toBe(canonical);
    expect(parseHostRule(printHostRule(rule))).toEqual(rule);
  });

  it("is refused when it is no host", () => {
    for (const text of ["a at", "a at b.test", "a at 127.1", "10.0.0.1 at 10.0.0.1", "a private at 10.0.0.1"])
      expect(refusal(() => parseHostRule(text))).toContain("HOST_INVALID");
    expect(refusal(() => parseHostRule("a b"))).toMatchInlineSnapshot(`
      "HOST_INVALID: the host rule \`a b\` is not \`name[:port] [private | at address]\`
      → write \`name\`, \`name:443\`, \`*.name\` or an address"
    `);
    expect(refusal(() => parseHostRule("https://example.com"))).toMatchInlineSnapshot(`
      "HOST_INVALID: the host rule \`https://example.com\` is not \`name[:port] [private | at address]\`
      → write \`name\`, \`name:443\`, \`*.name\` or an address"
    `);
    expect(refusal(() => parseHostRule("example.com/path"))).toMatchInlineSnapshot(`
      "HOST_INVALID: the host rule \`example.com/path\` is neither a host name nor an address
      → write \`name\`, \`name:443\`, \`*.name\` or an address"
    `);
    expect(refusal(() => parseHostRule("10.0.0.0/8"))).toMatchInlineSnapshot(`
      "HOST_INVALID: the host rule \`10.0.0.0/8\` is neither a host name nor an address
      → write \`name\`, \`name:443\`, \`*.name\` or an address"
    `);
    expect(refusal(() => parseHostRule("-a.test"))).toMatchInlineSnapshot(`
      "HOST_INVALID: the host rule \`-a.test\` is neither a host name nor an address
      → write \`name\`, \`name:443\`, \`*.name\` or an address"
    `);
    expect(refusal(() => parseHostRule("a..test"))).toMatchInlineSnapshot(`
      "HOST_INVALID: the host rule \`a..test\` is neither a host name nor an address
      → write \`name\`, \`name:443\`, \`*.name\` or an address"
    `);
    expect(refusal(() => parseHostRule("a.*.test"))).toMatchInlineSnapshot(`
      "HOST_INVALID: the host rule \`a.*.test\` is neither a host name nor an address
      → write \`name\`, \`name:443\`, \`*.name\` or an address"
    `);
    expect(refusal(() => parseHostRule(`${"a".repeat(64)}.test`))).toMatch(/^HOST_INVALID/);
    expect(refusal(() => parseHostRule(""))).toMatchInlineSnapshot(`
      "HOST_INVALID: the host rule \`\` is not \`name[:port] [private | at address]\`
      → write \`name\`, \`name:443\`, \`*.name\` or an address"
    `);
  });

  it("is refused when its port is none", () => {
    expect(refusal(() => parseHostRule("a.test:0"))).toMatchInlineSnapshot(`
      "HOST_INVALID: the host rule \`a.test:0\` has a port outside 1 to 65535
      → write \`name\`, \`name:443\`, \`*.name\` or an address"
    `);
    expect(refusal(() => parseHostRule("a.test:65536"))).toMatchInlineSnapshot(`
      "HOST_INVALID: the host rule \`a.test:65536\` has a port outside 1 to 65535
      → write \`name\`, \`name:443\`, \`*.name\` or an address"
    `);
    expect(refusal(() => parseHostRule("a.test:http"))).toMatchInlineSnapshot(`
      "HOST_INVALID: the host rule \`a.test:http\` is not \`name[:port] [private | at address]\`
      → write \`name\`, \`name:443\`, \`*.name\` or an address"
    `);
  });

  it("covers every name and address as `*`, and lists none of them itself", () => {
    const any = parseHostRule("*:443");
    expect([any, printHostRule(any)]).toEqual([{ name: "*", port: 443, private: false }, "*:443"]);
    const at = (address: string, host = address) => ruleAllows(any, { host, address, port: 443 });
    expect([at("198.41.0.4"), at("198.41.0.4", "a.test"), at("10.0.0.1", "a.test")]).toEqual([
      true,
      true,
      false,
    ]);
    const local = (name: string) => meetRules(any, parseHostRule(name));
    expect([local("10.0.0.1"), local("127.0.0.1"), local("198.41.0.4"), local("a.test private")]).toEqual([
      null,
      null,
      { name: "198.41.0.4", port: 443, private: false },
      { name: "a.test", port: 443, private: false },
    ]);
    expect(refusal(() => parseHostRule("*.*"))).toMatch(/neither a host name nor an address/);
  });

  it("is refused when it is no ASCII, also where small letters would be", () => {
    expect(refusal(() => parseHostRule("ex\u00e4mple.test"))).toMatchInlineSnapshot(`
      "HOST_INVALID: the host rule \`exämple.test\` is not ASCII
      → write its \`xn--\` form"
    `);
    expect(refusal(() => parseHostRule("\u212Aube.test"))).toMatchInlineSnapshot(`
      "HOST_INVALID: the host rule \`Kube.test\` is not ASCII
      → write its \`xn--\` form"
    `);
    expect(refusal(() => parseHostRule("a\u3002test"))).toMatch(/is not ASCII/);
  });

  it.each([
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
    "0x7f000001",
    "0177.0.0.1",
    "127.0.0.01",
    "1.2.3.256",
    "1.2.3.4.",
    "1.2.3",
    "*.1.2.3.4",
  ])("%j is refused: an address in a spelling that programs read differently", (written) => {
    expect(refusal(() => parseHostRule(written))).toMatch(
      /^HOST_INVALID.*looks like an address in an unusual spelling/,
    );
  });

  it.each([
    "[fe80::1%eth0]",
    "fe80::1%1",
    "::ffff:010.0.0.1",
    "1:2:3:4:5:6:7:8:443",
    "[::1",
    "::1]",
    "[[::1]]",
    ":::",
  ])("%j is refused: no IPv6 address", (written) => {
    expect(refusal(() => parseHostRule(written))).toMatch(/^HOST_INVALID/);
  });
});

describe("an address", () => {
  it("has one spelling", () => {
    expect(["::ffff:10.0.0.1", "0:0::1", "2001:DB8::", "1.2.3.4"].map(canonicalAddress)).toEqual([
      "10.0.0.1",
      "::1",
      "2001:db8::",
      "1.2.3.4",
    ]);
    expect(
      ["1.2.3.4", "::1", "01.2.3.4", "1.2.3.4.", "a.test", "", "::1%lo", "::ffff:1.2.3.04"].map(isAddress),
    ).toEqual([true, true, false, false, false, false, false, false]);
    expect(refusal(() => canonicalAddress("127.1"))).toMatchInlineSnapshot(`
      "HOST_INVALID: \`127.1\` is not an address, or has an unusual spelling
      → write four decimal numbers, or IPv6 without a zone"
    `);
  });

  it.each([
    [
      "public",
      ["1.1.1.1", "198.41.0.4", "172.15.0.1", "172.32.0.1", "100.63.0.1", "2606:4700::1", "2a00::1"],
    ],
    [
      "private",
      ["10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "fd00::1", "fc00::1", "::ffff:10.0.0.1"],
    ],
    [
      "special",
      [
        "127.0.0.1",
        "127.9.9.9",
        "::1",
        "0.0.0.0",
        "::",
        "169.254.169.254",
        "fe80::1",
        "224.0.0.1",
        "ff02::1",
        "255.255.255.255",
        "240.0.0.1",
        "192.0.2.1",
        "198.18.0.1",
        "2001:db8::1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2001::1",
        "::7f00:1",
        "fec0::1",
        "4000::1",
        "fd00:ec2::254",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
      ],
    ],
  ])("is %s", (kind, addresses) => {
    expect(addresses.map((address) => [address, addressClass(canonicalAddress(address))])).toEqual(
      addresses.map((address) => [address, kind]),
    );
  });
});

describe("what a rule lets through", () => {
  const allows = (rule: string, host: string, address: string, port = 443): boolean =>
    ruleAllows(parseHostRule(rule), { host, address, port });

  it("a name at a public address, at a private one only when it says so, at loopback never", () => {
    expect(
      ["198.41.0.4", "10.0.0.1", "127.0.0.1"].map((address) => allows("a.test", "a.test", address)),
    ).toEqual([true, false, false]);
    expect(
      ["198.41.0.4", "10.0.0.1", "127.0.0.1"].map((address) => allows("a.test private", "a.test", address)),
    ).toEqual([true, true, false]);
  });

  it("a listed address whatever its class, but asked for by that address alone", () => {
    expect([
      allows("127.0.0.1", "127.0.0.1", "127.0.0.1"),
      allows("127.0.0.1", "localhost", "127.0.0.1"),
      allows("127.0.0.1", "127.0.0.1", "127.0.0.2"),
    ]).toEqual([true, false, false]);
  });

  it("its port, and names below a wildcard but not its tail", () => {
    expect([
      allows("a.test:443", "a.test", "1.1.1.1"),
      allows("a.test:443", "a.test", "1.1.1.1", 80),
    ]).toEqual([true, false]);
    expect(
      ["b.a.test", "c.b.a.test", "a.test", "xa.test", "*.a.test"].map((name) => nameCovers("*.a.test", name)),
    ).toEqual([true, true, false, false, true]);
    expect(["1.2.3.4", "::1.2.3.4"].map((name) => nameCovers("*.4", name))).toEqual([false, false]);
  });
});
