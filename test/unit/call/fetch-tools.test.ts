import { describe, expect, test } from "vitest";
import { createGate, type GateSettings } from "../../../src/call/create-gate.ts";
import { fetchTools } from "../../../src/call/fetch-tools.ts";
import { OUTSIDE } from "../../../src/host/look/outside.ts";
import { OPEN as ANY } from "../../../src/profile/profile.ts";
import type { NetworkLayer } from "../../../src/tool/fetch/reach.ts";
import { WebFetchSection } from "../../../src/tool/settings.ts";
import { Asked, Written } from "../../support/approval/asked.ts";
import { hostsOf, type SmallWeb, serving, smallWeb } from "../../support/web/server.ts";

const DOCS = "http://docs.example.test/";
const OTHER = "http://other.test/";
const YES = { approved: true, by: "ann" };
const NO = { approved: false, by: "ann", reason: "not that one" };

type Layers = Readonly<Record<string, NetworkLayer["profile"]["network"]>>;

interface Given {
  readonly web_fetch?: Readonly<Record<string, unknown>>;
  readonly layers?: Layers;
  readonly answer?: unknown;
  readonly gate?: GateSettings;
  readonly names?: SmallWeb["names"];
  readonly sessionGrants?: boolean;
}

/** The fetch tools behind a gate, in a small web whose every page tells which host it is of, or leads on. */
async function fetching(given: Given = {}) {
  const port = await serving((request, response) => {
    const to = decodeURIComponent(request.url?.split("?")[1] ?? "");
    if (to !== "") response.writeHead(302, { Location: to }).end();
    else response.setHeader("Content-Type", "text/plain").end(`page of ${request.headers.host}`);
  });
  const { names = {}, layers = { operator: "host" }, answer = YES, sessionGrants = true } = given;
  const web = smallWeb({ names, ports: { 80: port, 8080: port } });
  const asked = new Asked(() => answer);
  const journal = new Written();
  const gate = createGate({ handler: asked, journal, ...given.gate });
  let ids = 1;
  const tools = fetchTools({
    settings: WebFetchSection.parse({ domains: ["docs.example.test"], ...given.web_fetch }),
    ceiling: {
      layers: Object.entries(layers).map(([name, network]) => ({
        name,
        profile: { ...ANY, network },
        sources: new Map(),
      })),
      approval: { sessionGrants },
    },
    broker: gate.broker,
    sessionId: gate.sessionId,
    host: { outside: OUTSIDE, now: () => 7, id: () => `id ${ids++}` },
    means: web.means,
  });
  const guarded = gate.guard(tools);
  /** What a call came to, in short. */
  const said = async (tool: string, args: unknown): Promise<string> => {
    const outcome = await guarded.call(tool, args);
    if (outcome.kind === "done") return JSON.stringify(shortened(outcome.value));
    if (outcome.kind === "failed") return `failed: ${String(outcome.error)}`;
    return `${outcome.kind === "denied" ? outcome.code : outcome.kind}: ${outcome.reason}`;
  };
  return {
    ...web,
    gate,
    asked,
    journal,
    guarded,
    fetch: (url: string) => said("web_fetch", { url }),
    add: (domain: string) => said("web_fetch_add_domain", { domain }),
  };
}

function shortened(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("text" in value) return value.text;
  return "because" in value && "host" in value ? `${String(value.because)} ${String(value.host)}` : value;
}

const PAGE_OF_DOCS = '"page of docs.example.test"';
const PAGE_OF_OTHER = '"page of other.test"';

describe("web_fetch", () => {
  test("fetches from listed hosts without asking, and says why (S2-20)", async () => {
    const { fetch, asked, journal } = await fetching();
    expect(await fetch(DOCS)).toBe(PAGE_OF_DOCS);
    expect(asked.requests).toEqual([]);
    expect(journal.of("approval.auto")).toMatchObject([
      { approved: true, by: "`docs.example.test` is a listed host" },
    ]);
  });

  test("compares hosts after normalisation (S2-20)", async () => {
    const { fetch, asked } = await fetching();
    for (const url of [
      "HTTP://DOCS.Example.Test./",
      "http://docs%2Eexample.test",
      "http:\\\\docs.example.test\\",
    ])
      expect(await fetch(url)).toBe(PAGE_OF_DOCS);
    expect(asked.requests).toEqual([]);
    await fetch("http://docs.example.test.evil.test/");
    await fetch("http://a.docs.example.test/");
    expect(asked.requests.length).toBe(2);
  });

  test("asks for any other host, naming it, and a yes is good for that one call (S2-20)", async () => {
    const { fetch, asked, gate } = await fetching({ answer: { ...YES, scope: "session" } });
    expect(await fetch("http://OTHER.test/")).toBe(PAGE_OF_OTHER);
    expect(await fetch(OTHER)).toBe(PAGE_OF_OTHER);
    expect(asked.requests).toMatchObject(
      [1, 2].map(() => ({
        tool: "web_fetch",
        risk: "read_only",
        safeArgs: { url: OTHER },
        reason: "`other.test` is not a listed host; an approval covers only this page",
        covers: null,
      })),
    );
    expect(await gate.grants()).toEqual([]);
  });

  test("fetches nothing, and looks nothing up, before somebody says yes (S2-20)", async () => {
    const { fetch, lookedUp, dialled } = await fetching({ answer: NO });
    expect(await fetch("http://secret-of-ann.other.test/")).toBe(
      "APPROVAL_DENIED: rejected by ann: not that one",
    );
    expect([lookedUp, dialled]).toEqual([[], []]);
    const twin = await fetching();
    await twin.fetch(OTHER);
    expect(twin.lookedUp).toEqual(["other.test"]);
  });

  test("follows a redirect to a listed host, and to the one that was shown; any other it names (S2-20)", async () => {
    const { fetch, guarded, asked } = await fetching();
    const via = (to: string, from = DOCS): string => `${from}?${encodeURIComponent(to)}`;
    expect(await fetch(via(DOCS))).toBe(PAGE_OF_DOCS);
    expect(await fetch(via(via(OTHER, DOCS), OTHER))).toBe(PAGE_OF_OTHER);
    expect(asked.requests.length).toBe(1);
    expect(await guarded.call("web_fetch", { url: via("http://third.test/x", OTHER) })).toEqual({
      kind: "done",
      value: {
        kind: "stopped",
        url: "http://third.test/x",
        host: "third.test",
        because: "unlisted",
        reason: "`third.test` on port 80 is not among the allowed hosts",
        hint: "call web_fetch with this URL to ask for it, or web_fetch_add_domain for its host",
        content_type: null,
        size: null,
        redirects: [{ status: 302, url: "http://third.test/x" }],
      },
    });
    // A yes to the one host was none to the other, which a listed one leads to.
    expect(await fetch(via(OTHER))).toBe('"unlisted other.test"');
    expect(asked.requests.length).toBe(2);
  });

  test("goes on another port than those of pages only where it was shown", async () => {
    const { fetch, asked } = await fetching({ web_fetch: { domains: ["docs.example.test:80"] } });
    expect(await fetch("http://docs.example.test:8080/")).toBe('"page of docs.example.test:8080"');
    expect(asked.requests[0]?.reason).toContain("`docs.example.test:8080` is not a listed host");
    const to = encodeURIComponent("http://other.test:8080/");
    expect(await fetch(`${OTHER}?${to}`)).toBe('"unlisted other.test"');
  });

  test.each<[approval: string, listed: readonly [string, number], other: readonly [string, number]]>([
    ["unlisted", [PAGE_OF_DOCS, 0], [PAGE_OF_OTHER, 1]],
    ["always", [PAGE_OF_DOCS, 1], [PAGE_OF_OTHER, 1]],
    ["never", [PAGE_OF_DOCS, 0], ["APPROVAL_BLOCKED: `other.test` is not a listed host", 0]],
  ])("asks as `approval: %s` says", async (approval, listed, other) => {
    for (const [url, [answer, count]] of [
      [DOCS, listed],
      [OTHER, other],
    ] as const) {
      const { fetch, asked } = await fetching({ web_fetch: { approval } });
      expect(await fetch(url)).toBe(answer);
      expect(asked.requests.length).toBe(count);
    }
  });

  test.each<[claim: string, url: string, why: RegExp]>([
    ["this machine", "http://127.0.0.1/", /`127\.0\.0\.1` must be listed/],
    ["this machine, spelt oddly", "http://0x7f000001/", /`127\.0\.0\.1`/],
    ["this machine, mapped", "http://[::ffff:7f00:1]/", /`127\.0\.0\.1`/],
    [
      "the cloud's metadata",
      "http://169.254.169.254/latest/meta-data/",
      /not an address of the public internet/,
    ],
    ["a private address", "http://10.0.0.1/", /not an address of the public internet/],
    ["a name of one word", "http://intranet/", /one word/],
    ["this machine by name", "http://localhost/", /one word/],
    ["a local name", "http://printer.local/", /`\.local`/],
  ])("blocks %s before anybody is asked, whatever they would say", async (_claim, url, why) => {
    const { fetch, asked, lookedUp } = await fetching();
    expect(await fetch(url)).toMatch(why);
    expect([asked.requests, lookedUp]).toEqual([[], []]);
  });

  test("asks about a public address as about a name, and names it", async () => {
    const { fetch, asked } = await fetching();
    expect(await fetch("http://1572394766/")).toBe('"page of 93.184.215.14"');
    expect(asked.requests[0]?.reason).toContain("`93.184.215.14` is not a listed host");
  });

  test("refuses a private address behind a public name after the yes, unless the config's entry says private", async () => {
    const names = { "other.test": [["10.0.0.1"]], "docs.example.test": [["10.0.0.2"]] };
    const { fetch } = await fetching({ names });
    expect(await fetch(OTHER)).toBe('"private other.test"');
    expect(await fetch(DOCS)).toBe('"private docs.example.test"');
    const listed = { web_fetch: { domains: ["docs.example.test private"] }, names };
    expect(await (await fetching(listed)).fetch(DOCS)).toBe(PAGE_OF_DOCS);
    const cut = await fetching({ ...listed, layers: { operator: "open" } });
    expect(await cut.fetch(DOCS)).toBe('"private docs.example.test"');
  });

  test("reaches a literal address that the config lists, as far as the ceiling agrees", async () => {
    const given = { web_fetch: { domains: ["10.0.0.9"] } };
    expect(await (await fetching(given)).fetch("http://10.0.0.9/")).toBe('"page of 10.0.0.9"');
    const cut = await fetching({ ...given, layers: { machine: "host", team: "open" } });
    expect(await cut.fetch("http://10.0.0.9/")).toBe(
      "APPROVAL_BLOCKED: the profile `team` does not allow `10.0.0.9`",
    );
  });

  test.each<[claim: string, layers: Layers, docs: RegExp, other: RegExp]>([
    ["the machine's own network", { a: "host" }, /page of docs/, /page of other/],
    ["every public address", { a: "open" }, /page of docs/, /page of other/],
    ["no network", { a: "host", b: "none" }, /`b` allows no network/, /`b` allows no network/],
    [
      "listed hosts",
      { a: hostsOf("other.test") },
      /`a` does not allow `docs\.example\.test`/,
      /page of other/,
    ],
    [
      "all but some",
      {
        a: {
          hosts: [{ name: "*.test", port: null, private: false }],
          never: [{ name: "other.test", port: null, private: false }],
        },
      },
      /page of docs/,
      /`a` does not allow `other\.test`/,
    ],
  ])(
    "stays below a ceiling of %s, and asks nobody about what is above it",
    async (_claim, layers, docs, other) => {
      const { fetch, asked } = await fetching({ layers });
      expect(await fetch(DOCS)).toMatch(docs);
      const answer = await fetch(OTHER);
      expect(answer).toMatch(other);
      expect(asked.requests.length).toBe(answer.startsWith("APPROVAL_BLOCKED") ? 0 : 1);
    },
  );

  test("takes no user and password, no other scheme, and no more than it may", async () => {
    const { guarded, asked } = await fetching();
    for (const args of [
      { url: "http://ann:hunter22@docs.example.test/" },
      { url: "ftp://docs.example.test/" },
      { url: DOCS, max_bytes: 6 * 1024 * 1024 },
      { url: DOCS, headers: { cookie: "a" } },
    ]) {
      const outcome = await guarded.call("web_fetch", args);
      expect(outcome).toMatchObject({ kind: "failed", error: { code: "USAGE" } });
      expect(JSON.stringify(outcome)).not.toContain("hunter22");
    }
    expect(asked.requests).toEqual([]);
    const cut = await guarded.call("web_fetch", { url: DOCS, max_bytes: 4 });
    expect(cut).toMatchObject({ kind: "done", value: { text: "page", bytes: 4, is_cut: true } });
  });

  test("is denied by strict mode and allowed by approve-all, like any question (S1-12)", async () => {
    const strict = await fetching({ gate: { approval: { mode: "strict" } } });
    expect(await strict.fetch(OTHER)).toMatch(/strict mode: approval required/);
    expect(await strict.fetch(DOCS)).toBe(PAGE_OF_DOCS);
    const all = await fetching({ gate: { approval: { mode: "approve_all" } } });
    expect(await all.fetch(OTHER)).toBe(PAGE_OF_OTHER);
    expect(await all.fetch("http://10.0.0.1/")).toMatch(/^APPROVAL_BLOCKED/);
  });
});

describe("web_fetch_add_domain", () => {
  test("always asks, in words that tell what the yes covers and how long (S2-19)", async () => {
    const { add, asked } = await fetching();
    expect(await add("Other.TEST.")).toBe('{"domain":"other.test","ports":[443,80],"is_new":true}');
    expect(await add("other.test")).toBe('{"domain":"other.test","ports":[443,80],"is_new":false}');
    expect(await add("docs.example.test")).toContain('"is_new":false');
    expect(asked.requests.length).toBe(3);
    expect(asked.requests[0]).toMatchObject({
      tool: "web_fetch_add_domain",
      description: "allow fetching pages of other.test without asking",
      reason:
        "every page of other.test on ports 443 and 80, without subdomains, until this session ends or the grant is revoked",
      safeArgs: { domain: "other.test" },
      covers: null,
    });
  });

  test("adds a grant to the host: listed, used without asking, taken back, and then asked about (S2-19, S1-42)", async () => {
    const { add, fetch, asked, gate, journal } = await fetching({ answer: { ...YES, scope: "session" } });
    await add("other.test");
    const grant = {
      kind: "host",
      grantId: "id 1",
      sessionId: gate.sessionId,
      tool: "web_fetch_add_domain",
      host: "other.test",
      ports: [443, 80],
      covers: "every page of other.test on ports 443 and 80, without subdomains",
      by: "ann",
      grantedAt: 7,
    };
    expect(await gate.grants()).toEqual([grant]);
    expect(journal.of("grant.saved")).toMatchObject([
      { grantId: "id 1", host: "other.test", cacheKey: null, by: "ann" },
    ]);
    expect(await fetch(OTHER)).toBe(PAGE_OF_OTHER);
    expect(await fetch(`${DOCS}?${encodeURIComponent(OTHER)}`)).toBe(PAGE_OF_OTHER);
    expect(asked.requests.length).toBe(1);
    await fetch("http://a.other.test/");
    await fetch("http://other.test:8080/");
    expect(asked.requests.length).toBe(3);
    expect(await gate.revoke("id 1")).toBe(true);
    expect(await gate.grants()).toEqual([]);
    await fetch(OTHER);
    expect(asked.requests.length).toBe(4);
    // What was taken back is not given again by an answer of before.
    await add("other.test");
    expect(asked.requests.length).toBe(5);
  });

  test("ends with the session (S2-19)", async () => {
    const { add, fetch, asked, gate, journal } = await fetching();
    await add("other.test");
    await gate.broker.endSession(gate.sessionId);
    expect(await gate.grants()).toEqual([]);
    expect(journal.types.at(-1)).toBe("grant.revoked");
    // Nobody is asked again for a session that has ended.
    expect(await fetch(OTHER)).not.toBe(PAGE_OF_OTHER);
    expect(asked.requests.length).toBe(1);
  });

  test("adds nothing after a no (S2-19)", async () => {
    const { add, gate } = await fetching({ answer: NO });
    expect(await add("other.test")).toBe("APPROVAL_DENIED: rejected by ann: not that one");
    expect(await gate.grants()).toEqual([]);
  });

  test("adds what a person wrote in its place, judged again (S2-19)", async () => {
    const edited = (domain: string) => ({
      status: "approved",
      scope: "once",
      by: "ann",
      editedInput: { domain },
    });
    const { add, gate } = await fetching({ answer: edited("third.test") });
    await add("other.test");
    expect(await gate.grants()).toMatchObject([{ host: "third.test" }]);
    const bad = await fetching({ answer: edited("localhost") });
    expect(await bad.add("other.test")).toMatch(/^APPROVAL_BLOCKED/);
    expect(await bad.gate.grants()).toEqual([]);
  });

  test.each<[claim: string, domain: string, why: RegExp]>([
    ["an address", "93.184.215.14", /`93\.184\.215\.14` is an address/],
    ["an address, spelt oddly", "0x7f.1", /`127\.0\.0\.1` is an address/],
    ["this machine", "localhost", /one word/],
    ["a name of one word", "intranet", /one word/],
    ["a local name", "printer.local", /`\.local`/],
    ["a cloud's own name", "metadata.google.internal", /`\.internal`/],
    ["all names below one", "*.example.org", /is not one domain name/],
    ["a URL", "https://example.org/", /is not one domain name/],
    ["a name with a port", "example.org:8080", /is not one domain name/],
  ])("refuses %s before anybody is asked", async (_claim, domain, why) => {
    const { add, asked, gate } = await fetching();
    expect(await add(domain)).toMatch(why);
    expect([asked.requests, await gate.grants()]).toEqual([[], []]);
  });

  test.each<[claim: string, given: Given, why: RegExp]>([
    ["the ceiling has no network", { layers: { a: "none" } }, /`a` allows no network/],
    ["the ceiling lists other hosts", { layers: { a: hostsOf("docs.example.test") } }, /`a` does not allow/],
    ["operators let nothing be granted", { sessionGrants: false }, /no grants for a session/],
    [
      "the config lets nobody be asked",
      { web_fetch: { approval: "never" } },
      /only pages of its listed hosts/,
    ],
    ["every page is asked about", { web_fetch: { approval: "always" } }, /approval for every page/],
  ])("refuses any domain, and asks nobody, where %s", async (_claim, given, why) => {
    const { add, asked } = await fetching(given);
    expect(await add("other.test")).toMatch(why);
    expect(asked.requests).toEqual([]);
    const twin = await fetching({ layers: { a: hostsOf("*.test") } });
    expect(await twin.add("other.test")).toContain('"is_new":true');
  });

  test("names what is not ASCII as it is looked up, so that no letter looks like another", async () => {
    const { add, asked } = await fetching({ layers: { a: "open" } });
    await add("dоcs.example.org");
    expect(asked.requests[0]?.description).toBe(
      "allow fetching pages of xn--dcs-sed.example.org without asking",
    );
  });

  test("reaches public addresses alone of what it added (S2-19)", async () => {
    const { add, fetch } = await fetching({ names: { "other.test": [["10.0.0.1"]] } });
    await add("other.test");
    expect(await fetch(OTHER)).toBe('"private other.test"');
  });

  test("never reaches further than the ceiling, whatever was granted before (S2-19)", async () => {
    const { add, fetch, gate } = await fetching({ layers: { a: "open" } });
    await add("other.test");
    const [grant] = await gate.grants();
    if (grant === undefined) throw new Error("nothing was granted");
    const cut = await fetching({ layers: { a: hostsOf("docs.example.test") } });
    await cut.gate.broker.saveGrant({ ...grant, sessionId: cut.gate.sessionId });
    expect(await fetch(OTHER)).toBe(PAGE_OF_OTHER);
    expect(await cut.fetch(OTHER)).toBe("APPROVAL_BLOCKED: the profile `a` does not allow `other.test`");
    expect(await cut.fetch(`${DOCS}?${encodeURIComponent(OTHER)}`)).toBe('"unlisted other.test"');
  });
});
