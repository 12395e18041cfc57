import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { connect as secure } from "node:tls";
import { describe, expect, it } from "vitest";
import { CERTIFICATE } from "../../support/web/certificate.ts";
import { hello } from "../../support/web/hello.ts";
import { heard, proxied, said, statusLine } from "../../support/web/proxied.ts";
import { hostsOf, servingSecurely, speaking } from "../../support/web/server.ts";

const EMPTY_CCS = Buffer.from("1403030000", "hex");

describe("with `strict_sni`", () => {
  const strict = { strictSni: true } as const;
  const secured = () => servingSecurely((_request, response) => void response.end("here"));

  /** Asks through the proxy, over TLS, for one server by the name of another. */
  async function asks(
    port: number,
    credential: string,
    target: string,
    servername: string,
    before = Buffer.alloc(0),
  ): Promise<string> {
    const socket = connect(port, "127.0.0.1");
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${credential}\r\n\r\n`);
    const [answer]: Buffer[] = await once(socket, "data");
    if (!String(answer).startsWith("HTTP/1.1 200")) return statusLine(String(answer));
    socket.write(before);
    const over: Socket = secure({
      socket,
      servername,
      ca: CERTIFICATE,
      checkServerIdentity: () => undefined,
    });
    over.on("error", () => undefined);
    over.write("GET / HTTP/1.0\r\n\r\n");
    return (await heard(over)).includes("here") ? "here" : "closed";
  }

  it("a hello must ask for the host that was named to the proxy, in any spelling, and no other", async () => {
    const listed = hostsOf("*.test:443", "93.184.216.34:443");
    const network = typeof listed === "object" ? { ...listed, ...strict } : listed;
    const at = await proxied({ network, web: { ports: { 443: await secured() } } });
    const ask = (target: string, name: string) => asks(at.port, at.credential, target, name);
    expect(await ask("a.test:443", "a.test")).toBe("here");
    expect(await ask("A.test.:443", "A.TEST")).toBe("here");
    expect(await ask("93.184.216.34:443", "")).toBe("here");
    expect(await ask("a.test:443", "b.test")).toBe("closed");
    expect(await ask("a.test:443", "")).toBe("closed");
    expect(await ask("93.184.216.34:443", "a.test")).toBe("closed");
    expect(at.refused).toEqual([
      {
        host: "a.test",
        port: 443,
        because: "server-name",
        reason: "the TLS hello for `a.test` names `b.test`",
      },
      {
        host: "93.184.216.34",
        port: 443,
        because: "server-name",
        reason: "the TLS hello for `93.184.216.34` names `a.test`",
      },
    ]);
    // OpenSSL's servers put up with an empty record before the hello.
    expect(await asks(at.port, at.credential, "c.test:443", "b.test", EMPTY_CCS)).toBe("closed");
    const loose = await proxied({ hosts: ["*.test:443"], web: { ports: { 443: await secured() } } });
    for (const before of [Buffer.alloc(0), EMPTY_CCS])
      expect(await asks(loose.port, loose.credential, "a.test:443", "b.test", before)).toBe("here");
  });

  it("what is no TLS passes, also where the server speaks first", async () => {
    const listed = hostsOf("a.test:22");
    const server = await speaking((socket) => {
      socket.write("server ");
      socket.once("data", (part) => socket.end(`heard ${String(part)}`));
    });
    const network = typeof listed === "object" ? { ...listed, ...strict } : listed;
    const at = await proxied({ network, web: { ports: { 22: server } } });
    const answer = await said(
      at.port,
      `CONNECT a.test:22 HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${at.credential}\r\n\r\n`,
      "client",
    );
    expect(answer.slice(answer.indexOf("\r\n\r\n") + 4)).toBe("server heard client");
  });

  it("what is short passes at once, what ends with it too, and a hello that is broken off leaves nothing open", async () => {
    const listed = hostsOf("a.test:79");
    let open = 0;
    const server = await speaking((socket) => {
      open += 1;
      socket.on("close", () => (open -= 1));
      socket.on("data", (part) => socket.write(`heard ${part.length}`));
      socket.on("end", () => socket.end());
    }, true);
    const network = typeof listed === "object" ? { ...listed, ...strict } : listed;
    const at = await proxied({ network, web: { ports: { 79: server } }, limits: { connections: 2 } });
    const head = `CONNECT a.test:79 HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${at.credential}\r\n\r\n`;
    const tunnelled = async () => {
      const socket = connect({ port: at.port, host: "127.0.0.1", allowHalfOpen: true });
      socket.on("error", () => undefined);
      socket.write(head);
      await once(socket, "data");
      return socket;
    };
    for (const word of ["\r\n", "x", "\u0016"]) {
      const socket = await tunnelled();
      socket.end(word, "latin1");
      expect(await heard(socket)).toBe(`heard ${word.length}`);
    }
    const waiting = await tunnelled();
    waiting.write("\r\n");
    const [answer]: Buffer[] = await once(waiting, "data");
    expect(String(answer)).toBe("heard 2");
    waiting.destroy();
    await expect.poll(() => open, { timeout: 4_000 }).toBe(0);
    for (const how of ["end", "destroy", "resetAndDestroy"] as const)
      for (const part of ["160301", "16030100c8010000c4", ""]) {
        const socket = await tunnelled();
        socket.write(Buffer.from(part, "hex"));
        await pause(10);
        socket[how]();
        socket.resume();
        await expect.poll(() => open, { timeout: 4_000 }).toBe(0);
      }
    expect(at.refused).toEqual([]);
  });

  it("a hello after a server's wish for another is read, whatever stands between", async () => {
    const listed = hostsOf("a.test:443");
    const network = typeof listed === "object" ? { ...listed, ...strict } : listed;
    const heardAll: Buffer[] = [];
    const retry = Buffer.from(
      "1603030038020000340303cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c00130100000c002b00020304003300020017",
      "hex",
    );
    const server = await speaking((socket) => {
      socket.once("data", () => socket.write(retry));
      socket.on("data", (part) => void heardAll.push(part));
    });
    const at = await proxied({ network, web: { ports: { 443: server } } });
    const warning = Buffer.from("1503030002015a", "hex");
    const socket = connect(at.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      `CONNECT a.test:443 HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${at.credential}\r\n\r\n`,
    );
    await once(socket, "data");
    socket.write(
      Buffer.concat([
        await hello({ servername: "a.test" }),
        warning,
        EMPTY_CCS,
        await hello({ servername: "evil.test" }),
      ]),
    );
    await once(socket, "close");
    expect(at.refused).toMatchObject([
      { because: "server-name", reason: expect.stringContaining("evil.test") },
    ]);
    expect(Buffer.concat(heardAll).includes("evil.test")).toBe(false);
  });
});
