import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { canonicalHost } from "../../../src/profile/host-name.ts";
import { isAddress, parseHostRule } from "../../../src/profile/host-rule.ts";
import { refusal } from "./refusal.ts";

describe("a host, as somebody names it", () => {
  it.each([
    ["EXAMPLE.com.", "example.com"],
    ["ex\u00e4mple.test", "xn--exmple-cua.test"],
    ["example\u3002com", "example.com"],
    ["\u24d4xample.com", "example.com"],
    ["xn--e1afmkfd.test", "xn--e1afmkfd.test"],
    ["_srv.a-b.test", "_srv.a-b.test"],
    ["0x7f.1", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["017700000001", "127.0.0.1"],
    ["127.1", "127.0.0.1"],
    ["0", "0.0.0.0"],
    ["1.2.3.4.", "1.2.3.4"],
    ["\uff11\uff12\uff17.0.0.1", "127.0.0.1"],
    ["[::1]", "::1"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["[::ffff:127.0.0.1]", "127.0.0.1"],
    ["::ffff:7f00:1", "127.0.0.1"],
  ])("%s has the one spelling %s", (written, canonical) => {
    expect(canonicalHost(written)).toBe(canonical);
  });

  it.each([
    ["nothing", ""],
    ["dots alone", ".."],
    ["an empty part", "a..b"],
    ["a NUL", "exa\0mple.com"],
    ["a line's end", "a.test\r\nb"],
    ["a blank", "a b"],
    ["a user", "a@b.test"],
    ["a percent sign", "a%62.test"],
    ["a zone", "fe80::1%eth0"],
    ["a path", "a.test/b"],
    ["another slash", "a.test\\b"],
    ["a question", "a.test?b"],
    ["a port", "a.test:80"],
    ["a wildcard", "*.a.test"],
    ["every host", "*"],
    ["what nobody sees", "a\u200db.test"],
    ["a soft hyphen", "ex\u00adample.com"],
    ["a dash in front", "-a.test"],
    ["too large a number", "256.256.256.256"],
    ["brackets around IPv4", "[1.2.3.4]"],
    ["half a bracket", "[::1"],
    ["more than a name can be", `${"a".repeat(1000)}.test`],
  ])("is refused with %s", (_what, written) => {
    expect(() => canonicalHost(written)).toThrow(expect.objectContaining({ code: "HOST_INVALID" }));
  });

  it("is refused in words for a person", () => {
    expect(refusal(() => canonicalHost("a@b"))).toMatchInlineSnapshot(`
      "HOST_INVALID: \`a@b\` is neither a host name nor an address
      → write a name, four decimal numbers, or IPv6 without a zone"
    `);
  });
});

test("what comes out is a rule's own spelling of one host, and stays as it is", () => {
  const label = fc.stringMatching(/^[A-Za-z0-9_.\-:[\]%@\u00e4\u3002\uff11x]{0,12}$/);
  let accepted = 0;
  fc.assert(
    fc.property(
      fc.oneof(label, fc.string({ maxLength: 10 }), fc.ipV4Extended(), fc.ipV6(), fc.domain()),
      (text) => {
        let host: string;
        try {
          host = canonicalHost(text);
        } catch (error) {
          expect(error).toMatchObject({ code: "HOST_INVALID" });
          return;
        }
        accepted += 1;
        expect(canonicalHost(host)).toBe(host);
        expect(parseHostRule(host)).toEqual({ name: host, port: null, private: false });
        expect(isAddress(host) || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host)).toBe(true);
      },
    ),
    { numRuns: 5_000 },
  );
  expect(accepted).toBeGreaterThan(1_000);
});
