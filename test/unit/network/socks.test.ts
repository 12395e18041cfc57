import { describe, expect, it } from "vitest";
import { proxied, said } from "../../support/web/proxied.ts";
import { serving, speaking } from "../../support/web/server.ts";

const GREETING = Buffer.from([5, 2, 0, 2]);

function password(secret: string, user = "cofferdam"): Buffer {
  return Buffer.concat([
    Buffer.from([1, user.length]),
    Buffer.from(user),
    Buffer.from([secret.length]),
    Buffer.from(secret),
  ]);
}

function asking(address: readonly number[] | string, port: number, command = 1): Buffer {
  const name = typeof address === "string" ? Buffer.from(address) : null;
  const written =
    name === null ? Buffer.from(address as readonly number[]) : Buffer.from([name.length, ...name]);
  const kind = name !== null ? 3 : written.length === 4 ? 1 : 4;
  return Buffer.concat([Buffer.from([5, command, 0, kind]), written, Buffer.from([port >> 8, port & 255])]);
}

/** The bytes of an answer, as numbers, so far. */
function bytes(answer: string, max = 100): readonly number[] {
  return [...Buffer.from(answer, "latin1")].slice(0, max);
}

const AGREED = [5, 2, 1, 0];
const reply = (code: number): readonly number[] => [...AGREED, 5, code, 0, 1, 0, 0, 0, 0, 0, 0];

describe("SOCKS 5", () => {
  it("joins both sides for a name, an IPv4 and an IPv6 address that are listed", async () => {
    const server = await serving((_request, response) => void response.end("here"));
    const at = await proxied({
      hosts: ["a.test:80", "93.184.216.34:80", "2606:4700::1111"],
      web: { ports: { 80: server } },
    });
    const v6 = [0x26, 6, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11];
    for (const address of ["A.test.", [93, 184, 216, 34], v6] as const) {
      const answer = await said(
        at.port,
        GREETING,
        password(at.egress.secret),
        asking(address, 80),
        "GET / HTTP/1.0\r\n\r\n",
      );
      expect(bytes(answer, 14)).toEqual(reply(0));
      expect(answer.endsWith("here")).toBe(true);
    }
    expect(at.dialled.flat().map(({ address }) => address)).toEqual([
      "93.184.215.14",
      "93.184.216.34",
      "2606:4700::1111",
    ]);
  });

  it("takes what is said byte by byte", async () => {
    const server = await speaking((socket) => void socket.end("here"));
    const at = await proxied({ hosts: ["a.test:80"], web: { ports: { 80: server } } });
    const whole = Buffer.concat([GREETING, password(at.egress.secret), asking("a.test", 80)]);
    const answer = await said(at.port, ...[...whole].map((one) => Buffer.from([one])));
    expect(answer.endsWith("here")).toBe(true);
  });

  it.each([
    ["an unlisted name", asking("b.test", 80), 2],
    ["an unlisted port", asking("a.test", 22), 2],
    ["a name with a NUL", asking("a.test\0", 80), 2],
    ["an empty name", asking("", 80), 2],
    ["loopback by number", asking([127, 0, 0, 1], 80), 2],
    ["a mapped address", asking([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1], 80), 2],
    ["a port to listen on", asking("a.test", 80, 2), 7],
    ["UDP", asking("a.test", 80, 3), 7],
    ["another kind of address", Buffer.from([5, 1, 0, 9, 0, 0]), 8],
    ["a name that leads nowhere", asking("nowhere.test", 80), 4],
    ["nobody there", asking("gone.test", 80), 1],
  ])("refuses %s", async (_what, request, code) => {
    const at = await proxied({
      hosts: ["a.test:80", "nowhere.test", "gone.test"],
      web: { ports: { "gone.test:80": 1 }, names: { "nowhere.test": [[]] } },
    });
    const answer = await said(at.port, GREETING, password(at.egress.secret), request);
    expect(bytes(answer)).toEqual(reply(code));
    expect(at.dialled.flat().every(({ host }) => host === "gone.test")).toBe(true);
  });

  it("lets nobody in without the call's own secret", async () => {
    const at = await proxied({ hosts: ["a.test:80"], web: { ports: {} } });
    expect(bytes(await said(at.port, Buffer.from([5, 1, 0]), asking("a.test", 80)))).toEqual([5, 255]);
    for (const wrong of [password("x"), password(at.egress.secret, "other"), password("")])
      expect(bytes(await said(at.port, GREETING, wrong, asking("a.test", 80)))).toEqual([5, 2, 1, 1]);
    expect(at.refused).toEqual([
      {
        host: null,
        port: null,
        because: "credential",
        reason: "the proxy got another secret than the call's",
      },
    ]);
  });

  it("ends where it is broken off", async () => {
    const at = await proxied({ hosts: ["a.test:80"], web: { ports: {} } });
    const { connect } = await import("node:net");
    const { heard } = await import("../../support/web/proxied.ts");
    const socket = connect(at.port, "127.0.0.1");
    socket.end(Buffer.from([5, 200, 2]));
    expect(await heard(socket)).toBe("");
    await expect.poll(() => at.refused).toMatchObject([{ because: "malformed" }]);
  });
});
