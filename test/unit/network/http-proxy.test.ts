import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { heard, proxied, said, statusLine } from "../../support/web/proxied.ts";
import { serving, speaking } from "../../support/web/server.ts";

/** Answers with what it was asked, as JSON. */
const echo = () =>
  serving((request, response) => {
    let body = "";
    request.on("data", (part) => (body += String(part)));
    request.on("end", () => {
      const { method, url, rawHeaders } = request;
      response.end(JSON.stringify({ method, url, rawHeaders, body }));
    });
  });

describe("a whole URL", () => {
  it("is asked for of its server, with its path as it is, by the host that was judged", async () => {
    const at = await proxied({ hosts: ["a.test"], web: { ports: { 80: await echo(), 8080: await echo() } } });
    const ask = (head: string) =>
      said(at.port, `${head}\r\nProxy-Authorization: Basic ${at.credential}\r\nConnection: close\r\n\r\n`);
    const answer = await ask(
      "GET http://A.Test./x/../y%2f?q=%41#f HTTP/1.1\r\nHost: elsewhere.test\r\nX-A: 1\r\nX-A: 2",
    );
    expect(statusLine(answer)).toBe("HTTP/1.1 200 OK");
    expect(JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1))).toEqual({
      method: "GET",
      url: "/x/../y%2f?q=%41",
      rawHeaders: ["Host", "a.test", "X-A", "1", "X-A", "2", "Connection", "close"],
      body: "",
    });
    expect(await ask("GET http://a.test:8080?x HTTP/1.1\r\nHost: a.test")).toContain(
      '"url":"/?x","rawHeaders":["Host","a.test:8080"',
    );
    expect(at.dialled.flat().map(({ host, port }) => `${host}:${port}`)).toEqual([
      "a.test:80",
      "a.test:8080",
    ]);
  });

  it("loses what is for the proxy alone, in both directions", async () => {
    const server = await serving((request, response) => {
      response
        .setHeader("Connection", "X-Hop, close")
        .setHeader("X-Hop", "1")
        .setHeader("Keep-Alive", "9")
        .setHeader("X-End", "1");
      response.end(request.rawHeaders.join(" "));
    });
    const at = await proxied({ hosts: ["a.test"], web: { ports: { 80: server } } });
    const answer = await said(
      at.port,
      `GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: Basic ${at.credential}\r\nProxy-Connection: x\r\nConnection: close, x-mine\r\nX-Mine: 1\r\nTE: trailers\r\nUpgrade: h2c\r\nExpect: 100-continue\r\nCookie: c\r\n\r\n`,
    );
    expect(answer.slice(answer.lastIndexOf("\r\n\r\n"))).toContain("Host a.test Cookie c Connection close");
    expect(answer).toContain("X-End: 1");
    expect(answer).not.toMatch(/X-Hop|Keep-Alive: 9/);
  });

  it("has its body handed on, whatever its length", async () => {
    const at = await proxied({ hosts: ["a.test"], web: { ports: { 80: await echo() } } });
    const head = `POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: Basic ${at.credential}\r\nConnection: close\r\n`;
    expect(await said(at.port, `${head}Content-Length: 5\r\n\r\n`, "hello")).toContain('"body":"hello"');
    const chunked = await said(
      at.port,
      `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`,
      "6\r\n there\r\n0\r\n\r\n",
    );
    expect(chunked).toContain('"body":"hello there"');
    // Node takes a GET to have no body: what is one must not become the next request.
    const get = await said(
      at.port,
      `${head.replace("POST", "GET")}Transfer-Encoding: chunked\r\n\r\n1c\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n\r\n0\r\n\r\n`,
    );
    expect(get).toContain('"method":"GET","url":"/"');
    expect(get).toContain('"body":"GET /2 HTTP/1.1\\r\\nHost: x');
  });

  it.each([
    [
      "DELETE",
      "Transfer-Encoding: chunked\r\n",
      "5\r\nhello\r\n0\r\n\r\n",
      "hello",
      ["Transfer-Encoding", "chunked"],
    ],
    [
      "GET",
      "Transfer-Encoding: chunked\r\n",
      "5\r\nhello\r\n0\r\n\r\n",
      "hello",
      ["Transfer-Encoding", "chunked"],
    ],
    ["GET", "Content-Length: 5\r\n", "hello", "hello", ["Content-Length", "5"]],
    ["GET", "Connection: content-length\r\nContent-Length: 5\r\n", "hello", "hello", ["Content-Length", "5"]],
    ["POST", "", "", "", ["Content-Length", "0"]],
    ["PROPFIND", "", "", "", ["Content-Length", "0"]],
    ["DELETE", "", "", "", []],
    ["OPTIONS", "", "", "", []],
  ])("has the body that it had, and no other, as %s with %j", async (method, head, sent, body, framing) => {
    const at = await proxied({ hosts: ["a.test"], web: { ports: { 80: await echo() } } });
    const answer = await said(
      at.port,
      `${method} http://a.test/ HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: Basic ${at.credential}\r\nConnection: close\r\n${head}\r\n${sent}`,
    );
    expect(JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1))).toEqual({
      method,
      url: "/",
      rawHeaders: expect.toSatisfy(
        (headers: readonly string[]) =>
          headers.toSorted().join() ===
          ["Host", "a.test", "Connection", "close", ...framing].toSorted().join(),
      ),
      body,
    });
  });

  it("comes one after another on a connection that stays", async () => {
    const at = await proxied({ hosts: ["a.test"], web: { ports: { 80: await echo() } } });
    const request = (path: string, more = "") =>
      `GET http://a.test${path} HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: Basic ${at.credential}\r\n${more}\r\n`;
    const answer = await said(at.port, request("/1"), request("/2"), request("/3", "Connection: close\r\n"));
    expect([...answer.matchAll(/"url":"([^"]*)"/g)].map(([, url]) => url)).toEqual(["/1", "/2", "/3"]);
    expect(at.egress.use().hosts).toMatchObject([{ host: "a.test", port: 80, connections: 3 }]);
  });

  it("has an answer handed back as it is: 304, HEAD, an empty one, a cut one", async () => {
    const server = await serving((request, response) => {
      if (request.method === "HEAD") response.writeHead(200, { "Content-Length": "7" }).end();
      else if (request.url === "/304") response.writeHead(304, { ETag: "e" }).end();
      else if (request.url === "/204") response.writeHead(204).end();
      else {
        response.writeHead(200, { "Content-Length": "10" }).write("half");
        setTimeout(() => response.destroy(), 20);
      }
    });
    const at = await proxied({ hosts: ["a.test"], web: { ports: { 80: server } } });
    const ask = (line: string) =>
      said(
        at.port,
        `${line} HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: Basic ${at.credential}\r\nConnection: close\r\n\r\n`,
      );
    expect(await ask("HEAD http://a.test/")).toMatch(
      /^HTTP\/1.1 200 OK\r\nContent-Length: 7\r\n.*\r\n\r\n$/s,
    );
    expect(await ask("GET http://a.test/304")).toMatch(/^HTTP\/1.1 304 Not Modified\r\nETag: e/);
    expect(statusLine(await ask("GET http://a.test/204"))).toBe("HTTP/1.1 204 No Content");
    expect((await ask("GET http://a.test/half")).endsWith("half")).toBe(true);
  });

  it("ends its answer only where the server did: not where its connection broke, or lasted for as long as it may", async () => {
    const begin = "HTTP/1.1 200 OK\r\nX-End: 1\r\n\r\nhalf an answer";
    const ends: readonly (readonly [claim: string, then: (socket: Socket) => void, isWhole: boolean])[] = [
      ["ended by the server", (socket) => void socket.end(), true],
      ["broken", (socket) => void setTimeout(() => socket.resetAndDestroy(), 50), false],
      ["stalled", () => undefined, false],
    ];
    for (const [claim, then, isWhole] of ends) {
      const server = await speaking(
        (socket) => void socket.once("data", () => socket.write(begin, () => then(socket))),
      );
      const limits = { connectionMs: 500 };
      const at = await proxied({ hosts: ["a.test"], web: { ports: { 80: server } }, limits });
      const credential = `Proxy-Authorization: Basic ${at.credential}`;
      const answer = await said(
        at.port,
        `GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n${credential}\r\n\r\n`,
      );
      expect([claim, answer.includes("half an answer"), answer.endsWith("\r\n0\r\n\r\n")]).toEqual([
        claim,
        true,
        isWhole,
      ]);
    }
  });

  it("has an answer handed back that comes before all was asked, and ends the connection", async () => {
    const early = await speaking((socket) => {
      socket.once("data", () => {
        socket.end("HTTP/1.1 413 Too Much\r\nContent-Length: 5\r\n\r\nenough".slice(0, -1));
      });
    });
    const at = await proxied({ hosts: ["a.test"], web: { ports: { 80: early } } });
    const body = Buffer.alloc(3_000_000);
    const answer = await said(
      at.port,
      `POST http://a.test/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${at.credential}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`,
      body,
    );
    expect([statusLine(answer), answer.endsWith("enoug")]).toEqual(["HTTP/1.1 413 Too Much", true]);
  });

  it("reaches its server before its body comes, and may be answered by then", async () => {
    const eager = await serving((_request, response) => void response.end("no need"));
    const at = await proxied({ hosts: ["a.test"], web: { ports: { 80: eager } } });
    const socket = connect(at.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST http://a.test/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${at.credential}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const [answer]: Buffer[] = await once(socket, "data");
    expect(statusLine(String(answer))).toBe("HTTP/1.1 200 OK");
  });

  it("is answered with 502 where the answer is coded for the next hop in a way that nobody here reads", async () => {
    const coded = (coding: string) =>
      speaking(
        (socket) =>
          void socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: ${coding}\r\n\r\n4\r\nbody\r\n0\r\n\r\n`),
      );
    for (const [coding, status] of [
      ["gzip, chunked", 502],
      ["gzip", 502],
      ["Chunked", 200],
    ] as const) {
      const at = await proxied({ hosts: ["a.test"], web: { ports: { 80: await coded(coding) } } });
      const answer = await said(
        at.port,
        `GET http://a.test/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${at.credential}\r\nConnection: close\r\n\r\n`,
      );
      expect([coding, Number(statusLine(answer).split(" ")[1])]).toEqual([coding, status]);
    }
  });

  it("is answered with 502 where the server answers nothing, or what is no answer", async () => {
    const silent = await speaking((socket) => void socket.end());
    const odd = await speaking((socket) => void socket.end("HTTP/1.1 200 \u0000\r\nX: \u0001\r\n\r\n"));
    const switching = await speaking(
      (socket) => void socket.write("HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    );
    const at = await proxied({
      hosts: ["*.test"],
      web: {
        ports: {
          "silent.test:80": silent,
          "odd.test:80": odd,
          "switching.test:80": switching,
          "gone.test:80": 1,
        },
      },
    });
    for (const name of ["silent", "odd", "switching", "gone"]) {
      const answer = await said(
        at.port,
        `GET http://${name}.test/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${at.credential}\r\nConnection: close\r\n\r\n`,
      );
      expect([name, statusLine(answer)]).toEqual([name, "HTTP/1.1 502 Bad Gateway"]);
    }
  });
});

describe("a body that nobody wants", () => {
  /** Sends the most of a body after the answer has come; what was answered, and what went wrong meanwhile. */
  async function answerTo(port: number, host: string, credential: string): Promise<string> {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    let answer = "";
    socket.on("data", (part) => (answer += String(part)));
    socket.on("error", (error) => (answer += `\nand then ${error.message}`));
    const closed = once(socket, "close");
    const pieces = 20;
    socket.write(
      `POST http://${host}/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${credential}\r\nConnection: close\r\nContent-Length: ${pieces * 65_536}\r\n\r\n`,
    );
    await once(socket, "data");
    for (let piece = 0; piece < pieces; piece += 1) {
      await pause(5);
      socket.write(Buffer.alloc(65_536));
    }
    socket.end();
    await closed;
    return answer;
  }

  it("is read on, so that whoever sends it comes to read why not", async () => {
    const eager = await speaking((socket) => void socket.end("HTTP/1.1 413 Too Much\r\n\r\nenough"));
    const at = await proxied({
      hosts: ["a.test", "gone.test"],
      web: { ports: { "a.test:80": eager, "gone.test:80": 1 } },
    });
    for (const [host, status] of [
      ["b.test", "403 Forbidden"],
      ["gone.test", "502 Bad Gateway"],
      ["a.test", "413 Too Much"],
    ] as const) {
      const answer = await answerTo(at.port, host, at.credential);
      expect(statusLine(answer)).toBe(`HTTP/1.1 ${status}`);
      expect(answer).not.toContain("and then");
    }
  });

  it("may be cut short by whoever sends it, of which nothing is told; of what is no HTTP it is", async () => {
    const served = Promise.withResolvers<void>();
    const server = await serving((request) => void request.on("error", () => served.resolve()));
    const at = await proxied({ hosts: ["a.test"], web: { ports: { 80: server } } });
    const head = (host: string): string =>
      `POST http://${host}/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${at.credential}\r\nContent-Length: 9\r\n\r\nhalf`;
    for (const how of ["end", "resetAndDestroy"] as const) {
      const refused = connect({ port: at.port, host: "127.0.0.1", allowHalfOpen: true });
      refused.write(head("b.test"));
      const [answer]: Buffer[] = await once(refused, "data");
      expect(statusLine(String(answer))).toBe("HTTP/1.1 403 Forbidden");
      refused[how]();
      await once(refused, "close");
    }
    const cut = connect({ port: at.port, host: "127.0.0.1", allowHalfOpen: true });
    cut.end(head("a.test"));
    expect(await heard(cut)).toBe("");
    await served.promise;
    expect(at.refused.map(({ because }) => because)).toEqual(["unlisted"]);
    expect(statusLine(await said(at.port, "SSH-2.0-x\r\n"))).toBe("HTTP/1.1 400 Bad Request");
    expect(at.refused.map(({ because }) => because)).toEqual(["unlisted", "malformed"]);
  });

  it("is not what is asked after the last answer: that is not done", async () => {
    const at = await proxied({ hosts: ["a.test"], web: { ports: { 80: await echo() } } });
    const shown = `Host: x\r\nProxy-Authorization: Basic ${at.credential}\r\n`;
    const asks = [
      [`GET http://a.test/ HTTP/1.1\r\nConnection: close\r\n${shown}\r\n`, "HTTP/1.1 200 OK"],
      [`CONNECT a.test:80 HTTP/1.1\r\n${shown}\r\n`, "HTTP/1.1 200 Connection established"],
    ] as const;
    for (const [next] of asks) {
      const socket = connect({ port: at.port, host: "127.0.0.1", allowHalfOpen: true });
      socket.write(`GET http://b.test/ HTTP/1.1\r\n${shown}\r\n`);
      const [answer]: Buffer[] = await once(socket, "data");
      socket.write(next);
      expect([statusLine(String(answer)), await heard(socket)]).toEqual(["HTTP/1.1 403 Forbidden", ""]);
    }
    expect(at.dialled).toEqual([]);
    for (const [next, status] of asks) {
      const socket = connect(at.port, "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      socket.write(next);
      const [answer]: Buffer[] = await once(socket, "data");
      expect(statusLine(String(answer))).toBe(status);
    }
    expect(at.dialled).toHaveLength(2);
  });
});

describe("CONNECT", () => {
  it("joins both sides, with what was sent along, and either can end by itself", async () => {
    const server = await speaking((socket) => {
      let heard = "";
      socket.on("data", (part) => (heard += String(part)));
      socket.on("end", () => socket.end(`heard ${heard}`));
    }, true);
    const at = await proxied({ hosts: ["a.test:7"], web: { ports: { 7: server } } });
    const socket = connect({ port: at.port, host: "127.0.0.1", allowHalfOpen: true });
    socket.write(
      `CONNECT a.test:7 HTTP/1.1\r\nHost: a.test:7\r\nProxy-Authorization: Basic ${at.credential}\r\n\r\nsent `,
    );
    socket.end("along");
    let answer = "";
    for await (const part of socket) answer += String(part);
    expect(answer).toBe("HTTP/1.1 200 Connection established\r\n\r\nheard sent along");
    await expect
      .poll(() => at.egress.use().hosts)
      .toEqual([{ host: "a.test", port: 7, connections: 1, sentBytes: 10, receivedBytes: 16 }]);
  });

  it.each([
    ["an unlisted port", "a.test:22", 403],
    ["a name below", "b.a.test:443", 403],
    ["a name that ends alike", "nota.test:443", 403],
    ["a name that begins alike", "a.test.evil:443", 403],
    ["no port", "a.test", 400],
    ["port 0", "a.test:0", 403],
    ["a port that is none", "a.test:99999", 403],
    ["a user", "x@a.test:443", 403],
    ["a percent sign", "%61.test:443", 403],
    ["a list", "a.test,evil.test:443", 403],
    ["a number", "2130706433:443", 403],
    ["an octal number", "0177.0.0.1:443", 403],
    ["a mapped address", "[::ffff:127.0.0.1]:443", 403],
    ["loopback", "[::1]:443", 403],
  ])("is refused with %s", async (_what, target, status) => {
    const at = await proxied({ hosts: ["a.test:443"], web: { ports: {} } });
    const answer = await said(
      at.port,
      `CONNECT ${target} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${at.credential}\r\n\r\n`,
    );
    expect(Number(statusLine(answer).split(" ")[1])).toBe(status);
    expect([at.dialled, at.lookedUp]).toEqual([[], []]);
  });

  it("is not let begin while something else is being answered, which would be said inside of it", async () => {
    const slow = await serving((_request, response) => void setTimeout(() => response.end("late"), 50));
    const at = await proxied({ hosts: ["a.test", "a.test:443"], web: { ports: { 80: slow, 443: slow } } });
    const shown = `Host: x\r\nProxy-Authorization: Basic ${at.credential}\r\n\r\n`;
    const [get, tunnel] = [
      `GET http://a.test/ HTTP/1.1\r\n${shown}`,
      `CONNECT a.test:443 HTTP/1.1\r\n${shown}`,
    ];
    expect(await said(at.port, get, tunnel)).toBe("");
    const reason = "a tunnel was requested during another request";
    expect(at.refused).toMatchObject([{ host: null, because: "malformed", reason }]);
    const socket = connect(at.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    for (const [line, status] of [
      [get, "HTTP/1.1 200 OK"],
      [tunnel, "HTTP/1.1 200 Connection established"],
    ] as const) {
      socket.write(line);
      const [answer]: Buffer[] = await once(socket, "data");
      expect(statusLine(String(answer))).toBe(status);
    }
  });

  it("passes with the listed name in every spelling of it", async () => {
    const server = await serving((_request, response) => void response.end("x"));
    const at = await proxied({ hosts: ["a.test:443"], web: { ports: { 443: server } } });
    for (const target of ["a.test:443", "A.TEST.:443", "a.test.:443"]) {
      const answer = await said(
        at.port,
        Buffer.from(
          `CONNECT ${target} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic ${at.credential}\r\n\r\n`,
        ),
        "GET / HTTP/1.0\r\n\r\n",
      );
      expect([target, statusLine(answer)]).toEqual([target, "HTTP/1.1 200 Connection established"]);
    }
  });
});

describe("whoever does not show the call's own secret", () => {
  it("is asked for it, and told no when it shows another", async () => {
    const at = await proxied({ hosts: ["a.test:80"], web: { ports: { 80: await echo() } } });
    const other = await proxied({ hosts: ["a.test:80"], web: { ports: {} } });
    const wrong = (text: string) => `Proxy-Authorization: ${text}\r\n`;
    const basic = (text: string) => wrong(`Basic ${Buffer.from(text).toString("base64")}`);
    const ways = [
      "",
      wrong(`Basic ${other.credential}`),
      wrong(`Bearer ${at.egress.secret}`),
      wrong("Basic"),
      wrong("Basic %%%"),
      basic(at.egress.secret),
      basic(`cofferdam:${at.egress.secret}x`),
      basic("cofferdam:"),
      basic(`other:${at.egress.secret}`),
    ];
    for (const way of ways)
      for (const line of ["GET http://a.test/", "CONNECT a.test:80"]) {
        const answer = await said(at.port, `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${way}\r\n`);
        expect([line, way, statusLine(answer)]).toEqual([
          line,
          way,
          "HTTP/1.1 407 Proxy Authentication Required",
        ]);
        expect(answer).toContain('Proxy-Authenticate: Basic realm="cofferdam"');
      }
    expect(at.dialled).toEqual([]);
    expect(at.refused).toEqual([
      {
        host: "a.test",
        port: 80,
        because: "credential",
        reason: "the proxy got another secret than the call's",
      },
    ]);
    expect(
      await said(
        at.port,
        `GET http://a.test/ HTTP/1.0\r\nProxy-Authorization: basic  ${at.credential}\r\n\r\n`,
      ),
    ).toContain("200 OK");
  });

  it("is served no more when the call is over", async () => {
    const at = await proxied({ hosts: ["a.test:80"], web: { ports: { 80: await echo() } } });
    at.egress[Symbol.dispose]();
    const answer = await said(
      at.port,
      `GET http://a.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nProxy-Authorization: Basic ${at.credential}\r\n\r\n`,
    );
    expect(statusLine(answer)).toBe("HTTP/1.1 407 Proxy Authentication Required");
  });
});

describe("what is no request to a proxy", () => {
  it.each([
    ["a path alone", "GET / HTTP/1.1\r\nHost: a.test\r\n", 400],
    ["an https URL", "GET https://a.test/ HTTP/1.1\r\nHost: a.test\r\n", 400],
    ["no host", "GET http:///x HTTP/1.1\r\nHost: a.test\r\n", 400],
    ["a user", "GET http://u:p@a.test/ HTTP/1.1\r\nHost: a.test\r\n", 403],
    ["a port that is none", "GET http://a.test:x/ HTTP/1.1\r\nHost: a.test\r\n", 403],
    [
      "two lengths",
      "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n",
      400,
    ],
    ["a NUL in a header", "GET http://a.test/ HTTP/1.1\r\nHost: a\0.test\r\n", 400],
    ["another protocol", "SSH-2.0-x\r\n", 400],
  ])("is refused: %s", async (_what, head, status) => {
    const at = await proxied({ hosts: ["a.test"], web: { ports: {} } });
    const answer = await said(
      at.port,
      `${head}Proxy-Authorization: Basic ${at.credential}\r\nConnection: close\r\n\r\n`,
    );
    expect(Number(statusLine(answer).split(" ")[1])).toBe(status);
    expect(at.dialled).toEqual([]);
  });

  it("is refused: a head of a mebibyte, of which little is read", async () => {
    const at = await proxied({ hosts: ["a.test"], web: { ports: {} } });
    const answer = await said(at.port, `GET http://a.test/ HTTP/1.1\r\nX: ${"x".repeat(1024 ** 2)}\r\n\r\n`);
    expect(statusLine(answer)).toBe("HTTP/1.1 431 Request Header Fields Too Large");
    expect(at.refused).toEqual([
      { host: null, port: null, because: "malformed", reason: "the request header is too long" },
    ]);
  });
});
