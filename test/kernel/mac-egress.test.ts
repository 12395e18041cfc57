import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { connect, createServer as createPlainServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { trialScript } from "../../src/host/launch/trial-script.ts";
import type { Outcome } from "../../src/index.ts";
import { MemoryJournal } from "../../src/journal/journal.ts";
import { knownPath } from "../../src/profile/path.ts";
import { createSupervisor, type Supervisor } from "../../src/session/supervisor.ts";
import { Asked } from "../support/approval/asked.ts";
import { printed } from "../support/approval/test-session.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { noStandIn, StandIn, standInMustWork } from "../support/mac/stand-in.ts";
import { localOutside } from "../support/web/local-outside.ts";
import { portOf } from "../support/web/port-of.ts";

standInMustWork("the egress proxy on macOS");

const SANDBOX = process.getuid?.() === 0 ? { require_os_sandbox: false } : {};
let web: Server;
let strangers = 0;
const other = createPlainServer((socket) => {
  strangers += 1;
  socket.end("here");
});
beforeAll(async () => {
  web = createServer((_request, response) => void response.end("here"));
  for (const server of [web, other]) await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterAll(async () => {
  for (const server of [web, other]) await new Promise((done) => server.close(done));
});

const sh = (script: string) => ({ argv: ["sh", "-c", script] as [string, ...string[]] });
const receiptOf = (outcome: Outcome) => ("receipt" in outcome ? outcome.receipt : null);

describe.skipIf(noStandIn !== null)("a supervisor on macOS whose commands may reach hosts", () => {
  let place: Place;
  let standIn: StandIn;
  let journal: MemoryJournal;
  beforeEach(() => {
    place = new Place(CALLER);
    standIn = new StandIn();
    journal = new MemoryJournal();
    strangers = 0;
  });
  afterEach(() => {
    place[Symbol.dispose]();
    standIn[Symbol.dispose]();
  });

  const made = (network: unknown): Promise<Supervisor> =>
    createSupervisor({
      config: place.config({ sandbox: SANDBOX, shell: { network, default: { approval: false } } }),
      cwd: knownPath(place.ws),
      journal,
      host: place.host({
        platform: "darwin",
        helperFolders: [standIn.folder, knownPath("/usr/bin"), knownPath("/bin")],
        outside: localOutside({
          names: {},
          ports: Object.fromEntries(["a.test:80", "b.test:80"].map((at) => [at, portOf(web)])),
        }),
      }),
    });
  const HOSTS = { hosts: ["a.test"] };

  it("net.hosts: lets a program reach those that are listed by the variables that it has, and tells what it did", async () => {
    await using supervisor = await made(HOSTS);
    const script =
      "curl -sS http://a.test/; curl -sSp http://a.test/; curl -s -o said -w ' %{http_code}' http://b.test/; cat said; echo $HTTP_PROXY >proxy";
    const outcome = await supervisor.session({ caller: "agent" }).call("shell", sh(script));
    expect(printed(outcome)).toBe(
      "herehere 403cofferdam: not allowed: `b.test` on port 80 is not among the allowed hosts",
    );
    expect(receiptOf(outcome)).toMatchObject({
      backend: "seatbelt",
      enforcement: { network: { kind: "enforced" } },
      egress: {
        hosts: [{ host: "a.test", port: 80, connections: 2 }],
        refused: [{ host: "b.test", port: 80, because: "unlisted", times: 1 }],
        amendments: [],
      },
    });
    expect("denials" in outcome && outcome.denials).toMatchObject([
      { operation: "connect", target: "b.test:80", certainty: "certain" },
    ]);
    const types = journal.events.map(({ type }) => type).filter((type) => type.startsWith("network."));
    expect(types).toEqual(["network.refused", "network.used"]);
    const url = readFileSync(join(place.ws, "proxy"), "utf8").trim();
    const [, secret = "", port] = /^http:\/\/cofferdam:([0-9a-f]{48})@127\.0\.0\.1:(\d+)$/.exec(url) ?? [];
    expect(Number(port)).toBe(supervisor.shared.egressProxy?.port);
    expect(JSON.stringify(journal.events).includes(secret)).toBe(false);
    expect(readdirSync(join(place.state, "cofferdam/calls"))).toEqual([]);
  });

  it("net.hosts: past the proxy's port there is nothing; the twin is reached", async () => {
    await using supervisor = await made(HOSTS);
    const past = [
      `timeout 5 bash -c 'exec 3<>/dev/tcp/127.0.0.1/${portOf(other)}'`,
      `timeout 5 bash -c 'exec 3<>/dev/tcp/127.0.0.1/${portOf(web)}'`,
      "timeout 5 bash -c 'echo x >/dev/udp/127.0.0.1/53'",
      `timeout 5 bash -c 'echo x >/dev/udp/127.0.0.1/${supervisor.shared.egressProxy?.port}'`,
      "env -u http_proxy -u HTTP_PROXY -u all_proxy -u ALL_PROXY curl -fsS -m 5 -o /dev/null http://a.test/",
      "curl -fsS -m 5 --noproxy '*' -o /dev/null http://a.test/",
      `curl -fsS -m 5 -o /dev/null -x http://127.0.0.1:${supervisor.shared.egressProxy?.port} http://a.test/`,
      `curl -fsS -m 5 -o /dev/null --noproxy '' http://127.0.0.1:${portOf(other)}/`,
    ];
    const twin = "curl -fsS -o /dev/null http://a.test/";
    const outcome = await supervisor
      .session({ caller: "agent" })
      .call("shell", sh(trialScript([...past, twin])));
    expect([printed(outcome), strangers]).toEqual([`${"n\n".repeat(past.length)}y`, 0]);
  });

  it("net.hosts: each call has a secret of its own, which is nothing once it is over; one at the same time keeps its own", async () => {
    await using supervisor = await made(HOSTS);
    const session = supervisor.session({ caller: "agent" });
    await session.call("shell", sh("echo $http_proxy >theirs"));
    const code = "curl -s -o /dev/null -w '%{http_code} '";
    const script = `${code} -x $(cat theirs) http://a.test/; ${code} http://a.test/`;
    const outcomes = await Promise.all([1, 2].map(() => session.call("shell", sh(script))));
    expect(outcomes.map(printed)).toEqual(["407 200", "407 200"]);
    for (const outcome of outcomes)
      expect(receiptOf(outcome)?.egress).toMatchObject({
        hosts: [{ host: "a.test", connections: 1 }],
        refused: [],
      });
  });

  it("net.hosts: a person is asked about another host while the program waits, with none listed besides", async () => {
    await using supervisor = await made({ hosts: [], ask: "unlisted" });
    const asked = new Asked(() => ({ status: "approved", scope: "once", by: "ann" }));
    const outcome = await supervisor
      .session({ handler: asked })
      .call("shell", { argv: ["curl", "-sS", "-m", "20", "http://b.test/"] });
    expect(printed(outcome)).toBe("here");
    expect(receiptOf(outcome)?.egress?.amendments).toEqual([{ host: "b.test", port: 80, by: "ann" }]);
  });

  it("listens for as long as it is there, and only where something may be reached by it", async () => {
    const reach = (port: number): Promise<boolean> =>
      new Promise((answer) => {
        const socket = connect(port, "127.0.0.1", () => answer(socket.destroy().destroyed));
        socket.once("error", () => answer(false));
      });
    const supervisor = await made(HOSTS);
    const port = supervisor.shared.egressProxy?.port ?? 0;
    expect(await reach(port)).toBe(true);
    await supervisor[Symbol.asyncDispose]();
    expect(await reach(port)).toBe(false);
    for (const network of [false, "host"]) {
      await using without = await made(network);
      expect(without.shared.egressProxy).toBe(null);
    }
  });
});
