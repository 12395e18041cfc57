import { once } from "node:events";
import { type ClientRequest, createServer, type IncomingMessage, request, type Server } from "node:http";
import { connect, createServer as createPlain, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { CallEgress } from "../../../src/network/call-egress.ts";
import { Callers } from "../../../src/network/callers.ts";
import { EgressProxy } from "../../../src/network/proxy.ts";
import { parseHostRule } from "../../../src/profile/host-rule.ts";
import { normalNetwork } from "../../../src/profile/network.ts";
import { onlyBy, parseProxy } from "../../../src/profile/upstream.ts";
import { freePort } from "../../support/web/free-port.ts";
import { portOf } from "../../support/web/port-of.ts";

const PASSWORD = "hunter2-of-the-proxy";
const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

/** An upstream proxy that notes what it is asked, and answers as `answer` says; else it joins a tunnel with an echo. */
async function upstreamProxy(answer: (socket: Socket) => void = () => undefined) {
  const heads: string[] = [];
  const server = createPlain((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (head) => {
      heads.push(head.toString("latin1"));
      answer(socket);
    });
  });
  open.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { heads, port: portOf(server) };
}

/** The egress proxy of one call that reaches these hosts by the upstream proxy, and what it tells of them. */
async function callBy(
  port: number,
  {
    hosts = ["a.test"],
    never = [] as readonly string[],
    proxies = ["http://proxy.test:3128"] as readonly string[],
  } = {},
) {
  const asked: string[] = [];
  const direct: string[] = [];
  const egress = new CallEgress(
    {
      network: normalNetwork({ hosts: hosts.map(parseHostRule), never: never.map(parseHostRule), proxies }),
      limits: {},
      upstream: onlyBy(parseProxy(`http://ann:${PASSWORD}@proxy.test:3128`)),
      ask: null,
      onRefused: () => undefined,
    },
    {
      isOwn: async () => false,
      resolve: async (name) => {
        asked.push(name);
        return name === "proxy.test" ? ["10.0.0.3"] : [];
      },
      dial: ([{ host, address }]) => {
        direct.push(`${host} ${address}`);
        return connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      },
    },
  );
  const proxy = new EgressProxy(new Callers(egress), { maxClients: 9, headMs: 5_000 });
  const server: Server = createServer();
  const listener = createPlain();
  proxy.listen(listener);
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  open.push(listener, { close: () => egress[Symbol.dispose]() }, server);
  const headers = {
    "Proxy-Authorization": `Basic ${Buffer.from(`cofferdam:${egress.secret}`).toString("base64")}`,
  };
  const at = { host: "127.0.0.1", port: portOf(listener), headers, agent: false } as const;
  return { egress, at, asked, direct };
}

type At = Awaited<ReturnType<typeof callBy>>["at"];

async function tunnel(at: At, authority: string) {
  const asked = request({ ...at, method: "CONNECT", path: authority });
  asked.end();
  const [answer, socket, head] = await once(asked, "connect");
  return { status: answer.statusCode as number, socket: socket as Socket, head: String(head) };
}

async function page(at: At, url: string) {
  const asked = request({ ...at, path: url });
  asked.end();
  const [answer] = await once(asked, "response");
  let text = "";
  for await (const part of answer) text += part;
  return { status: answer.statusCode as number, text, headers: answer.headers };
}

describe("by an upstream proxy", () => {
  test("a listed name is reached by CONNECT, unresolved, with the credentials for the proxy alone; the receipt names the proxy", async () => {
    const up = await upstreamProxy((socket) => {
      socket.write("HTTP/1.1 200 Fine\r\nX-Told: no\r\n\r\nhello ");
      socket.pipe(socket);
    });
    const { egress, at, asked, direct } = await callBy(up.port);
    const { status, socket, head } = await tunnel(at, "a.test:443");
    socket.write("echo");
    let said = head;
    while (!said.endsWith("echo")) said += String((await once(socket, "data"))[0]);
    expect([status, said]).toEqual([200, "hello echo"]);
    const [sent = ""] = up.heads;
    const basic = Buffer.from(`ann:${PASSWORD}`).toString("base64");
    expect(sent.split("\r\n").filter((line) => line !== "" && !line.startsWith("Connection"))).toEqual([
      "CONNECT a.test:443 HTTP/1.1",
      "Host: a.test:443",
      `Proxy-Authorization: Basic ${basic}`,
    ]);
    expect([asked, direct]).toEqual([["proxy.test"], ["proxy.test 10.0.0.3"]]);
    const use = egress.use();
    expect(use.hosts).toMatchObject([{ host: "a.test", port: 443, by: "http://proxy.test:3128" }]);
    expect(JSON.stringify(use)).not.toContain("hunter2");
    socket.destroy();
  });

  test.each([
    ["TRACE", {}],
    ["TRACE", { "Max-Forwards": "0" }],
    ["OPTIONS", { "Max-Forwards": "0" }],
    ["GET", { "max-forwards": "1" }],
  ])("nothing is asked by %s with %j: the proxy could say its credential back", async (method, more) => {
    const up = await upstreamProxy((socket) => socket.end("HTTP/1.1 200 Fine\r\n\r\n"));
    const { at } = await callBy(up.port);
    const ask = async (asking: string, headers: object): Promise<number> => {
      const asked = request({
        ...at,
        method: asking,
        path: "http://a.test/",
        headers: { ...at.headers, ...headers },
      });
      asked.end();
      const [answer] = await once(asked, "response");
      answer.resume();
      return answer.statusCode as number;
    };
    expect([await ask(method, more), up.heads]).toEqual([405, []]);
    expect([await ask("OPTIONS", {}), up.heads.length]).toEqual([200, 1]);
  });

  test("a plain page is asked of it by its whole URL; what the program said to our proxy goes no further", async () => {
    const up = await upstreamProxy((socket) =>
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nProxy-Authenticate: Basic\r\n\r\nhere"),
    );
    const { egress, at } = await callBy(up.port, { hosts: ["a.test:8080"] });
    const { status, text, headers } = await page(at, "http://A.test.:8080/x?y=1");
    expect([status, text, headers["proxy-authenticate"]]).toEqual([200, "here", undefined]);
    const [sent = ""] = up.heads;
    expect(sent).toMatch(/^GET http:\/\/a\.test:8080\/x\?y=1 HTTP\/1\.1\r\nHost: a\.test:8080\r\n/);
    expect(sent.match(/proxy-authorization/gi)).toHaveLength(1);
    expect(sent).not.toContain(egress.secret);
  });

  test.each<[what: string, answer: string, told: RegExp]>([
    [
      "407",
      'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n',
      /rejected the user name and password/,
    ],
    ["403", "HTTP/1.1 403 Go away\r\nContent-Length: 9\r\n\r\n<secret/>", /answered with status 403/],
    ["no HTTP", "SSH-2.0-x\r\n\r\n", /an invalid answer/],
    ["a huge head", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(40_000)}\r\n\r\n`, /an invalid answer/],
    [
      "two answers to smuggle one in",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
      /answered with status 100/,
    ],
    ["nothing", "", /an invalid answer/],
  ])("%s of it is a failure, told without what it said", async (_, answer, told) => {
    const up = await upstreamProxy((socket) => socket.end(answer));
    const { egress, at } = await callBy(up.port);
    const asked = request({ ...at, method: "CONNECT", path: "a.test:443" });
    asked.end();
    const { response, socket, head } = await connected(asked);
    let text = head.toString();
    socket.on("data", (part: Buffer) => (text += part.toString()));
    if (!socket.readableEnded) await once(socket, "end");
    expect(response.statusCode).toBe(502);
    expect(text).toMatch(told);
    expect(text).not.toMatch(/secret|Go away|realm|hunter2/);
    const { refused } = egress.use();
    expect(refused).toMatchObject([{ host: "a.test", port: 443, because: "proxy", times: 1 }]);
    expect(refused[0]?.reason).toMatch(told);
    socket.destroy();
  });

  test("a proxy that is not there is told with the host that it was to lead to, once", async () => {
    const { egress, at } = await callBy(await freePort());
    for (let times = 0; times < 2; times += 1) {
      const { status, socket } = await tunnel(at, "a.test:443");
      socket.destroy();
      expect(status).toBe(502);
    }
    const reason = expect.stringMatching(/^the proxy http:\/\/proxy\.test:3128: .*ECONNREFUSED/);
    expect(egress.use().refused).toMatchObject([{ host: "a.test", because: "proxy", reason, times: 2 }]);
  });

  describe("that repeats what it was sent", () => {
    const SENT = Buffer.from(`ann:${PASSWORD}`).toString("base64");

    test.each<[where: string, answer: readonly string[]]>([
      ["in a header", [`HTTP/1.1 503 No\r\nX-Sent: Basic ${SENT}\r\nContent-Length: 4\r\n\r\nhere`]],
      [
        "as the name and value of a header",
        [`HTTP/1.1 503 No\r\nann:${PASSWORD}\r\nContent-Length: 4\r\n\r\nhere`],
      ],
      ["in the status line", [`HTTP/1.1 503 ${SENT}\r\nContent-Length: 4\r\n\r\nhere`]],
      ["in a page", [`HTTP/1.1 503 No\r\nConnection: close\r\n\r\nyou sent ${SENT}`]],
      ["as it was written", [`HTTP/1.1 503 No\r\nConnection: close\r\n\r\nyou are ann:${PASSWORD}`]],
      ["in pieces", ["HTTP/1.1 503 No\r\nConnection: close\r\n\r\nyou sent ", ...SENT.split("")]],
    ])("shows its credentials to nobody: %s", async (_, answer) => {
      const up = await upstreamProxy((socket) => {
        socket.setNoDelay();
        for (const [at, piece] of answer.entries()) setTimeout(() => socket.write(piece), 2 * at);
        setTimeout(() => socket.end(), 2 * answer.length);
      });
      const { egress, at } = await callBy(up.port);
      const { status, text, headers } = await page(at, "http://a.test/").catch(() => ({
        status: 0,
        text: "",
        headers: {},
      }));
      expect([
        status === 503,
        text.includes(SENT.slice(0, 8)),
        JSON.stringify(headers).includes(SENT),
      ]).toEqual([false, false, false]);
      expect(text).not.toContain("hunter2");
      expect(egress.use().refused).toMatchObject([
        {
          host: "a.test",
          port: 80,
          because: "proxy",
          reason: expect.stringMatching(/repeats the user name and password/),
        },
      ]);
      expect(up.heads[0]).toMatch(/\r\nAccept-Encoding: identity\r\n/);
    });

    test.each([
      ["with a length", `Content-Length: 60\r\n\r\nyou sent ${SENT}`],
      ["in chunks", `Transfer-Encoding: chunked\r\n\r\n9\r\nyou sent \r\n`],
      ["at once behind the answer", `\r\nyou sent ${SENT}`],
    ])("makes no tunnel of a page: %s", async (_, answer) => {
      const up = await upstreamProxy((socket) => socket.end(`HTTP/1.1 200 OK\r\n${answer}`));
      const { at } = await callBy(up.port);
      const { status, socket, head } = await tunnel(at, "a.test:443");
      socket.destroy();
      expect([status, head.includes("you sent")]).toEqual([502, false]);
    });

    test("is told by short ones only where the whole header stands", () => {
      const proxy = parseProxy("http://me@proxy.test:3128");
      const [, header = ""] = proxy.authorization();
      const shown = (text: string): boolean => proxy.showsCredentialsIn(Buffer.from(text));
      expect([shown("name: time:"), shown("xbWU6x"), shown(`sent ${header}`)]).toEqual([false, false, true]);
    });

    test("hands on what only begins like them, whole", async () => {
      const almost = `${SENT.slice(0, -3)} ${SENT.slice(0, 9)}`;
      const up = await upstreamProxy((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${almost.slice(0, 7)}`);
        setTimeout(() => socket.end(almost.slice(7)), 20);
      });
      const { at } = await callBy(up.port);
      expect(await page(at, "http://a.test/")).toMatchObject({ status: 200, text: almost });
    });
  });

  test("407 to a page is no question to the program", async () => {
    const up = await upstreamProxy((socket) =>
      socket.end("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"),
    );
    const { egress, at } = await callBy(up.port);
    const { status, text } = await page(at, "http://a.test/");
    expect([status, text]).toEqual([502, expect.stringMatching(/rejected the user name and password/)]);
    expect(egress.use().refused).toMatchObject([{ host: "a.test", port: 80, because: "proxy" }]);
  });

  test.each<[what: string, place: string, given: Parameters<typeof callBy>[1], because: string]>([
    ["a name that is not listed", "b.test:443", {}, "unlisted"],
    ["a name that is never reached", "a.test:443", { hosts: ["*"], never: ["a.test"] }, "never"],
    ["any name, where an address is never reached", "a.test:443", { never: ["169.254.169.254"] }, "never"],
    ["this machine by name", "localhost:443", { hosts: ["*"] }, "no-address"],
    ["a cloud's metadata by name", "metadata.google.internal:80", { hosts: ["*"] }, "no-address"],
    ["a private address", "10.0.0.9:443", { hosts: ["*"] }, "private"],
    ["this machine by address", "127.0.0.1:443", { hosts: ["*"] }, "special"],
    ["a name of the local network, as listed", "a.test:443", { hosts: ["a.test private"] }, "no-address"],
    ["a name, where nobody allows the proxy", "a.test:443", { proxies: [] }, "no-address"],
    [
      "a name, where another proxy is allowed",
      "a.test:443",
      { proxies: ["http://b.test:3128"] },
      "no-address",
    ],
  ])("%s is not asked of it", async (_, place, given, because) => {
    const up = await upstreamProxy((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"));
    const { egress, at } = await callBy(up.port, given);
    const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(place) ?? [];
    expect(await egress.reach(host, Number(port))).toMatchObject({ kind: "refused", because });
    expect(up.heads).toEqual([]);
    // Twin: what may be is.
    const twin = await callBy(up.port, { hosts: ["a.test"], never: ["169.254.169.254:80"] });
    expect((await tunnel(twin.at, "a.test:443")).status).toBe(200);
    expect(at.port).toBeGreaterThan(0);
  });
});

/** What a proxy answers to a tunnel that it is asked for. */
function connected(
  asked: ClientRequest,
): Promise<{ readonly response: IncomingMessage; readonly socket: Duplex; readonly head: Buffer }> {
  return new Promise((resolve, reject) => {
    asked.once("connect", (response, socket, head) => resolve({ response, socket, head }));
    asked.once("error", reject);
  });
}
