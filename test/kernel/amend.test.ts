import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApprovalRequest, Outcome } from "../../src/index.ts";
import { Asked } from "../support/approval/asked.ts";
import { type Given, printed, testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { localOutside } from "../support/web/local-outside.ts";
import { portOf } from "../support/web/port-of.ts";

sandboxMustWork("questions about hosts");

let server: Server;
let port = 0;
beforeAll(async () => {
  server = createServer((_request, response) => void response.end("here"));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  port = portOf(server);
});
afterAll(() => new Promise((done) => server.close(done)));

const ASKS = { hosts: ["a.test"], never: ["never.test"], ask: "unlisted" };

/** A session whose commands need no yes, and may ask about hosts. */
function standing({
  network = ASKS,
  ...given
}: Omit<Given, "settings" | "outside"> & { readonly network?: unknown }) {
  const names = { "ten.test": ["10.0.0.1"] };
  const ports = Object.fromEntries(["a", "b", "c", "never", "ten"].map((name) => [`${name}.test:80`, port]));
  return testSession(() => undefined, {
    ...given,
    settings: { shell: { network, default: { approval: false } } },
    outside: localOutside({ names, ports }),
  });
}

const CURL = (...urls: readonly string[]) => ({ argv: ["curl", "-sS", "-m", "20", ...urls] });
const yes = (scope: "once" | "session" = "once") =>
  new Asked(() => ({ status: "approved", scope, by: "ann" }));
const no = () => new Asked(() => ({ status: "rejected", by: "ann", note: "not that one" }));

function egressOf(outcome: Outcome) {
  return "receipt" in outcome ? (outcome.receipt?.egress ?? null) : null;
}

describe.skipIf(unusable !== null)("a host that is not listed", () => {
  it("net.hosts: is asked about while the program waits, once, and reached after a yes, for this call", async () => {
    await using at = await standing({ handler: yes() });
    const outcome = await at.session.call(
      "shell",
      CURL("http://b.test/1", "http://a.test/2", "http://B.test./3"),
    );
    expect(printed(outcome)).toBe("hereherehere");
    expect(at.asked.requests.map(shown)).toEqual([
      {
        tool: "network",
        description: "let curl connect to b.test:80",
        reason: "b.test:80 is not listed under `shell.network`",
        safeArgs: {
          host: "b.test",
          port: 80,
          call: CURL("http://b.test/1", "http://a.test/2", "http://B.test./3").argv,
        },
        covers: "connections of commands to b.test:80, at its public addresses",
        network: "a.test, never never.test, and b.test:80",
      },
    ]);
    expect(egressOf(outcome)).toMatchObject({
      amendments: [{ host: "b.test", port: 80, by: "ann" }],
      hosts: [
        { host: "b.test", port: 80, connections: 2 },
        { host: "a.test", port: 80, connections: 1 },
      ],
      refused: [],
    });
    expect(at.journal.of("network.amended")).toMatchObject([{ host: "b.test", port: 80, by: "ann" }]);
    expect(at.journal.of("network.used")).toMatchObject([
      { hosts: [{ host: "b.test" }, { host: "a.test" }], refusals: 0 },
    ]);
    await at.session.call("shell", CURL("http://b.test/"));
    expect(at.asked.tools).toEqual(["network", "network"]);
  });

  it("net.hosts: is remembered for the session as what was shown, until it is taken back", async () => {
    await using at = await standing({ handler: yes("session") });
    const get = async () => printed(await at.session.call("shell", CURL("http://b.test/")));
    expect([await get(), await get()]).toEqual(["here", "here"]);
    expect(at.asked.tools).toEqual(["network"]);
    const [grant] = await at.session.grants();
    expect(grant).toMatchObject({
      kind: "call",
      tool: "network",
      by: "ann",
      covers: "connections of commands to b.test:80, at its public addresses",
    });
    expect(await at.session.revoke(grant?.grantId ?? "")).toBe(true);
    expect([await get(), at.asked.tools.length]).toEqual(["here", 2]);
  });

  it("net.hosts: is not reached after a no, and the outcome says which, by whom and what would help", async () => {
    await using at = await standing({ handler: no() });
    const outcome = await at.session.call("shell", CURL("-f", "http://b.test/"));
    expect(outcome).toMatchObject({
      kind: "failed",
      denials: [
        {
          operation: "connect",
          target: "b.test:80",
          certainty: "certain",
          because: "`b.test:80` is not listed: rejected by ann: not that one",
          remedy: "list the host under `shell.network` in the config, or have a person approve it",
        },
      ],
    });
    expect(at.journal.of("network.refused")).toMatchObject([
      { host: "b.test", port: 80, because: "answered-no" },
    ]);
    expect(egressOf(outcome)).toMatchObject({ amendments: [], hosts: [] });
  });

  it("net.hosts: nobody is asked above the ceiling, about what is never reached, and about what only a list can give", async () => {
    await using at = await standing({
      handler: yes(),
      profile: { network: { hosts: ["*"], never: ["c.test"] } },
    });
    const outcome = await at.session.call(
      "shell",
      CURL(
        "http://c.test/",
        "http://never.test/",
        "http://intranet/",
        "http://10.0.0.1/",
        "http://127.0.0.2/",
        "http://x.internal/",
      ),
    );
    expect([at.asked.tools, (egressOf(outcome)?.refused ?? []).map(({ host }) => host)]).toEqual([
      [],
      ["c.test", "never.test", "intranet", "10.0.0.1", "127.0.0.2", "x.internal"],
    ]);
    // A name may lead anywhere: that it does is seen after the yes.
    expect(egressOf(await at.session.call("shell", CURL("http://ten.test/")))).toMatchObject({
      refused: [{ host: "ten.test", because: "private" }],
      hosts: [],
    });
    await using offline = await standing({ handler: yes(), profile: { network: "none" } });
    const denied = await offline.session.call("shell", {
      argv: ["sh", "-c", "echo $http_proxy; curl -sS -m 5 http://a.test/"],
    });
    expect([printed(denied), offline.asked.tools, egressOf(denied)]).toEqual(["", [], null]);
  });

  it("net.hosts: strict mode refuses at once, approve-all lets it pass and tells so, an operator's rule decides first", async () => {
    await using strict = await standing({ handler: yes(), options: { mode: "strict" }, network: ASKS });
    const refused = await strict.session.call("shell", CURL("http://b.test/"));
    expect([printed(refused), strict.asked.tools]).toEqual([expect.stringContaining("not allowed"), []]);
    await using open = await standing({ handler: yes(), options: { mode: "approve_all" } });
    const passed = await open.session.call("shell", CURL("http://b.test/"));
    expect([printed(passed), open.asked.tools, egressOf(passed)?.amendments]).toEqual([
      "here",
      [],
      [{ host: "b.test", port: 80, by: "approve-all mode" }],
    ]);
    await using ruled = await standing({
      handler: yes(),
      profile: {
        approval: { rules: [{ pattern: "network", args: { host: "b.*" }, action: "deny", reason: "not b" }] },
      },
    });
    const blocked = await ruled.session.call("shell", CURL("http://b.test/", "http://c.test/"));
    expect(printed(blocked)).toContain("not b");
    expect([ruled.asked.requests.map(({ safeArgs }) => safeArgs), printed(blocked).endsWith("here")]).toEqual(
      [[expect.objectContaining({ host: "c.test" })], true],
    );
  });

  it("net.hosts: with no host listed at all every one is asked about; without `ask` none is", async () => {
    await using at = await standing({ handler: yes(), network: { ask: "unlisted" } });
    expect(printed(await at.session.call("shell", CURL("http://b.test/")))).toBe("here");
    await using plain = await standing({ handler: yes(), network: { hosts: ["a.test"] } });
    const refused = await plain.session.call("shell", CURL("http://b.test/"));
    expect([printed(refused), plain.asked.tools]).toEqual([expect.stringContaining("not allowed"), []]);
  });

  it("net.hosts: nobody answers, and the connection waits no longer than the question, nor the question than the call", async () => {
    const asked = new Asked(() => new Promise(() => undefined));
    await using at = await standing({ handler: asked, session: { wait: { timeoutMs: 300 } } });
    const outcome = await at.session.call("shell", CURL("-f", "http://b.test/"));
    expect(outcome).toMatchObject({
      kind: "failed",
      denials: [
        { target: "b.test:80", because: "`b.test:80` is not listed: the request was not answered in time" },
      ],
    });
    await using brief = await standing({ handler: asked });
    const ended = await brief.session.call("shell", CURL("http://b.test/"), { timeoutMs: 500 });
    expect(ended.kind).toBe("timed-out");
    expect(await brief.supervisor.broker.pending()).toEqual([]);
  });
});

function shown({ tool, description, reason, safeArgs, covers, granted }: ApprovalRequest) {
  return { tool, description, reason, safeArgs, covers, network: granted?.network };
}
