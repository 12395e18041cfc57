import { describe, expect, it } from "vitest";
import { testSession } from "../support/approval/test-session.ts";
import { itNeeds, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { localOutside } from "../support/web/local-outside.ts";
import { Web } from "../support/web/whole-web.ts";

// Many more clients, and what each says, are tried each night: `scripts/compatibility`.
sandboxMustWork("programs that reach hosts");

/** A program, a line that asks it for the page `$1`, and the variables by which it finds the proxy. */
const CLIENTS: readonly (readonly [program: string, line: string, obeys: readonly string[]])[] = [
  ["/usr/bin/curl", 'curl -fsS "$1"', ["http_proxy", "all_proxy", "ALL_PROXY"]],
  ["/usr/bin/wget", 'wget -nv -O - "$1"', ["http_proxy"]],
  [
    "/usr/bin/python3",
    'python3 -c \'import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).read().decode(), end="")\' "$1"',
    ["http_proxy", "HTTP_PROXY"],
  ],
  [
    process.execPath,
    'node -e "fetch(process.argv[1]).then(async (page) => { if (!page.ok) throw page.status; process.stdout.write(await page.text()); })" "$1"',
    ["NODE_USE_ENV_PROXY", "http_proxy", "HTTP_PROXY"],
  ],
];

describe.skipIf(unusable !== null)("through the egress proxy", () => {
  for (const [program, line, obeys] of CLIENTS)
    itNeeds(
      [program],
      `net.hosts: ${program.split("/").at(-1)} reaches the listed host alone, and nothing without the variables that it obeys`,
      async () => {
        await using web = await Web.start({});
        const [listed, other] = ["listed.test", "other.test"];
        await using at = await testSession(() => undefined, {
          settings: {
            sandbox: { runtimes: ["system", "node", "python"] },
            shell: { network: { hosts: [`${listed}:80`] }, default: { approval: false } },
          },
          outside: localOutside({
            names: {},
            ports: { [`${listed}:80`]: web.ports.http, [`${other}:80`]: web.ports.http },
          }),
        });
        const asks = async (url: string, without: readonly string[] = []) => {
          const before = web.seen.length;
          const script = [...without.map((name) => `unset ${name}`), line].join("; ");
          const outcome = await at.session.call("shell", { argv: ["bash", "-c", script, "asks", url] });
          if (!("stdout" in outcome)) throw new Error(JSON.stringify(outcome));
          return {
            kind: outcome.kind,
            denied: (outcome.denials ?? [])
              .filter(({ certainty }) => certainty === "certain")
              .map(({ target }) => target),
            seen: web.seen.slice(before),
          };
        };
        expect(await asks(`http://${listed}/here`)).toEqual({
          kind: "done",
          denied: [],
          seen: [`GET ${listed}/here`],
        });
        expect(await asks(`http://${other}/here`)).toEqual({
          kind: "failed",
          denied: [`${other}:80`],
          seen: [],
        });
        const nothing = { kind: "failed", denied: [], seen: [] };
        expect(await asks(`http://${listed}/here`, obeys)).toEqual(nothing);
        // The web answers at this very address outside.
        expect(await asks(`http://127.0.0.1:${web.ports.http}/here`, obeys)).toEqual(nothing);
      },
    );

  it("net.hosts: an IPv6 address that is listed is reached by every way of the proxy, and another is refused", async () => {
    await using web = await Web.start({});
    const [listed, other] = ["[2606:4700:4700::1111]", "[2606:4700:4700::1001]"];
    await using at = await testSession(() => undefined, {
      settings: { shell: { network: { hosts: [`${listed}:80`] }, default: { approval: false } } },
      outside: localOutside({ names: {}, ports: { "2606:4700:4700::1111:80": web.ports.http } }),
    });
    const ways = ["", "-p", '-x "${http_proxy/#http:/socks5h:}"'];
    const script = [
      ...ways.map((way) => `curl -gfsS ${way} http://${listed}/here`),
      ...ways.map((way) => `curl -gfsS ${way} http://${other}/here 2>/dev/null || echo no`),
    ].join("; ");
    const outcome = await at.session.call("shell", { argv: ["bash", "-c", script] });
    expect("stdout" in outcome && outcome.stdout.bytes.toString()).toBe(
      "here\n".repeat(3) + "no\n".repeat(3),
    );
    expect(outcome).toMatchObject({
      denials: [{ operation: "connect", target: `${other}:80` }],
    });
  });

  it("a page of the proxy's is no success unseen: where the client ends well all the same, the outcome has the denial", async () => {
    await using at = await testSession(() => undefined, {
      settings: { shell: { network: { hosts: ["a.test"] }, default: { approval: false } } },
    });
    const outcome = await at.session.call("shell", { argv: ["curl", "-sS", "http://b.test/"] });
    expect(outcome).toMatchObject({
      kind: "done",
      denials: [{ operation: "connect", target: "b.test:80" }],
    });
    expect("stdout" in outcome && outcome.stdout.bytes.toString()).toBe(
      "cofferdam: not allowed: `b.test` on port 80 is not among the allowed hosts\n",
    );
  });
});
