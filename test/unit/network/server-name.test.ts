import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { type ConnectionOptions, connect as secure } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Beginning, readServerName } from "../../../src/network/server-name.ts";
import { CERTIFICATE } from "../../support/web/certificate.ts";
import { heard, proxied, said, statusLine } from "../../support/web/proxied.ts";
import { servingSecurely, speaking } from "../../support/web/server.ts";

/** What is read of whoever connects, and how much of it still stands in the stream. */
async function readFrom(talk: (port: number) => void): Promise<readonly [Beginning | null, number]> {
  const read = Promise.withResolvers<readonly [Beginning | null, number]>();
  const server = createServer((client) => {
    client.on("error", () => undefined);
    void readServerName(client).then((beginning) => {
      read.resolve([beginning, client.readableLength]);
      client.destroy();
    }, read.reject);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  talk(typeof address === "object" && address !== null ? address.port : 0);
  return read.promise;
}

function hello(options: ConnectionOptions): (port: number) => void {
  return (port) => void secure({ port, host: "127.0.0.1", ...options }).on("error", () => undefined);
}

function bytes(...parts: readonly Buffer[]): (port: number) => void {
  return (port) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined).setNoDelay(true);
    for (const part of parts) socket.write(part);
    socket.end();
  };
}

describe("the host that a hello asks for", () => {
  it("is read from hellos of both versions, and stays in the stream", async () => {
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const [beginning, left] = await readFrom(hello({ servername: "a.test", maxVersion }));
      expect(beginning).toEqual({ kind: "hello", serverName: "a.test" });
      expect(left).toBeGreaterThan(100);
    }
  });

  it("is none where a hello asks for none, or can't be read", async () => {
    const nobody = { kind: "hello", serverName: "" };
    expect((await readFrom(hello({ servername: "" })))[0]).toEqual(nobody);
    expect((await readFrom(bytes(Buffer.from([0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5]))))[0]).toEqual(nobody);
  });

  it("is not looked for in what is no hello, and unknown where that ends too early", async () => {
    expect(await readFrom(bytes(Buffer.from("SSH-2.0-x\r\n")))).toEqual([{ kind: "plain" }, 11]);
    expect((await readFrom(bytes()))[0]).toBe(null);
    expect((await readFrom(bytes(Buffer.from([0x16, 3]))))[0]).toBe(null);
  });
});

describe("with `strict_sni`", () => {
  const strict = { strictSni: true } as const;
  const secured = () => servingSecurely((_request, response) => void response.end("here"));

  /** Asks through the proxy, over TLS, for one server by the name of another. */
  async function asks(port: number, credential: string, target: string, servername: string): Promise<string> {
    const socket = connect(port, "127.0.0.1");
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${credential}\r\n\r\n`);
    const [answer]: Buffer[] = await once(socket, "data");
    if (!String(answer).startsWith("HTTP/1.1 200")) return statusLine(String(answer));
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
    const { hostsOf } = await import("../../support/web/server.ts");
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
        reason: "a TLS hello for `a.test` asks for `b.test`",
      },
      {
        host: "93.184.216.34",
        port: 443,
        because: "server-name",
        reason: "a TLS hello for `93.184.216.34` asks for `a.test`",
      },
    ]);
    const loose = await proxied({ hosts: ["*.test:443"], web: { ports: { 443: await secured() } } });
    expect(await asks(loose.port, loose.credential, "a.test:443", "b.test")).toBe("here");
  });

  it("what is no TLS passes, also where the server speaks first", async () => {
    const { hostsOf } = await import("../../support/web/server.ts");
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
});
