import { describe, expect, test } from "vitest";
import { grantedRows, widerLines } from "../../../src/cli/offer-text.ts";
import { findings } from "../../../src/config/check.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { rememberTrust, trustFile } from "../../../src/config/trust.ts";
import { machine, PLAIN, refusalOf } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";

function loaded(text: string, profile: string | null = null) {
  const own = "home/ann/own.yaml";
  const m = machine({ [CONFIG]: `${PLAIN}${text}`, [own]: `profile: own\n${profile ?? ""}` });
  return loadConfig(m.host, { config: m.at(CONFIG), profiles: profile === null ? [] : [m.at(own)] });
}

describe("web_fetch in a config", () => {
  test("lists hosts, and says when is asked; left out, nothing is listed and what is not is asked about", () => {
    expect(loaded("").config.webFetch).toEqual({ domains: [], approval: "unlisted" });
    const text =
      "web_fetch: { domains: [docs.example.org, '*.b.test:443', wiki.corp private], approval: never }\n";
    expect(loaded(text).config.webFetch).toEqual({
      domains: ["docs.example.org", "*.b.test:443", "wiki.corp private"],
      approval: "never",
    });
  });

  test.each<[claim: string, text: string, told: readonly string[]]>([
    [
      "what is no host",
      "web_fetch:\n  domains:\n    - docs.example.org\n    - https://docs.example.org/\n",
      [
        "HOST_INVALID",
        "7:7",
        "the host rule `https://docs.example.org/` is not `name[:port] [private | at address]`",
      ],
    ],
    [
      "no host",
      'web_fetch: { domains: ["*."] }\n',
      ["HOST_INVALID", "4:24", "the host rule `*.` is neither a host name nor an address"],
    ],
    [
      "an address in an unusual spelling",
      "web_fetch: { domains: ['0x7f.1'] }\n",
      ["HOST_INVALID", "4:24", "the host rule `0x7f.1` looks like an address in an unusual spelling"],
    ],
    [
      "a misspelt key",
      "web_fetch: { domain: [docs.example.org] }\n",
      ["CONFIG_INVALID", "4:14", "unknown key `domain` in `web_fetch`"],
    ],
    [
      "an answer that there is not",
      "web_fetch: { approval: sometimes }\n",
      ["CONFIG_INVALID", "4:24", "invalid `web_fetch.approval`: `sometimes`"],
    ],
  ])("with %s is refused at its line", (_claim, text, [code, at, message]) => {
    const refusal = refusalOf(() => loaded(text));
    expect([refusal.code, refusal.at?.split(".yaml:")[1], refusal.message]).toEqual([code, at, message]);
  });

  test.each<[claim: string, domains: string, profile: string, found: readonly string[]]>([
    ["that is reached", "[docs.example.org]", "network: true\n", []],
    ["on a machine's own network", "[docs.example.org, 10.0.0.1]", "network: host\n", []],
    [
      "without any network",
      "[docs.example.org]",
      "network: none\n",
      ["no page of `docs.example.org` can be fetched: the profile `own` does not allow it"],
    ],
    [
      "that is not among the hosts of a profile",
      "[docs.example.org, other.test]",
      "network: { hosts: ['*.example.org'] }\n",
      ["no page of `other.test` can be fetched: the profile `own` does not allow it"],
    ],
    [
      "that is never reached",
      "[docs.example.org, a.example.org]",
      "network: { hosts: ['*.example.org'], never: [a.example.org] }\n",
      ["no page of `a.example.org` can be fetched: the profile `own` does not allow it"],
    ],
    [
      "that is a private address where only public ones are reached",
      "[10.0.0.1]",
      "network: true\n",
      ["no page of `10.0.0.1` can be fetched: the profile `own` does not allow it"],
    ],
  ])("check tells of a domain %s", (_claim, domains, profile, found) => {
    const all = findings(loaded(`web_fetch: { domains: ${domains} }\n`, profile));
    expect(all.map(({ message }) => message)).toEqual(found);
    expect(all.every(({ severity, at }) => severity === "warning" && at?.line === 4)).toBe(true);
  });

  test.each<[text: string, line: string | null, rows: readonly string[]]>([
    ["", null, []],
    [
      "web_fetch: { domains: [docs.example.org, b.test] }\n",
      "pages of docs.example.org, b.test without asking, others ask",
      [
        "pages  docs.example.org: FETCHED WITHOUT APPROVAL",
        "  b.test: FETCHED WITHOUT APPROVAL",
        "  of any other host: needs approval",
      ],
    ],
    [
      "web_fetch: { domains: [docs.example.org], approval: always }\n",
      "pages of docs.example.org ask, others ask",
      ["pages  docs.example.org: needs approval", "  of any other host: needs approval"],
    ],
    [
      "web_fetch: { domains: [docs.example.org], approval: never }\n",
      "pages of docs.example.org without asking, others refused",
      ["pages  docs.example.org: FETCHED WITHOUT APPROVAL", "  of any other host: denied"],
    ],
    ["web_fetch: { approval: never }\n", "pages refused", ["pages  of any host: denied"]],
  ])("is told where a config is offered and used: %j", (text, line, rows) => {
    const { notes } = loaded(text);
    expect(notes[1]).toBe(`grants: network none; commands ask${line === null ? "" : `; ${line}`}`);
    const m = machine({ [CONFIG]: `${PLAIN}${text}` });
    const told = grantedRows(m.host, trustFile(m.host).loaded).map((row) => row.join("  "));
    const from = told.indexOf("network  none") + 1;
    expect(
      told.slice(
        from,
        told.findIndex((row) => row.startsWith("variables")),
      ),
    ).toEqual(rows);
  });

  test("that changed since it was trusted is told", () => {
    const m = machine({ [CONFIG]: `${PLAIN}web_fetch: { domains: [a.test] }\n` });
    rememberTrust(m.host, trustFile(m.host));
    m.write({ [CONFIG]: `${PLAIN}web_fetch: { domains: [a.test, b.test] }\n` });
    expect(widerLines(trustFile(m.host))).toEqual(["it changed: cofferdam.yaml", "changed: web_fetch"]);
  });
});
