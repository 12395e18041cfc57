import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OWN_LOOPBACK_PORT } from "../../src/backend/proxy-way.ts";
import { Reply } from "../support/battery/job.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place, type Start } from "../support/battery/place.ts";
import {
  connectorsOf,
  isThere,
  LOOPBACK,
  listeningOn,
  say,
  serverInside,
  untilUp,
} from "../support/battery/port-servers.ts";
import { freePort } from "../support/web/free-port.ts";

sandboxMustWork("ports that lead in");

/** A server of this machine's own, which counts who comes. */
async function serverHere(port = 0): Promise<Server & { visits: number }> {
  const server = Object.assign(
    createServer((socket) => {
      server.visits += 1;
      socket.end("here");
    }).listen(port, "127.0.0.1"),
    { visits: 0 },
  );
  await once(server, "listening");
  return server;
}

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  let place: Place;
  let port: number;
  beforeEach(async () => {
    place = new Place(person);
    port = await freePort();
  });
  afterEach(() => place[Symbol.dispose]());

  /** A supervisor under way, and its replies once it has ended; `seen` is what is done while the server of a call is up. */
  async function during(start: Start, seen: (pid: number) => Promise<void>): Promise<readonly Reply[]> {
    const child = place.start(start);
    let [out, err] = ["", ""];
    child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
    const closed = once(child, "close");
    try {
      const isOver = await Promise.race([untilUp(place.ws, port).then(() => false), closed.then(() => true)]);
      if (isOver) throw new Error(`no server came up: ${out}${err}`);
      await seen(child.pid ?? 0);
    } catch (cause) {
      child.kill("SIGTERM");
      throw cause;
    }
    await closed;
    return out
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => Reply.parse(JSON.parse(line)));
  }

  const serving = (more: object = {}, host: Parameters<typeof serverInside>[1] = "127.0.0.1"): Start => ({
    settings: { shell: { ports: [port] } },
    job: { calls: [{ argv: serverInside(port, host), ports: [port], ...more }] },
  });

  it("net.ports: a server inside is reached on both addresses of loopback while its call runs, and its receipt says so", async () => {
    const large = "x".repeat(3_000_000);
    const replies = await during(serving(), async () => {
      expect(await say(port, "one")).toBe("inside one");
      expect(await say(port, "two", "::1")).toBe("inside two");
      expect(await say(port, large)).toBe(`inside ${large}`);
      const many = Array.from({ length: 40 }, (_, at) =>
        say(port, `${at}`, at % 2 === 0 ? "::1" : "127.0.0.1"),
      );
      expect(await Promise.all(many)).toEqual(many.map((_, at) => `inside ${at}`));
      expect(await say(port, "end")).toBe("inside end");
    });
    expect(replies).toMatchObject([{ kind: "ran", code: 0, ports: [port] }]);
    expect(await say(port, "after")).toBe("ECONNREFUSED");
  });

  it("net.ports: a call that asks for no port has none open", async () => {
    const argv = serverInside(port);
    const start = {
      settings: { shell: { ports: [port] } },
      job: { calls: [{ argv: ["timeout", "3", ...argv] }] },
    };
    const replies = await during(start, async () => {
      expect(await say(port, "one")).toBe("ECONNREFUSED");
      expect(await say(port, "one", "::1")).toBe("ECONNREFUSED");
    });
    expect(replies).toMatchObject([{ kind: "ran", code: 124 }]);
    expect(replies[0]).not.toHaveProperty("ports");
  });

  it("net.ports: nobody listens on another address than those of loopback, wherever the server inside does", async () => {
    await during(serving({}, "0.0.0.0"), async () => {
      expect(listeningOn(port)).toEqual(LOOPBACK);
      expect(await say(port, "one", "127.0.0.2")).toBe("ECONNREFUSED");
      expect(await say(port, "one")).toBe("inside one");
      await say(port, "end");
    });
    expect(listeningOn(port)).toEqual([]);
  });

  it("net.ports: a server that only has ::1 is reached, and where nobody listens inside a connection is reset", async () => {
    const [first = 0, second = 0] = [port, await freePort()];
    const start: Start = {
      settings: { shell: { ports: [first, second] } },
      job: { calls: [{ argv: serverInside(first, "::1"), ports: [first, second] }] },
    };
    await during(start, async () => {
      expect(await say(second, "one")).toMatch(/^(ECONNRESET|EPIPE)$/);
      expect(await say(first, "one")).toBe("inside one");
      await say(first, "end");
    });
  });

  it("net.ports: nothing inside reaches this machine's loopback by an open port", async () => {
    const own = await serverHere();
    const other = await freePort();
    const address = own.address();
    const ownPort = typeof address === "object" && address !== null ? address.port : 0;
    const argv = (at: number) => [
      "perl",
      "-e",
      `socket my $s, 2, 1, 6; print connect($s, pack("S n C4 x8", 2, ${at}, 127, 0, 0, 1)) ? "reached" : $! + 0`,
    ];
    const replies = await place.run({
      settings: { shell: { ports: [other] } },
      job: { calls: [{ argv: argv(ownPort), ports: [other] }] },
    });
    expect(replies[1]).toMatchObject({ kind: "ran", stdout: "111" });
    expect(own.visits).toBe(0);
    // The same, without the sandbox.
    expect(place.plainly(`exec perl -e '${argv(ownPort)[2]}'`).stdout).toBe("reached");
    own.close();
    // What it listens on itself it reaches.
    const both = `sh -c '"$@" & until [ -e up-${port} ]; do sleep 0.1; done; perl -e "$0"' `;
    const inside = `${both}'${argv(port)[2]?.replaceAll("'", "")}; shutdown $s, 1;' ${""}`;
    const script = `${inside} timeout 5 perl -e '${serverInside(port)[2]}'`;
    const [, reply] = await place.run({
      settings: { shell: { ports: [port] } },
      job: { calls: [{ argv: ["sh", "-c", script], ports: [port] }] },
    });
    expect(reply).toMatchObject({ kind: "ran", stdout: "reached" });
  });

  it("net.ports: a port that somebody has is refused by its number before anything runs, and another one is not", async () => {
    const own = await serverHere(port);
    const other = await freePort();
    const call = (at: number) => ({ argv: ["sh", "-c", `echo > ran-${at}`], ports: [at] });
    const replies = await place.run({
      settings: { shell: { ports: [port, other] } },
      job: { calls: [call(port), call(other)] },
    });
    expect(replies.slice(1)).toMatchObject([
      {
        kind: "denied",
        code: "PORT_IN_USE",
        message: `the port ${port} of this machine's loopback is in use`,
      },
      { kind: "ran", code: 0, ports: [other] },
    ]);
    expect(place.plainly("ls").stdout).toBe(`ran-${other}\n`);
    expect(own.visits).toBe(0);
    own.close();
  });

  it("net.ports: of two calls at once that ask for one port the second is refused, and the first goes on", async () => {
    const other = await freePort();
    const start: Start = {
      settings: { shell: { ports: [port, other] } },
      job: { calls: [{ argv: serverInside(port), ports: [port], afterMs: 0 }] },
    };
    const replies = await during(start, async () => {
      const second = await place.run(
        {
          settings: { shell: { ports: [port, other] } },
          job: {
            calls: [
              { argv: ["true"], ports: [port] },
              { argv: ["true"], ports: [other] },
              { argv: ["true"] },
            ],
          },
        },
        "second.json",
      );
      expect(second.slice(1)).toMatchObject([
        { kind: "denied", code: "PORT_IN_USE" },
        { kind: "ran", code: 0 },
        { kind: "ran", code: 0 },
      ]);
      expect(await say(port, "end")).toBe("inside end");
    });
    expect(replies).toMatchObject([{ kind: "ran", code: 0, ports: [port] }]);
  });

  it("net.ports: when the supervisor is killed nobody listens any more, and what connected inside is gone", async () => {
    const child = place.start(serving());
    await untilUp(place.ws, port);
    expect(await say(port, "one")).toBe("inside one");
    const connectors = connectorsOf(child.pid ?? 0);
    expect(connectors.filter(isThere)).toHaveLength(1);
    child.kill("SIGKILL");
    await once(child, "close");
    while (connectors.some(isThere)) await pause(20);
    expect(await say(port, "one")).toBe("ECONNREFUSED");
    expect(listeningOn(port)).toEqual([]);
  });

  it("net.ports: once a call is over what connected inside is gone while its supervisor goes on", async () => {
    const start = serving();
    const calls = [...start.job.calls, { argv: ["sh", "-c", "echo > next; sleep 3"] }];
    await during({ ...start, job: { calls } }, async (pid) => {
      expect(connectorsOf(pid)).toHaveLength(1);
      await say(port, "end");
      while (place.plainly("ls next").status !== 0) await pause(20);
      expect(connectorsOf(pid)).toEqual([]);
      expect(listeningOn(port)).toEqual([]);
    });
  });

  it("net.ports: a port that the config or an operator does not list is refused, and what both list is opened", async () => {
    const other = await freePort();
    const narrow = place.file("narrow.yaml", JSON.stringify({ profile: "narrow", ports: [port] }));
    const replies = await place.run({
      settings: { shell: { ports: [port, other] } },
      job: {
        profiles: [narrow],
        calls: [port, other, 1024].map((at) => ({ argv: ["true"], ports: [at] })),
      },
    });
    expect(replies.slice(1)).toMatchObject([
      { kind: "ran", code: 0, ports: [port] },
      { kind: "denied", code: "DENIED", message: `operator profiles do not allow the port ${other}` },
      { kind: "denied", code: "DENIED", message: "the config does not list the port 1024" },
    ]);
  });

  it("net.ports: beside the egress proxy a port leads in as well, but for the proxy's own", async () => {
    const start = serving();
    const shell = { ports: [port, OWN_LOOPBACK_PORT], network: { hosts: ["a.test:80"] } };
    const calls = [...start.job.calls, { argv: ["true"], ports: [OWN_LOOPBACK_PORT] }];
    const replies = await during({ settings: { shell }, job: { calls } }, async () => {
      expect(await say(port, "end")).toBe("inside end");
    });
    expect(replies).toMatchObject([
      { kind: "ran", code: 0, ports: [port] },
      { kind: "denied", code: "NOT_ENFORCEABLE" },
    ]);
  });

  it("net.ports: on the machine's own network a port is refused", async () => {
    const [, asked, twin] = await place.run({
      settings: { shell: { ports: [port], network: "host" } },
      job: { calls: [{ argv: ["true"], ports: [port] }, { argv: ["true"] }] },
    });
    expect([asked, twin]).toMatchObject([
      { kind: "denied", code: "NOT_ENFORCEABLE" },
      { kind: "ran", code: 0 },
    ]);
  });
});
