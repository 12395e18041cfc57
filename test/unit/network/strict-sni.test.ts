import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connect as secure } from "node:tls";
import { describe, expect, it } from "vitest";
import { CERTIFICATE } from "../../support/web/certificate.ts";
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
        reason: "a TLS hello for `a.test` asks for `b.test`",
      },
      {
        host: "93.184.216.34",
        port: 443,
        because: "server-name",
        reason: "a TLS hello for `93.184.216.34` asks for `a.test`",
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
});
