import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ListenFunction, listenHere } from "../../../src/network/listen-at.ts";
import { SharedProxy } from "../../../src/network/shared-proxy.ts";
import { heard, statusLine } from "../../support/web/proxied.ts";
import { serving } from "../../support/web/server.ts";
import { answered, knocking, shared } from "../../support/web/shared.ts";

const says = (what: string) => serving((_request, response) => void response.end(what));
const NOBODYS = Buffer.from("cofferdam:guessed").toString("base64");
const REFUSED = "HTTP/1.1 407 Proxy Authentication Required";

/** Listens as the system has it, and keeps what was to. */
function listening(
  instead: (host: string, port: number) => ReturnType<ListenFunction> | number = (_, port) => port,
) {
  const servers: Server[] = [];
  const listenAt: ListenFunction = async (server, host, port) => {
    servers.push(server);
    const found = instead(host, port);
    return typeof found === "number" ? listenHere(server, host, found) : found;
  };
  return { listenAt, servers };
}

async function holding(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return addressOf(server).port;
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (typeof address === "object" && address !== null) return address;
  throw new Error("it does not listen");
}

describe("the one port of all calls", () => {
  it("is the same on both loopback addresses, and nowhere else", async () => {
    const { listenAt, servers } = listening();
    const { port, call } = await shared(listenAt);
    const { get } = call(["a.test"], { ports: { 80: await says("here") } });
    expect(servers.map(addressOf).map(({ address, port: at }) => [address, at])).toEqual([
      ["127.0.0.1", port],
      ["::1", port],
    ]);
    for (const host of ["127.0.0.1", "::1"])
      expect(await answered(port, get("http://a.test/"), host)).toContain("here");
  });

  it("is another one where somebody else has it on ::1, and nothing is left of the first", async () => {
    const taken = await holding("::1");
    let isFirst = true;
    const { listenAt, servers } = listening((host, port) => {
      if (host === "::1" || !isFirst) return port;
      isFirst = false;
      return taken;
    });
    const { port } = await shared(listenAt);
    expect(port).not.toBe(taken);
    // Somebody may have the next one too.
    const listen = servers.map((server) => server.listening);
    expect([listen.length >= 4, listen.slice(-2)]).toEqual([true, [true, true]]);
    expect(listen.slice(0, -2)).not.toContain(true);
  });

  it("is that of 127.0.0.1 alone on a machine without IPv6", async () => {
    const { listenAt, servers } = listening((host, port) =>
      host === "::1" ? Promise.resolve("absent") : port,
    );
    const { port, call } = await shared(listenAt);
    const { get } = call(["a.test"], { ports: { 80: await says("here") } });
    expect(await answered(port, get("http://a.test/"))).toContain("here");
    expect(servers.map((server) => server.listening)).toEqual([true, false]);
  });

  it("is told apart from an address that the machine does not have", async () => {
    const server = createServer();
    expect(await listenHere(server, "192.0.2.1", 0)).toBe("absent");
    expect(await listenHere(server, "::1", await holding("::1"))).toBe("taken");
  });

  it("is none where none is free, and nothing listens then", async () => {
    const { listenAt, servers } = listening((host, port) =>
      host === "::1" ? Promise.resolve("taken") : port,
    );
    await expect(SharedProxy.listen(listenAt)).rejects.toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
      message: "no port of loopback is free for the egress proxy",
      hint: "end programs that listen on many ports, or set `shell.network: false`",
    });
    expect(servers.filter((server) => server.listening)).toEqual([]);
  });

  it("is none where the system lets nobody listen, which says why", async () => {
    const { listenAt, servers } = listening(() => 2 ** 20);
    await expect(SharedProxy.listen(listenAt)).rejects.toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
      message: "the egress proxy can't listen on loopback: ERR_SOCKET_BAD_PORT",
      hint: "let this user listen on 127.0.0.1, or set `shell.network: false`",
    });
    expect(servers.filter((server) => server.listening)).toEqual([]);
  });
});

describe("the end", () => {
  it("closes what listens and everybody who is connected", async () => {
    const { listenAt, servers } = listening();
    const { proxy, port, call } = await shared(listenAt);
    const { tunnel } = call(["a.test"], { ports: { 80: await says("here") } });
    const inside = await knocking(port, tunnel("a.test:80"));
    await once(inside, "data");
    const silent = await knocking(port, "", "::1");
    const closed = [inside, silent].map((socket) => once(socket.resume(), "end"));
    proxy[Symbol.dispose]();
    await Promise.all(closed);
    expect(servers.map((server) => server.listening)).toEqual([false, false]);
    const [refused] = await Promise.allSettled([knocking(port)]);
    expect(refused.status).toBe("rejected");
  });

  it("does not have to come for a process to end, whoever is connected and silent", async () => {
    const file = new URL("../../../src/network/shared-proxy.ts", import.meta.url).href;
    const program = `
      import { connect } from "node:net";
      import { SharedProxy } from "${file}";
      const { port } = await SharedProxy.listen();
      connect(port, "127.0.0.1", () => setTimeout(() => console.log("done"), 200)).unref();
      setTimeout(() => {}, 500);`;
    const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    expect(await text(child.stdout)).toBe("done\n");
  });
});

describe("whose a program is", () => {
  it("is told by the secret: each reaches what its own call may, also at once", async () => {
    const { port, call } = await shared();
    const web = { ports: { "a.test:80": await says("first"), "b.test:80": await says("second") } };
    const [first, second] = [call(["a.test"], web), call(["b.test"], web)];
    const ask = async (words: string) => {
      const answer = await answered(port, words);
      return /first|second/.exec(answer)?.[0] ?? statusLine(answer);
    };
    const all = await Promise.all(
      Array.from({ length: 20 }, () =>
        [first, second].flatMap(({ get }) => ["a", "b"].map((name) => ask(get(`http://${name}.test/`)))),
      ).flat(),
    );
    const expected = ["first", "HTTP/1.1 403 Forbidden", "HTTP/1.1 403 Forbidden", "second"];
    expect(all).toEqual(Array.from({ length: 20 }, () => expected).flat());
    for (const [one, host, other] of [
      [first, "a.test", "b.test"],
      [second, "b.test", "a.test"],
    ] as const) {
      expect(one.egress.use().hosts).toMatchObject([{ host, connections: 20 }]);
      expect(one.egress.use().refused).toMatchObject([{ host: other, because: "unlisted", times: 20 }]);
    }
  });

  it("is nobody's without one, with a guessed one, and with one of a call that is over; and no call is told", async () => {
    const { port, call } = await shared();
    const web = { ports: { 80: await says("here") } };
    const [gone, still] = [call(["a.test"], web), call(["a.test"], web)];
    expect(await answered(port, gone.get("http://a.test/"))).toContain("here");
    gone.end();
    const lines = [
      gone.get("http://a.test/"),
      gone.tunnel("a.test:80"),
      "GET http://a.test/ HTTP/1.1\r\nHost: x\r\n\r\n",
      "CONNECT a.test:80 HTTP/1.1\r\nHost: x\r\n\r\n",
      `GET http://a.test/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${NOBODYS}\r\n\r\n`,
    ];
    const answers = await Promise.all(lines.map((line) => answered(port, line).then(statusLine)));
    expect(answers).toEqual(lines.map(() => REFUSED));
    expect(await answered(port, "\u0005\u0001\u0002\u0001\u0009cofferdam\u0007guessed")).toBe(
      "\u0005\u0002\u0001\u0001",
    );
    expect(await answered(port, still.get("http://a.test/"))).toContain("here");
    expect([still.refused, gone.egress.use().hosts.length]).toEqual([[], 1]);
  });

  it("is over with the call: its connections are closed, and no other's", async () => {
    const { port, call } = await shared();
    const web = { ports: { 80: await says("here") } };
    const [first, second] = [call(["a.test"], web), call(["a.test"], web)];
    const sockets = await Promise.all(
      [first, second].map(({ tunnel }) => knocking(port, tunnel("a.test:80"))),
    );
    await Promise.all(sockets.map((socket) => once(socket, "data")));
    const [ended, going] = sockets;
    const closed = once(ended?.resume() ?? process, "end");
    first.end();
    await closed;
    going?.write("GET / HTTP/1.0\r\n\r\n");
    expect(going === undefined ? "" : await heard(going)).toContain("here");
  });
});
