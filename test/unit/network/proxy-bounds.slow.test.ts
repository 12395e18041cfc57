import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { heard, proxied, said, statusLine } from "../../support/web/proxied.ts";
import { serving } from "../../support/web/server.ts";

const FULL = (max: number) => ({
  host: null,
  port: null,
  because: "limit",
  reason: `${max} programs are already connected to the proxy`,
});

/** Connects and says something, or nothing; gone after the test. */
async function knocking(port: number, words = ""): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined).resume();
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  if (words !== "") socket.write(words);
  return socket;
}

const here = () => serving((_request, response) => void response.end("here"));

describe("programs that say nothing", () => {
  it("are let in up to a number, whoever is silent for longest is sent away, and those that speak are served again afterwards", async () => {
    const at = await proxied({
      hosts: ["a.test"],
      bounds: { maxClients: 50, headMs: 1_500 },
      web: { ports: { 80: await here() } },
    });
    const ask = () =>
      said(
        at.port,
        `GET http://a.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nProxy-Authorization: Basic ${at.credential}\r\n\r\n`,
      );
    const sockets = await Promise.all(Array.from({ length: 1_000 }, () => knocking(at.port)));
    const sent = (): number => sockets.filter(({ closed }) => closed).length;
    await expect.poll(sent, { timeout: 5_000 }).toBe(950);
    expect(at.refused[0]).toEqual(FULL(50));
    await expect.poll(ask).toContain("here");
    expect(at.egress.use().refused.map(({ because, times }) => [because, times > 49])).toEqual([
      ["limit", true],
    ]);
  });

  it("are sent away after a while, those that say a little now and then as well", async () => {
    const at = await proxied({
      hosts: ["a.test"],
      bounds: { headMs: 300 },
      web: { ports: { 80: await here() } },
    });
    const silent = await knocking(at.port);
    const slow = await knocking(at.port, "GET http://a.test/ HTTP/1.1\r\n");
    const socks = await knocking(at.port, "\u0005\u0002\u0000");
    const drip = setInterval(() => {
      slow.write("X: 1\r\n");
    }, 20);
    onTestFinished(() => clearInterval(drip));
    await Promise.all(
      [silent, slow, socks].map((socket) => new Promise((gone) => socket.once("close", gone))),
    );
    expect(at.egress.use().refused).toEqual([
      {
        host: null,
        port: null,
        because: "limit",
        reason: "the proxy got no request within 0.3 s",
        times: 3,
      },
    ]);
  });

  it("hold up nobody whose answer takes long", async () => {
    const slow = await serving((_request, response) => {
      response.write("be");
      setTimeout(() => response.end("gun"), 700);
    });
    const at = await proxied({ hosts: ["a.test"], bounds: { headMs: 200 }, web: { ports: { 80: slow } } });
    const answer = await said(
      at.port,
      `GET http://a.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nProxy-Authorization: Basic ${at.credential}\r\n\r\n`,
    );
    expect(answer).toMatch(/be\r\n[^\n]*\n?gun|be.*gun/s);
    const tunnelled = connect(at.port, "127.0.0.1");
    tunnelled.write(
      `CONNECT a.test:80 HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${at.credential}\r\n\r\n`,
    );
    await pause(400);
    tunnelled.write("GET / HTTP/1.0\r\n\r\n");
    expect(await heard(tunnelled)).toContain("gun");
  });
});

describe("requests that are sent before the last one was answered", () => {
  it("have as long for their answers as any", async () => {
    const slow = await serving((request, response) => {
      setTimeout(() => response.end(`${request.url} `), request.url === "/1" ? 50 : 600);
    });
    const at = await proxied({ hosts: ["a.test"], bounds: { headMs: 200 }, web: { ports: { 80: slow } } });
    const ask = (path: string, more = "") =>
      `GET http://a.test${path} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${at.credential}\r\n${more}\r\n`;
    const answer = await said(at.port, ask("/1") + ask("/2") + ask("/3", "Connection: close\r\n"));
    expect(answer.match(/\/[123] /g)).toEqual(["/1 ", "/2 ", "/3 "]);
  });
});

describe("many at once", () => {
  it("two hundred downloads come whole", async () => {
    const part = Buffer.alloc(64 * 1024, "x");
    const server = await serving((_request, response) => {
      for (let at = 0; at < 16; at += 1) response.write(part);
      response.end();
    });
    const at = await proxied({ hosts: ["a.test"], web: { ports: { 80: server } } });
    const get = async (line: string) => {
      const answer = await said(at.port, line);
      return [statusLine(answer), answer.length > 16 * part.length];
    };
    const forward = `GET http://a.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nProxy-Authorization: Basic ${at.credential}\r\n\r\n`;
    const tunnel = `CONNECT a.test:80 HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${at.credential}\r\n\r\nGET / HTTP/1.0\r\n\r\n`;
    const all = await Promise.all(
      Array.from({ length: 200 }, (_, one) => get(one % 2 === 0 ? forward : tunnel)),
    );
    expect(new Set(all.map((one) => one.join(" ")))).toEqual(
      new Set(["HTTP/1.1 200 OK true", "HTTP/1.1 200 Connection established true"]),
    );
    expect(at.egress.use().hosts).toMatchObject([{ host: "a.test", connections: 200 }]);
  });
});
