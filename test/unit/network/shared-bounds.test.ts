import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { heard } from "../../support/web/proxied.ts";
import { serving } from "../../support/web/server.ts";
import { answered, knocking, shared } from "../../support/web/shared.ts";

const here = () => serving((_request, response) => void response.end("here"));
const WITHOUT = "CONNECT a.test:80 HTTP/1.1\r\nHost: x\r\n\r\n";

/** How many of them the proxy has let go. */
const left = (sockets: readonly Socket[]): number =>
  sockets.filter((one) => one.closed || one.readableEnded).length;

describe("strangers on the same machine", () => {
  it("keep no program of a call out, however many of them say nothing; those that were let in first go", async () => {
    const { port, call } = await shared();
    const { get, tunnel, refused } = call(["a.test"], { ports: { 80: await here() } });
    const before = await knocking(port, tunnel("a.test:80"));
    const silent: Socket[] = [];
    for (let round = 0; round < 12; round += 1) {
      silent.push(...(await Promise.all(Array.from({ length: 100 }, () => knocking(port)))));
      expect(await answered(port, get("http://a.test/"))).toContain("here");
    }
    for (const one of silent) one.resume();
    await expect.poll(() => left(silent)).toBeGreaterThanOrEqual(1_200 - 1_024);
    expect(left(silent)).toBeLessThan(200);
    before.write("GET / HTTP/1.0\r\n\r\n");
    expect(await heard(before)).toContain("here");
    expect(refused).toEqual([]);
  });

  it("are told no and sent away, also where they never hang up", async () => {
    const { port } = await shared();
    const sockets = await Promise.all(
      [WITHOUT, "CONNECT a.test HTTP/1.1\r\n\r\n", "nonsense\r\n\r\n", "\u0005\u0001\u0000"].map((words) =>
        knocking(port, words),
      ),
    );
    const answers = sockets.map(() => "");
    for (const [at, socket] of sockets.entries())
      socket.on("data", (part: Buffer) => (answers[at] += part.toString("latin1")));
    // A program's own end stays open: it is the proxy that lets go.
    await Promise.all(
      sockets.map((socket) => {
        const drip = setInterval(() => socket.write("x"), 50);
        return new Promise<void>((done) => {
          socket.once("close", () => {
            clearInterval(drip);
            done();
          });
        });
      }),
    );
    expect(answers.map((answer) => answer.split("\r\n")[0])).toEqual([
      "HTTP/1.1 407 Proxy Authentication Required",
      "HTTP/1.1 400 Bad Request",
      "HTTP/1.1 400 Bad Request",
      "\u0005\u00ff",
    ]);
  });
});

describe("a call with very many connections", () => {
  it("keeps no other out, and is told of those of its own that were too many", async () => {
    const { port, call } = await shared();
    const web = { ports: { 80: await here() } };
    const [greedy, other] = [call(["a.test"], web), call(["a.test"], web)];
    const sockets: Socket[] = [];
    for (let round = 0; round < 14; round += 1) {
      const more = Array.from({ length: 100 }, () => knocking(port, greedy.tunnel("a.test:80")));
      sockets.push(...(await Promise.all(more)));
      expect(await answered(port, other.get("http://a.test/"))).toContain("here");
    }
    for (const one of sockets) one.resume();
    await expect.poll(() => left(sockets)).toBeGreaterThanOrEqual(1_400 - 320);
    expect(greedy.egress.use().refused.map(({ because, reason }) => `${because}: ${reason}`)).toContain(
      "limit: 320 programs are already connected to the proxy",
    );
    expect(other.refused).toEqual([]);
  });
});
