import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { HostAnswer } from "../../../src/network/call-egress.ts";
import { proxied } from "../../support/web/proxied.ts";
import { hostsOf, PUBLIC, serving, speaking } from "../../support/web/server.ts";

/** A server that keeps every connection and says nothing. */
const silent = () => speaking(() => undefined);

it("shows programs a secret that no program takes for anything but a word, and another one for each call", async () => {
  const web = { names: {}, ports: {} };
  const secrets = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const { egress, end } = await proxied({ web });
      end();
      return egress.secret;
    }),
  );
  expect(secrets.filter((secret) => !/^[0-9a-f]{48}$/.test(secret))).toEqual([]);
  expect(new Set(secrets).size).toBe(200);
});

describe("what a call reaches", () => {
  it("is decided by the name before anything is looked up, then by the address that is dialled", async () => {
    const names = {
      "loop.test": [["127.0.0.1"]],
      "link.test": [["169.254.169.254"]],
      "ten.test": [["10.0.0.1"]],
      "mixed.test": [["127.0.0.1", PUBLIC, "10.0.0.1"]],
      "six.test": [["::ffff:127.0.0.1"]],
      "nowhere.test": [[]],
    };
    const at = await proxied({
      hosts: ["*.test:80", "ten.test private"],
      never: ["never.test"],
      web: { names, ports: { 80: await silent() } },
    });
    const because = async (host: string, port = 80) => {
      const reached = await at.egress.reach(host, port);
      return reached.kind === "refused" ? reached.because : reached.kind;
    };
    expect([
      await because("other.example"),
      await because("never.test"),
      await because("a.test", 22),
    ]).toEqual(["unlisted", "never", "unlisted"]);
    expect(at.lookedUp).toEqual([]);
    expect(
      await Promise.all(["loop", "link", "six", "nowhere"].map((name) => because(`${name}.test`))),
    ).toEqual(["special", "special", "special", "no-address"]);
    expect(at.dialled).toEqual([]);
    expect([await because("ten.test"), await because("mixed.test"), await because("127.0.0.1")]).toEqual([
      "reached",
      "reached",
      "unlisted",
    ]);
    expect(at.dialled.map((targets) => targets.map(({ address }) => address))).toEqual([
      ["10.0.0.1"],
      [PUBLIC],
    ]);
  });

  it("is looked up once for each connection: what the name leads to a moment later counts for nothing", async () => {
    const names = { "a.test": [[PUBLIC], ["127.0.0.1"], [PUBLIC]] };
    const at = await proxied({ hosts: ["a.test"], web: { names, ports: { 80: await silent() } } });
    const kinds = [await at.egress.reach("a.test", 80), await at.egress.reach("a.test", 80)].map(
      ({ kind }) => kind,
    );
    expect([kinds, at.lookedUp, at.dialled.flat().map(({ address }) => address)]).toEqual([
      ["reached", "refused"],
      ["a.test", "a.test"],
      [PUBLIC],
    ]);
  });

  it("is every public address of an open network, and none of any other", async () => {
    const names = { "loop.test": [["::1"]], "ten.test": [["10.0.0.1"]] };
    const at = await proxied({ network: "open", web: { names, ports: { 80: await silent() } } });
    const hosts = [
      "a.test",
      "8.8.8.8",
      "loop.test",
      "ten.test",
      "127.0.0.1",
      "10.0.0.1",
      "169.254.169.254",
      "[::1]",
    ];
    const reached = await Promise.all(hosts.map((host) => at.egress.reach(host, 80)));
    expect(reached.map(({ kind }) => kind)).toEqual([
      "reached",
      "reached",
      ...Array.from({ length: 6 }, () => "refused"),
    ]);
  });

  it("is nothing any more when the call has ended, and what it reached is closed", async () => {
    const at = await proxied({ hosts: ["a.test"], web: { ports: { 80: await silent() } } });
    const reached = await at.egress.reach("a.test", 80);
    if (reached.kind !== "reached") throw new Error(reached.reason);
    const { socket } = reached.connection;
    at.egress[Symbol.dispose]();
    await expect.poll(() => socket.closed).toBe(true);
    expect(await at.egress.reach("a.test", 80)).toEqual({ kind: "failed", reason: "the call has ended" });
    expect(at.dialled.length).toBe(1);
  });
});

describe("a network that a config has reduced since", () => {
  it("is checked at each connection, and one that was reached stays", async () => {
    let now = hostsOf("a.test:80", "b.test:80");
    const at = await proxied({
      hosts: ["a.test:80", "b.test:80", "c.test:80"],
      web: { ports: { 80: await silent() } },
      networkNow: async () => now,
    });
    const reach = async (host: string) => (await at.egress.reach(host, 80)).kind;
    expect([await reach("a.test"), await reach("b.test"), await reach("c.test")]).toEqual([
      "reached",
      "reached",
      "refused",
    ]);
    now = hostsOf("b.test:80");
    expect([await reach("a.test"), await reach("b.test")]).toEqual(["refused", "reached"]);
    now = "none";
    expect(await reach("b.test")).toBe("refused");
  });
});

describe("a host that is not listed", () => {
  const granted = (host: string): HostAnswer => ({
    kind: "granted",
    network: async () => hostsOf(`${host}:80`),
  });

  it("is asked about once for each port, and the answer holds for the call", async () => {
    const asked: string[] = [];
    const at = await proxied({
      hosts: ["a.test:80"],
      web: { ports: { 80: await silent() } },
      ask: async ({ host, port }) => {
        asked.push(`${host}:${port}`);
        await pause(20);
        return host === "yes.test"
          ? granted(host)
          : { kind: "refused", because: "answered-no", reason: "ann said no" };
      },
    });
    const reach = async (host: string, port = 80) => (await at.egress.reach(host, port)).kind;
    expect(
      await Promise.all([
        reach("a.test"),
        reach("yes.test"),
        reach("YES.test."),
        reach("no.test"),
        reach("no.test"),
      ]),
    ).toEqual(["reached", "reached", "reached", "refused", "refused"]);
    expect([await reach("yes.test"), await reach("no.test"), await reach("yes.test", 443)]).toEqual([
      "reached",
      "refused",
      "refused",
    ]);
    expect(asked).toEqual(["yes.test:80", "no.test:80", "yes.test:443"]);
    expect(at.lookedUp).not.toContain("no.test");
  });

  it("is asked about only where its name decides, not its address, and not where it is never reached", async () => {
    const asked: string[] = [];
    const at = await proxied({
      hosts: ["*.test"],
      never: ["never.test", "elsewhere.example"],
      web: { names: { "loop.test": [["127.0.0.1"]] }, ports: {} },
      ask: async ({ host }) => {
        asked.push(host);
        return granted(host);
      },
    });
    for (const host of ["loop.test", "never.test", "elsewhere.example", "a b"])
      await at.egress.reach(host, 80);
    expect(asked).toEqual([]);
  });

  it("gives the answer's addresses no more than the answer does", async () => {
    const at = await proxied({
      hosts: ["a.test"],
      web: { names: { "loop.example": [["127.0.0.1"]] }, ports: {} },
      ask: async ({ host }) => granted(host),
    });
    expect(await at.egress.reach("loop.example", 80)).toMatchObject({ kind: "refused", because: "special" });
  });

  it("is not asked about after twenty others, nor when asking fails", async () => {
    let asked = 0;
    const at = await proxied({
      hosts: ["a.test"],
      web: { ports: {} },
      ask: async () => {
        asked += 1;
        if (asked === 20) throw new Error("the record is full");
        return { kind: "refused", because: "answered-no", reason: "no" };
      },
    });
    const answers = [];
    for (let at_ = 0; at_ < 25; at_ += 1) answers.push(await at.egress.reach(`h${at_}.example`, 80));
    expect(asked).toBe(20);
    expect(answers[19]).toEqual({ kind: "failed", reason: "the record is full" });
    expect(answers.slice(20).map((one) => one.kind === "refused" && one.because)).toEqual(
      Array(5).fill("limit"),
    );
  });

  it("is waited for no longer than the call lasts", async () => {
    const at = await proxied({
      hosts: ["a.test"],
      web: { ports: {} },
      ask: (_place, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () =>
            resolve({ kind: "refused", because: "answered-no", reason: "over" }),
          );
        }),
    });
    const waiting = at.egress.reach("b.example", 80);
    await pause(10);
    at.egress[Symbol.dispose]();
    expect(await waiting).toMatchObject({ kind: "refused", reason: "over" });
  });
});

describe("bounds", () => {
  it("on connections at once count those that are made, and let others in when some have ended", async () => {
    const at = await proxied({
      hosts: ["a.test"],
      limits: { connections: 2 },
      web: { ports: { 80: await silent() } },
    });
    const three = await Promise.all([1, 2, 3].map(() => at.egress.reach("a.test", 80)));
    expect(three.map(({ kind }) => kind)).toEqual(["reached", "reached", "refused"]);
    const [first] = three;
    if (first?.kind === "reached") first.connection.socket.destroy();
    await expect.poll(async () => (await at.egress.reach("a.test", 80)).kind).toBe("reached");
  });

  it("on what is transferred end the connection that passes them, and let no other be made", async () => {
    const server = createServer((_request, response) => void response.end(Buffer.alloc(1_000_000)));
    const port = await serving((request, response) => void server.emit("request", request, response));
    const at = await proxied({
      hosts: ["a.test"],
      limits: { transferBytes: 300_000 },
      web: { ports: { 80: port } },
    });
    const response = await fetchThrough(at.port, at.egress.secret);
    expect(response.length).toBeGreaterThan(200_000);
    expect(response.length).toBeLessThan(1_000_000);
    expect(await at.egress.reach("a.test", 80)).toMatchObject({ kind: "refused", because: "limit" });
    const [use] = at.egress.use().hosts;
    expect((use?.receivedBytes ?? 0) + (use?.sentBytes ?? 0)).toBeGreaterThan(300_000);
  });

  it("on how long a connection lasts end it", async () => {
    const at = await proxied({
      hosts: ["a.test"],
      limits: { connectionMs: 50 },
      web: { ports: { 80: await silent() } },
    });
    const reached = await at.egress.reach("a.test", 80);
    if (reached.kind !== "reached") throw new Error(reached.reason);
    await expect.poll(() => reached.connection.socket.closed).toBe(true);
    expect(at.refused).toEqual([
      {
        host: "a.test",
        port: 80,
        because: "limit",
        reason: "the connection has reached `connection_time`",
      },
    ]);
  });
});

/** All of an answer that comes, of `http://a.test/`. */
async function fetchThrough(port: number, secret: string): Promise<string> {
  const { said } = await import("../../support/web/proxied.ts");
  const credential = Buffer.from(`cofferdam:${secret}`).toString("base64");
  return said(
    port,
    `GET http://a.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nProxy-Authorization: Basic ${credential}\r\n\r\n`,
  );
}

describe("bounds on what is transferred", () => {
  it("hold for what is no body: heads that never end in an answer, and answers that are none yet", async () => {
    const hints = await speaking((socket) => {
      const more = setInterval(
        () => socket.write(`HTTP/1.1 103 Early Hints\r\nX: ${"x".repeat(8_000)}\r\n\r\n`),
        1,
      );
      socket.on("close", () => clearInterval(more));
    });
    const at = await proxied({
      hosts: ["a.test"],
      limits: { transferBytes: 50_000 },
      web: { ports: { 80: hints } },
    });
    const answer = await fetchThrough(at.port, at.egress.secret);
    expect(answer).toMatch(/^HTTP\/1.1 502 Bad Gateway/);
    const [use] = at.egress.use().hosts;
    expect(use?.receivedBytes).toBeLessThan(500_000);
    expect(at.refused).toMatchObject([
      { because: "limit", reason: "the call has reached its limit `transfer`" },
    ]);
    const free = await proxied({ hosts: ["a.test"], web: { ports: { 80: hints } } });
    expect(await fetchThrough(free.port, free.egress.secret)).toContain("too many interim answers");
  });
});
