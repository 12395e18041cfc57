import { describe, expect, test } from "vitest";
import { domainName, pageAddress, printHost, whyNotPublic } from "../../../../src/tool/fetch/address.ts";

describe("a URL in an odd spelling", () => {
  test.each<[written: string, host: string, port: number]>([
    ["https://docs.example.org/a", "docs.example.org", 443],
    ["HTTPS://Docs.EXAMPLE.org/a", "docs.example.org", 443],
    ["https://docs.example.org./a", "docs.example.org", 443],
    ["https://docs.example.org:8443/", "docs.example.org", 8443],
    ["http://docs.example.org:443/", "docs.example.org", 443],
    ["https:docs.example.org", "docs.example.org", 443],
    ["https:\\\\docs.example.org\\a", "docs.example.org", 443],
    [" ht\ntps://docs.exa\tmple.org ", "docs.example.org", 443],
    ["https://%64ocs.ex%61mple.org/", "docs.example.org", 443],
    ["https://ｄｏｃｓ．example。org/", "docs.example.org", 443],
    ["https://bücher.example/", "xn--bcher-kva.example", 443],
    ["https://XN--BCHER-KVA.example/", "xn--bcher-kva.example", 443],
    ["https://docs.example.org\u{ad}/", "docs.example.org", 443],
    ["http://127.0.0.1/", "127.0.0.1", 80],
    ["http://2130706433/", "127.0.0.1", 80],
    ["http://0x7f000001/", "127.0.0.1", 80],
    ["http://0x7f.1/", "127.0.0.1", 80],
    ["http://0177.0.0.01/", "127.0.0.1", 80],
    ["http://127.1/", "127.0.0.1", 80],
    ["http://127.0.0.1./", "127.0.0.1", 80],
    ["http://①②⑦.0.0.1/", "127.0.0.1", 80],
    ["http://[::ffff:127.0.0.1]/", "127.0.0.1", 80],
    ["http://[::FFFF:7f00:1]/", "127.0.0.1", 80],
    ["http://[0:0:0:0:0:0:0:1]:8080/", "::1", 8080],
    ["http://[2606:4700:0:0::1111]/", "2606:4700::1111", 80],
  ])("%j is judged as the host that it means", (written, host, port) => {
    const address = pageAddress(written);
    expect([address.host, address.port]).toEqual([host, port]);
    // What is shown and hashed is one spelling, and reading it again changes nothing.
    expect(pageAddress(address.href)).toEqual(address);
  });

  test.each<[written: string, why: RegExp]>([
    ["", /is not a URL/],
    ["docs.example.org", /is not a URL/],
    ["ftp://docs.example.org/", /neither http nor https/],
    ["file:///etc/passwd", /neither http nor https/],
    ["data:text/html,a", /neither http nor https/],
    ["javascript:1", /neither http nor https/],
    ["https://ann@docs.example.org/", /contains a user name or a password/],
    ["https://ann:secret@docs.example.org/", /contains a user name or a password/],
    ["https://docs.example.org@evil.test/", /contains a user name or a password/],
    ["https://docs.example.org%40evil.test/", /is not a URL/],
    ["https://docs.example.org%2fevil.test/", /is not a URL/],
    ["https://docs.example.org%00.evil.test/", /is not a URL/],
    ["http://[fe80::1%25eth0]/", /is not a URL/],
    ["http://127.0.0.256/", /is not a URL/],
    ["http://0x100000000/", /is not a URL/],
    ["https://*.example.org/", /neither a name nor an address/],
    ["https://*/", /neither a name nor an address/],
    ["https://docs..example.org/", /neither a name nor an address/],
    ["https://docs.example.org../", /neither a name nor an address/],
    ["https://-docs.example.org/", /neither a name nor an address/],
    ["https://docs.example.org:0/", /a port outside 1 to 65535/],
    ["https://docs.example.org:65536/", /is not a URL/],
    [`https://docs.example.org/${"a".repeat(8192)}`, /more than 8192 characters/],
  ])("that can't be fetched is refused: %j", (written, why) => {
    expect(() => pageAddress(written)).toThrow(why);
  });

  test("never repeats a password in the words of a refusal", () => {
    expect(() => pageAddress("https://ann:hunter22@docs.example.org/")).not.toThrow(/hunter22/);
  });

  test("loses what is never sent: its fragment", () => {
    expect(pageAddress("https://docs.example.org/a?b=c#d").href).toBe("https://docs.example.org/a?b=c");
  });

  test("may be relative to the page that it stands on", () => {
    expect(pageAddress("../b", "https://docs.example.org/x/y").href).toBe("https://docs.example.org/b");
    expect(pageAddress("//other.test/b", "https://docs.example.org/").host).toBe("other.test");
  });

  test("is named with its port where that is unusual", () => {
    const hosts = ["https://a.org", "http://a.org:443", "http://a.org:81", "http://[::2]:81", "http://[::2]"];
    expect(hosts.map((one) => printHost(pageAddress(one)))).toEqual([
      ...["a.org", "a.org", "a.org:81", "[::2]:81", "[::2]"],
    ]);
  });
});

describe("a domain", () => {
  test.each([
    ["docs.example.org", "docs.example.org"],
    ["Docs.Example.ORG.", "docs.example.org"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["127.1", "127.0.0.1"],
  ])("%j is %s", (written, name) => {
    expect(domainName(written)).toBe(name);
  });

  test.each([
    ...["", " ", "a b.org", "*.example.org", "https://a.org", "a.org/b", "a.org:443", "ann@a.org", "a.org?b"],
    ...["a.org#b", "a\\b.org", "%61.org", "[::1]", "::1", "a..org", "a_b..", "-a.org"],
  ])("%j is refused: it is not one name", (written) => {
    expect(() => domainName(written)).toThrow(/is not one domain name|is not a domain name|neither a name/);
  });

  test.each([
    ...["localhost", "intranet", "a.localhost", "printer.local", "vault.internal", "a.home.arpa", "nas.lan"],
    ...["metadata.google.internal", "x.onion", "db.corp"],
  ])("%s is none of the public internet", (host) => {
    expect(whyNotPublic(host)).not.toBeNull();
  });

  test.each(["example.org", "local.example.org", "internal.example", "93.184.215.14", "notlocal.org"])(
    "%s may be one",
    (host) => {
      expect(whyNotPublic(host)).toBeNull();
    },
  );
});
