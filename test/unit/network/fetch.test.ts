import { once } from "node:events";
import { connect, type Socket } from "node:net";
import tls, { type TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Dial, dialHere } from "../../../src/host/look/outside.ts";
import { fetchPage, type PageRequest } from "../../../src/network/fetch.ts";
import { parseHostRule } from "../../../src/profile/host-rule.ts";
import { normalNetwork } from "../../../src/profile/network.ts";
import { onlyBy, parseProxy, proxiesOf } from "../../../src/profile/upstream.ts";
import { pageAddress } from "../../../src/tool/fetch/address.ts";
import type { Fetched } from "../../../src/tool/fetch/page.ts";
import { CERTIFICATE } from "../../support/web/certificate.ts";
import {
  hostsOf,
  PUBLIC,
  type SmallWeb,
  serving,
  servingSecurely,
  smallWeb,
  speaking,
  speakingSecurely,
} from "../../support/web/server.ts";

const HTTP = "http://docs.example.test/";
const HTTPS = "https://docs.example.test/";

/** Fetches in a small web; by default of `docs.example.test` alone. */
async function fetched(url: string, web: SmallWeb, request: Partial<PageRequest> = {}) {
  const { means, lookedUp, dialled } = smallWeb(web);
  const defaults = { network: hostsOf("docs.example.test"), method: "GET", maxBytes: 1_000_000 } as const;
  const answer = await fetchPage({ address: pageAddress(url), signal: null, ...defaults, ...request }, means);
  return { answer, lookedUp, dialled };
}

/** What a page came to, in short. */
const inShort = (answer: Fetched): string =>
  answer.kind === "page" ? `${answer.status} ${answer.text}` : `${answer.because}: ${answer.reason}`;

describe("a page", () => {
  test("is fetched as text, with its place, status, type and size", async () => {
    const port = await serving((_, response) => {
      response.writeHead(200, { "Content-Type": "Text/HTML; charset=utf-8" });
      response.end("<p>grüß dich");
    });
    const { answer } = await fetched(`${HTTP}a?b=c#d`, { ports: { 80: port } });
    expect(answer).toEqual({
      kind: "page",
      url: `${HTTP}a?b=c`,
      status: 200,
      contentType: "text/html",
      text: "<p>grüß dich",
      bytes: 14,
      isCut: false,
      redirects: [],
    });
  });

  test("is asked for with nothing of the caller: no cookies, no credentials, a plain name", async () => {
    const port = await serving((request, response) => {
      response.setHeader("Set-Cookie", "a=b");
      if (request.url === "/") response.writeHead(302, { Location: "/next" }).end();
      else response.setHeader("Content-Type", "application/json").end(JSON.stringify(request.headers));
    });
    const { answer } = await fetched(HTTP, { ports: { 80: port } });
    expect(JSON.parse(answer.kind === "page" ? answer.text : "null")).toEqual({
      host: "docs.example.test",
      "user-agent": "cofferdam/test",
      accept: expect.stringContaining("text/html"),
      "accept-encoding": "gzip, deflate, br",
      connection: "close",
    });
  });

  test("is not read where the proxy that it is asked of repeats its credentials", async () => {
    const port = await serving((request, response) => {
      const sent = request.headers["proxy-authorization"] ?? "";
      response.setHeader("Content-Type", "text/plain");
      if (request.url?.endsWith("/head") === true) response.setHeader("X-Sent", sent);
      if (request.url?.endsWith("/on") === true) {
        const [, word = ""] = sent.split(" ");
        response.writeHead(302, { Location: `/${word.slice(0, 5)}\t${word.slice(5)}` }).end();
        return;
      }
      const body = request.url?.endsWith("/page") === true ? `you sent ${sent}` : "nothing";
      response.setHeader("Content-Encoding", "gzip").end(gzipSync(body));
    });
    const { means } = smallWeb({ ports: { 3128: port } });
    const upstream = onlyBy(parseProxy("http://ann:hunter2@proxy.example.test:3128"));
    const network = normalNetwork({
      hosts: [parseHostRule("docs.example.test")],
      never: [],
      proxies: proxiesOf(upstream),
    });
    const told = async (name: string, maxBytes = 1_000): Promise<string> => {
      const request = {
        address: pageAddress(`${HTTP}${name}`),
        network,
        method: "GET",
        maxBytes,
        signal: null,
      } as const;
      return inShort(await fetchPage(request, { ...means, upstream }));
    };
    const reason =
      "connection: the answer of the proxy http://proxy.example.test:3128 repeats the user name and password of its URL";
    expect([await told("head"), await told("page"), await told("on")]).toEqual([reason, reason, reason]);
    expect(await told("else")).toBe("200 nothing");
    // Cut in the midst of them.
    expect(await told("page", 22)).toBe("200 you sent Basic ");
  });

  test("is not asked for through a proxy that the environment names", async () => {
    const asked: string[] = [];
    const proxy = await serving((request, response) => {
      asked.push(request.url ?? "");
      response.end();
    });
    const port = await serving((_, response) => response.setHeader("Content-Type", "text/plain").end("a"));
    const before = { ...process.env };
    onTestFinished(() => {
      process.env = before;
    });
    for (const name of ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"])
      process.env[name] = `http://127.0.0.1:${proxy}`;
    Object.assign(process.env, { NODE_USE_ENV_PROXY: "1" });
    const { answer } = await fetched(HTTP, { ports: { 80: port } });
    expect([inShort(answer), asked]).toEqual(["200 a", []]);
  });

  test.each([404, 500, 418])("that a server answers with %i is a page all the same", async (status) => {
    const port = await serving((_, response) =>
      response.writeHead(status, { "Content-Type": "text/plain" }).end("no"),
    );
    const { answer } = await fetched(HTTP, { ports: { 80: port } });
    expect(inShort(answer)).toBe(`${status} no`);
  });

  test("that has no body is empty: a HEAD, a 204, a 304", async () => {
    const port = await serving((request, response) => {
      const status = Number(request.url?.slice(1));
      response.writeHead(status, { "Content-Type": "image/png", "Content-Encoding": "gzip" }).end();
    });
    for (const [status, method] of [
      [200, "HEAD"],
      [204, "GET"],
      [304, "GET"],
    ] as const) {
      const { answer } = await fetched(`${HTTP}${status}`, { ports: { 80: port } }, { method });
      expect(inShort(answer)).toBe(`${status} `);
    }
  });

  test("that is no text is told by type and size, and not read; its twin that is text is read", async () => {
    const port = await serving((request, response) => {
      const [, type = ""] = request.url?.split("?") ?? [];
      if (type !== "") response.setHeader("Content-Type", type);
      response.setHeader("Content-Length", 3).end("abc");
    });
    const web = { ports: { 80: port } };
    const { answer } = await fetched(`${HTTP}?image/png`, web);
    expect(answer).toMatchObject({ kind: "stopped", because: "type", contentType: "image/png", size: 3 });
    expect((await fetched(HTTP, web)).answer).toMatchObject({ because: "type", contentType: null, size: 3 });
    expect(inShort((await fetched(`${HTTP}?text/plain`, web)).answer)).toBe("200 abc");
  });
});

describe("TLS", () => {
  const page = () =>
    servingSecurely((request, response) =>
      response.setHeader("Content-Type", "text/plain").end(request.headers.host),
    );

  test("holds the server's certificate against the name that was asked for", async () => {
    const port = await page();
    const network = hostsOf("docs.example.test", "a.pages.example.test", "other.test");
    const ports = { 443: port };
    expect(inShort((await fetched(HTTPS, { ports }, { network })).answer)).toBe("200 docs.example.test");
    const below = await fetched("https://a.pages.example.test/", { ports }, { network });
    expect(inShort(below.answer)).toBe("200 a.pages.example.test");
    const { answer } = await fetched("https://other.test/", { ports }, { network });
    expect(answer).toMatchObject({ kind: "stopped", because: "certificate" });
  });

  test("takes no certificate that nobody vouches for, whatever the environment says", async () => {
    const port = await page();
    const before = { ...process.env };
    onTestFinished(() => {
      process.env = before;
    });
    Object.assign(process.env, { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    const { answer } = await fetched(HTTPS, { ports: { 443: port }, ca: null });
    expect(answer).toMatchObject({ kind: "stopped", because: "certificate" });
  });

  test("of an old version is not spoken, whatever Node would be content with", async () => {
    const { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS } = tls;
    onTestFinished(() => void Object.assign(tls, { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS }));
    const ciphers = "ALL:@SECLEVEL=0";
    Object.assign(tls, { DEFAULT_MIN_VERSION: "TLSv1", DEFAULT_CIPHERS: ciphers });
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers } as const;
    const port = await servingSecurely((_, response) => response.end("old"), old);
    const { answer } = await fetched(HTTPS, { ports: { 443: port } });
    expect(answer).toMatchObject({ kind: "stopped", because: "certificate" });
    const content = tls.connect({ port, host: "127.0.0.1", ca: CERTIFICATE });
    await once(content, "secureConnect");
    expect(content.getProtocol()).toBe("TLSv1.1");
    content.destroy();
  });

  test("of a server that speaks none is no connection", async () => {
    const port = await serving((_, response) => response.end("plain"));
    const { answer } = await fetched(HTTPS, { ports: { 443: port } });
    expect(answer).toMatchObject({ kind: "stopped", because: "certificate" });
  });
});

describe("a redirect", () => {
  /** A server that sends each path on to what stands behind its `?`. */
  const sending = () =>
    serving((request, response) => {
      const to = decodeURIComponent(request.url?.split("?")[1] ?? "");
      if (to === "") response.setHeader("Content-Type", "text/plain").end("here");
      else response.writeHead(302, { Location: to }).end();
    });
  const via = (to: string): string => `${HTTP}?${encodeURIComponent(to)}`;

  test("is followed to hosts that are listed, each looked up and judged for itself", async () => {
    const port = await sending();
    const network = hostsOf("docs.example.test", "b.test");
    const ports = { 80: port };
    const to = `http://b.test/?${encodeURIComponent(`${HTTP}end`)}`;
    const { answer, lookedUp } = await fetched(via(to), { ports }, { network });
    expect(answer).toMatchObject({
      url: `${HTTP}end`,
      text: "here",
      redirects: [
        { status: 302, url: to },
        { status: 302, url: `${HTTP}end` },
      ],
    });
    expect(lookedUp).toEqual(["docs.example.test", "b.test", "docs.example.test"]);
  });

  test.each<[claim: string, to: string, because: string, reason: RegExp]>([
    ["a host that is not listed", "http://evil.test/x", "unlisted", /`evil\.test` on port 80/],
    ["a name below a listed one", "http://a.docs.example.test/", "unlisted", /`a\.docs\.example\.test`/],
    ["the same host with another port", "http://docs.example.test:8080/", "unlisted", /port 8080/],
    ["this machine", "http://127.0.0.1/", "unlisted", /127\.0\.0\.1/],
    ["this machine, spelt oddly", "http://0x7f.1/", "unlisted", /127\.0\.0\.1/],
    ["the cloud's metadata", "//169.254.169.254/latest", "unlisted", /169\.254\.169\.254/],
    ["a listed name that is private", "http://inside.test/", "private", /10\.0\.0\.8, a private address/],
    ["a file", "file:///etc/passwd", "redirect", /neither http nor https/],
    ["a URL with a password", "http://a:b@docs.example.test/", "redirect", /user name or a password/],
    ["nowhere", "http://", "redirect", /is not a URL/],
  ])("to %s is not followed", async (_claim, to, because, reason) => {
    const port = await sending();
    const network = hostsOf("docs.example.test:80", "inside.test");
    const names = { "inside.test": [["10.0.0.8"]] };
    const { answer, dialled } = await fetched(via(to), { ports: { 80: port }, names }, { network });
    expect(answer).toMatchObject({ kind: "stopped", because, reason: expect.stringMatching(reason) });
    expect(dialled.length).toBe(1);
  });

  test("from https to http is not followed, though both are listed; from http to https it is", async () => {
    const secure = await servingSecurely((_, response) => response.writeHead(301, { Location: HTTP }).end());
    const plain = await serving((_, response) => response.writeHead(308, { Location: `${HTTPS}a` }).end());
    const { answer } = await fetched(HTTP, { ports: { 80: plain, 443: secure } });
    expect(answer).toMatchObject({
      kind: "stopped",
      url: `${HTTPS}a`,
      because: "redirect",
      reason: "it redirects from https to http, to `docs.example.test`",
      redirects: [{ status: 308, url: `${HTTPS}a` }],
    });
  });

  test("is followed five times, not six", async () => {
    const port = await serving((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.setHeader("Content-Type", "text/plain").end("here");
      else response.writeHead(303, { Location: `/${left - 1}` }).end();
    });
    const web = { ports: { 80: port } };
    expect(inShort((await fetched(`${HTTP}5`, web)).answer)).toBe("200 here");
    const { answer, dialled } = await fetched(`${HTTP}6`, web);
    expect(inShort(answer)).toBe("redirects: it was redirected more than 5 times");
    expect(dialled.length).toBe(6);
  });

  test("that names a place beyond ASCII leads there", async () => {
    const port = await serving((request, response) => {
      if (request.url !== "/") response.setHeader("Content-Type", "text/plain").end(request.url);
      else response.writeHead(302, { Location: Buffer.from("/ü").toString("latin1") }).end();
    });
    expect(inShort((await fetched(HTTP, { ports: { 80: port } })).answer)).toBe("200 /%C3%BC");
  });
});

describe("a name that leads elsewhere the second time", () => {
  test("is connected to where it was judged, and judged again on the next hop", async () => {
    const port = await serving((request, response) => {
      if (request.url === "/") response.writeHead(302, { Location: "/again" }).end();
      else response.setHeader("Content-Type", "text/plain").end("inside");
    });
    const names = { "docs.example.test": [[PUBLIC, "10.0.0.1"], ["127.0.0.1"]] };
    const { answer, lookedUp, dialled } = await fetched(HTTP, { ports: { 80: port }, names });
    expect(answer).toMatchObject({ kind: "stopped", because: "special", url: `${HTTP}again` });
    expect(lookedUp.length).toBe(2);
    expect(dialled).toEqual([[{ host: "docs.example.test", address: PUBLIC, port: 80 }]]);
  });

  test("is not looked up again by the connection itself: the address that was judged is what counts", async () => {
    const port = await serving((_, response) => response.end());
    const found = await new Promise((resolve, reject) => {
      // By itself this name leads nowhere at all (RFC 6761, section 6.4).
      const socket = dialHere([{ host: "rebound.invalid", address: "127.0.0.1", port }]);
      socket.once("connect", () => resolve([socket.remoteAddress, socket.remotePort]));
      socket.once("error", reject);
      onTestFinished(() => void socket.destroy());
    });
    expect(found).toEqual(["127.0.0.1", port]);
    const other = connect({ host: "rebound.invalid", port });
    await expect(
      new Promise((resolve, reject) => {
        other.once("connect", resolve);
        other.once("error", reject);
      }),
    ).rejects.toMatchObject({ syscall: "getaddrinfo" });
  });

  test("the next of several judged addresses is tried where nobody is at the first", async () => {
    const port = await serving((_, response) => response.end());
    const at = (address: string) => ({ host: "two.invalid", address, port });
    const socket = dialHere([at("127.0.0.2"), at("127.0.0.1")]);
    onTestFinished(() => void socket.destroy());
    await new Promise((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    expect(socket.remoteAddress).toBe("127.0.0.1");
  });

  test("a listed address is reached over the real network, and nothing of a test stands between", async () => {
    const port = await serving((_, response) => response.setHeader("Content-Type", "text/plain").end("here"));
    const { means } = smallWeb({ ports: {} });
    const address = pageAddress(`http://2130706433:${port}/`);
    const request = { address, method: "GET", maxBytes: 100, signal: null } as const;
    const real = { ...means, dial: dialHere };
    const network = hostsOf(`127.0.0.1:${port}`);
    expect(inShort(await fetchPage({ ...request, network }, real))).toBe("200 here");
    const answer = await fetchPage({ ...request, network: hostsOf("127.0.0.2") }, real);
    expect(answer).toMatchObject({ kind: "stopped", because: "unlisted" });
  });
});

describe("a server that means harm", () => {
  test("and never ends its headers, its body or its answer is left when the time is over", async () => {
    const talks = [
      "HTTP/1.1 200 OK\r\nX-A: ",
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n",
    ];
    for (const begin of talks) {
      let drops = 0;
      const port = await speaking((socket) => {
        socket.write(begin);
        const timer = setInterval(() => {
          drops += 1;
          socket.write("a");
        }, 5);
        socket.on("close", () => clearInterval(timer));
      });
      const { answer } = await fetched(HTTP, { ports: { 80: port }, limits: { timeMs: 300 } });
      expect(answer).toMatchObject({ kind: "stopped", because: "time" });
      expect(drops).toBeGreaterThan(3);
    }
  });

  test("and never answers a look-up, a greeting or a handshake is left as well", async () => {
    const port = await speaking(() => undefined);
    const limits = { timeMs: 200 };
    for (const url of [HTTP, HTTPS]) {
      // A caller who could give up, and does not, takes nothing from the limit.
      const { signal } = new AbortController();
      const { answer } = await fetched(url, { ports: { 80: port, 443: port }, limits }, { signal });
      expect(inShort(answer)).toBe("time: there was no complete answer within 0.2 s");
    }
    const { means } = smallWeb({ ports: {}, limits });
    const silent = { ...means, resolve: () => new Promise<never>(() => undefined) };
    const network = hostsOf("docs.example.test");
    const request = {
      address: pageAddress(HTTP),
      network,
      method: "GET",
      maxBytes: 1,
      signal: null,
    } as const;
    expect(await fetchPage(request, silent)).toMatchObject({ because: "time" });
  });

  test("and has too much to say before the page is not heard out; a little less is", async () => {
    const port = await speaking((socket) => {
      socket.once("data", (asked) => {
        const size = Number(/\/(\d+) /.exec(asked.toString())?.[1]);
        socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-A: ${"a".repeat(size)}\r\n\r\nhere`);
      });
    });
    const web = { ports: { 80: port } };
    expect((await fetched(`${HTTP}40000`, web)).answer).toMatchObject({ because: "headers" });
    expect(inShort((await fetched(`${HTTP}30000`, web)).answer)).toBe("200 here");
  });

  test.each<[claim: string, said: string, because: string]>([
    ["no HTTP", "SSH-2.0-OpenSSH_9.6\r\n", "answer"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "answer"],
    [
      "a length and chunks",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      "answer",
    ],
    ["another protocol", "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", "connection"],
    ["nothing", "", "connection"],
    [
      "half a page",
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nabc",
      "connection",
    ],
  ])("and answers %s is told as that", async (_claim, said, because) => {
    const port = await speaking((socket) => void socket.once("data", () => socket.end(said)));
    const { answer } = await fetched(HTTP, { ports: { 80: port } });
    expect(answer).toMatchObject({ kind: "stopped", because });
  });

  test("and is not there is told as that", async () => {
    const port = await serving(() => undefined);
    const { answer } = await fetched(HTTP, { ports: { 80: port === 1 ? 2 : 1 } });
    expect(answer).toMatchObject({ kind: "stopped", because: "connection" });
    const { means } = smallWeb({ ports: {} });
    const dial: Dial = ([first]) => {
      const at = (address: string) => ({ ...first, address, port });
      return dialHere([at("127.0.0.2"), at("127.0.0.3")]);
    };
    const network = hostsOf("docs.example.test");
    const request = {
      address: pageAddress(HTTP),
      network,
      method: "GET",
      maxBytes: 1,
      signal: null,
    } as const;
    expect(inShort(await fetchPage(request, { ...means, dial }))).toBe(
      "connection: none of its addresses answers",
    );
  });
});

describe("a page whose end is announced by nothing but the end of its connection", () => {
  const PART = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";
  const packed = gzipSync("a page that is long enough to be cut");
  const saying = (head: string, body: string | Buffer, then: (socket: Socket) => void) =>
    speaking((socket) => {
      socket.once("data", () => {
        socket.write(`${PART}${head}\r\n`);
        socket.write(body, () => then(socket));
      });
    });
  const GZIP = "Content-Encoding: gzip\r\n";
  const stalls = (): void => undefined;
  const ends = (socket: Socket): void => void socket.end();
  // Later, so that what was said before is read before.
  const breaks = (socket: Socket): void => void setTimeout(() => socket.resetAndDestroy(), 50);

  test.each<[claim: string, head: string, body: string | Buffer]>([
    ["as it is", "", "half a page"],
    ["packed", GZIP, packed.subarray(0, -3)],
    ["packed, and all there but its connection's end", GZIP, packed],
    ["not begun", "", ""],
  ])("is no page when the time is over: %s", async (_claim, head, body) => {
    const port = await saying(head, body, stalls);
    const { answer } = await fetched(HTTP, { ports: { 80: port }, limits: { timeMs: 300 } });
    expect(inShort(answer)).toBe("time: there was no complete answer within 0.3 s");
  });

  test("is no page when the time is over on a hop further on", async () => {
    const port = await speaking((socket) => {
      socket.once("data", (asked) => {
        const isFirst = asked.toString().startsWith("GET / ");
        socket.write(
          isFirst ? `HTTP/1.1 302 Found\r\nLocation: /on\r\n\r\nhalf of` : `${PART}\r\nhalf a page`,
        );
      });
    });
    const { answer } = await fetched(HTTP, { ports: { 80: port }, limits: { timeMs: 300 } });
    expect(answer).toMatchObject({ kind: "stopped", because: "time", url: `${HTTP}on` });
  });

  test.each<[claim: string, head: string, body: string | Buffer]>([
    ["as it is", "", "half a page"],
    ["packed", GZIP, packed.subarray(0, -3)],
    ["packed, and all there", GZIP, packed],
    ["without a beginning", "", ""],
    ["in chunks, each of them whole", "Transfer-Encoding: chunked\r\n", "4\r\nhalf\r\n"],
    ["of a length that it has not", "Content-Length: 12\r\n", "half a page"],
  ])("is no page when the connection breaks: %s", async (_claim, head, body) => {
    const port = await saying(head, body, breaks);
    const { answer } = await fetched(HTTP, { ports: { 80: port } });
    expect(answer.kind === "stopped" && ["connection", "encoding"].includes(answer.because)).toBe(true);
  });

  test("is no page over TLS either, when the time is over or the connection breaks; when the server ends it, it is", async () => {
    const answering = async (then: (socket: TLSSocket, plain: Socket) => void) => {
      const port = await speakingSecurely((socket, plain) => {
        socket.once("data", () => socket.write(`${PART}\r\na page`, () => then(socket, plain)));
      });
      return (await fetched(HTTPS, { ports: { 443: port }, limits: { timeMs: 2_000 } })).answer;
    };
    expect(await answering(stalls)).toMatchObject({ kind: "stopped", because: "time" });
    expect(await answering((_, plain) => breaks(plain))).toMatchObject({ because: "connection" });
    expect(inShort(await answering(ends))).toBe("200 a page");
  });

  test("is no page when what is packed ends early, wherever that is", async () => {
    for (const length of packed.keys()) {
      const port = await saying(GZIP, packed.subarray(0, length), ends);
      const { answer } = await fetched(HTTP, { ports: { 80: port } });
      expect([length, answer.kind === "stopped" && answer.because]).toEqual([length, "encoding"]);
    }
  });

  test.each<[claim: string, head: string, body: string | Buffer, text: string]>([
    ["as it is", "", "a page", "a page"],
    ["without a word", "", "", ""],
    ["packed", GZIP, packed, "a page that is long enough to be cut"],
    ["packed, of no length", `${GZIP}Content-Length: 0\r\n`, "", ""],
    ["packed, of no chunk", `${GZIP}Transfer-Encoding: chunked\r\n`, "0\r\n\r\n", ""],
  ])("is one when the server ends it: %s", async (_claim, head, body, text) => {
    const port = await saying(head, body, ends);
    const { answer } = await fetched(HTTP, { ports: { 80: port } });
    expect(answer).toMatchObject({ kind: "page", text, isCut: false });
  });

  test("is one when its announced end came, whatever becomes of the connection then", async () => {
    for (const [head, body] of [
      ["Content-Length: 6\r\n", "a page"],
      ["Transfer-Encoding: chunked\r\n", "6\r\na page\r\n0\r\n\r\n"],
    ] as const) {
      const port = await saying(head, body, breaks);
      expect(inShort((await fetched(HTTP, { ports: { 80: port } })).answer)).toBe("200 a page");
    }
  });
});

test("a fetch that its caller gives up ends at once with the caller's reason, wherever it is", async () => {
  const port = await speaking(
    (socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\na"),
  );
  const given = new AbortController();
  const fetching = fetched(HTTP, { ports: { 80: port } }, { signal: given.signal });
  setTimeout(() => given.abort(new Error("enough")), 100);
  await expect(fetching).rejects.toThrow("enough");
  await expect(fetched(HTTP, { ports: { 80: port } }, { signal: given.signal })).rejects.toThrow("enough");
});
