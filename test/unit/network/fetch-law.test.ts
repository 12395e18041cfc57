import fc from "fast-check";
import { expect, test } from "vitest";
import { fetchPage } from "../../../src/network/fetch.ts";
import { addressClass, canonicalAddress, listAllows, parseHostRule } from "../../../src/profile/host-rule.ts";
import { type Network, normalNetwork, reaches } from "../../../src/profile/network.ts";
import { pageAddress } from "../../../src/tool/fetch/address.ts";
import {
  isListed,
  pageNetwork,
  rulesForOnce,
  whyAboveCeiling,
  whyNeverUnlisted,
} from "../../../src/tool/fetch/reach.ts";
import { serving, smallWeb } from "../../support/web/server.ts";

const NAMES = ["a.org", "b.a.org", "c.b.a.org", "x.test", "inside.test"];
const ADDRESSES = ["93.184.215.14", "8.8.8.8", "10.0.0.1", "fd00::1", "127.0.0.1", "169.254.169.254", "::1"];
const name = fc.constantFrom(...NAMES);
const address = fc.oneof(fc.constantFrom("93.184.215.14", "8.8.8.8"), fc.constantFrom(...ADDRESSES));
const rule = fc
  .tuple(
    fc.oneof(
      name,
      name.map((one) => `*.${one}`),
      address,
    ),
    fc.constantFrom(null, null, 80, 8080),
    fc.boolean(),
  )
  .map(([written, port, isPrivate]) => ({ ...parseHostRule(written), port, private: isPrivate }));
const hosts = fc.array(rule, { minLength: 3, maxLength: 8 });
const network: fc.Arbitrary<Network> = fc.oneof(
  fc.constantFrom<Network>("host", "host", "host", "open", "open", "none"),
  fc.record({ hosts, never: fc.array(rule, { maxLength: 1 }) }).map(normalNetwork),
);
const layers = fc.array(
  network.map((one) => ({ name: "layer", profile: { network: one } })),
  { maxLength: 2 },
);
const place = fc
  .tuple(fc.oneof(name, address), fc.constantFrom("", "", ":8080"))
  .map(([host, port]) => `http://${host.includes(":") ? `[${host}]` : host}${port}/`);
const found = fc.record(
  Object.fromEntries(
    NAMES.map((one) => [
      one,
      fc.array(fc.array(address, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
    ]),
  ),
);

test("every hop connects only to what the list and every layer of the ceiling reach, and to it wherever they do", async () => {
  const port = await serving((request, response) => {
    const [next, ...rest] = decodeURIComponent(request.url?.slice(2) ?? "").split(" ");
    if (next === undefined || next === "") response.setHeader("Content-Type", "text/plain").end("here");
    else response.writeHead(302, { Location: `${next}?${encodeURIComponent(rest.join(" "))}` }).end();
  });
  const ports = Object.fromEntries(
    [...NAMES, ...ADDRESSES].flatMap((host) => [`${host}:80`, `${host}:8080`].map((one) => [one, port])),
  );
  let connected = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      hosts,
      layers,
      fc.array(place, { minLength: 1, maxLength: 4 }),
      found,
      async (listed, ceiling, way, names) => {
        const { means, dialled } = smallWeb({ names, ports });
        const [first = "", ...rest] = way;
        const effective = pageNetwork(listed, ceiling);
        const start = pageAddress(`${first}?${encodeURIComponent(rest.join(" "))}`);
        const answer = await fetchPage(
          { address: start, network: effective, method: "GET", maxBytes: 100, signal: null },
          means,
        );
        for (const target of dialled.flat()) {
          expect(reaches(effective, target)).toBe(true);
          expect(listAllows(listed, target)).toBe(true);
          expect(ceiling.every(({ profile }) => reaches(profile.network, target))).toBe(true);
          expect(isListed(listed, target)).toBe(true);
          expect(whyAboveCeiling(target, ceiling)).toBeNull();
        }
        connected += dialled.length;
        if (answer.kind === "page") {
          expect(dialled.length).toBe(way.length);
          return;
        }
        refused += 1;
        // It stopped at the first place that was not reached, and that one is not among those connected to.
        expect(dialled.length).toBe(answer.redirects.length);
        expect(answer.url.startsWith(pageAddress(way[dialled.length] ?? "").href)).toBe(true);
      },
    ),
    { numRuns: 1_500 },
  );
  // The law is about both.
  expect(connected).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(100);
});

test("a yes to one page adds its host alone, on its ports alone, and no address that is not public", () => {
  fc.assert(
    fc.property(
      place,
      layers,
      fc.oneof(name, address),
      address,
      fc.constantFrom(80, 443, 8080),
      (url, ceiling, host, to, port) => {
        const shown = pageAddress(url);
        const target = { host: canonical(host), address: canonicalAddress(to), port };
        const isReached = reaches(pageNetwork(rulesForOnce(shown), ceiling), target);
        const isItsPort = port === shown.port || (port !== 8080 && shown.port !== 8080);
        if (!isReached) return;
        expect([target.host, isItsPort]).toEqual([shown.host, true]);
        // Of an address that is not public nobody is asked.
        if (whyNeverUnlisted(shown) === null) expect(addressClass(target.address)).toBe("public");
      },
    ),
    { numRuns: 2_000 },
  );
});

function canonical(host: string): string {
  return parseHostRule(host).name;
}
