import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { testApp } from "../../support/http/test-app.ts";
import { send, shout } from "../../support/http/wire.ts";

const TOO_MANY = "429 too many requests on one connection without reading the answers";

test("four requests of one connection may wait for their answers, which come in order", async () => {
  await using at = await testApp();
  const said = await shout(
    at.server.url,
    `${asking(at.server.url, "/health").repeat(3)}${asking(at.server.url, "/")}`,
  );
  expect(said.match(/HTTP\/1\.1 \d+/g)).toEqual(Array(4).fill("HTTP/1.1 200"));
  expect(said.indexOf("<!doctype html>")).toBeGreaterThan(said.lastIndexOf('{"status":"ok"}'));
  expect(at.refused()).toEqual([]);
});

test("a fifth ends the connection, and leaves one line however many come with it", async () => {
  await using at = await testApp();
  expect(await shout(at.server.url, asking(at.server.url, "/health").repeat(5))).toBe("");
  expect(at.refused()).toEqual([`GET /health ${TOO_MANY}`]);
  expect(await shout(at.server.url, asking(at.server.url, "/health").repeat(500))).toBe("");
  expect(at.refused()).toHaveLength(2);
});

test("a connection that takes its answers may ask as often as it likes", async () => {
  await using at = await testApp();
  const socket = connected(at.server.url);
  for (let index = 0; index < 20; index += 1) {
    socket.write(asking(at.server.url, "/health"));
    expect(String(await once(socket, "data"))).toMatch(/^HTTP\/1\.1 200 /);
  }
  socket.destroy();
  expect(at.refused()).toEqual([]);
});

test("connections that ask for the page a thousand times and read nothing cost next to nothing", async () => {
  await using at = await testApp();
  const before = process.memoryUsage().arrayBuffers;
  const sockets = Array.from({ length: 4 }, () => connected(at.server.url));
  const closed = sockets.map(async (socket) => once(socket, "close"));
  for (const socket of sockets) socket.pause().write(asking(at.server.url, "/inbox.js").repeat(1_000));
  while (at.refused().length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
  expect((await send(at.server.url, { path: "/health" })).status).toBe(200);
  // A thousand times the page would be 50 MiB for each.
  expect((process.memoryUsage().arrayBuffers - before) / 1024 ** 2).toBeLessThan(16);
  for (const socket of sockets) socket.resume();
  await Promise.all(closed);
  expect(at.refused()).toEqual(Array(4).fill(`GET /inbox.js ${TOO_MANY}`));
});

function asking(url: string, path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\n\r\n`;
}

function connected(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect({ host: hostname, port: Number(port) }).on("error", () => undefined);
}
