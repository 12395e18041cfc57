import { describe, expect, test } from "vitest";
import { CofferdamError } from "../../../src/errors.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { ANN, post, put, settled, testApp } from "../../support/http/test-app.ts";
import { type Answer, send, shout } from "../../support/http/wire.ts";

const bearer = { authorization: `Bearer ${ANN.token}` };
const asJson = { ...bearer, "content-type": "application/json" };
const yes = JSON.stringify({ approved: true });

/** A request that is refused: what it is, how it differs from ann's yes, and its status and code. */
type Row = readonly [what: string, Parameters<typeof send>[1], status: number, code: string];

const ANSWER = { method: "POST", path: "/approvals/approval-1", headers: asJson, body: yes } as const;

const ROWS: readonly Row[] = [
  ["no token", { ...ANSWER, headers: { "content-type": "application/json" } }, 401, "TOKEN_MISSING"],
  [
    "a forged token",
    { ...ANSWER, headers: { ...asJson, authorization: `Bearer ${ANN.token.replace("a", "b")}` } },
    401,
    "TOKEN_UNKNOWN",
  ],
  [
    "the beginning of a token",
    { ...ANSWER, headers: { ...asJson, authorization: `Bearer ${ANN.token.slice(0, -1)}` } },
    401,
    "TOKEN_UNKNOWN",
  ],
  [
    "a token and something behind it",
    { ...ANSWER, headers: { ...asJson, authorization: `Bearer ${ANN.token} x` } },
    401,
    "TOKEN_UNKNOWN",
  ],
  [
    "a token by another scheme",
    { ...ANSWER, headers: { ...asJson, authorization: `Basic ${btoa(`ann:${ANN.token}`)}` } },
    401,
    "TOKEN_UNKNOWN",
  ],
  [
    "a token in the address",
    {
      ...ANSWER,
      path: `/approvals/approval-1?token=${ANN.token}`,
      headers: { "content-type": "application/json" },
    },
    401,
    "TOKEN_MISSING",
  ],
  [
    "a token in a cookie",
    { ...ANSWER, headers: { "content-type": "application/json", cookie: `token=${ANN.token}` } },
    401,
    "TOKEN_MISSING",
  ],
  [
    "two tokens",
    { ...ANSWER, headers: { ...asJson, authorization: [`Bearer x${ANN.token}`, `Bearer ${ANN.token}`] } },
    401,
    "TOKEN_UNKNOWN",
  ],
  [
    "a page of another origin",
    { ...ANSWER, headers: { ...asJson, origin: "https://evil.example" } },
    403,
    "ORIGIN_UNKNOWN",
  ],
  ["a page without an origin", { ...ANSWER, headers: { ...asJson, origin: "null" } }, 403, "ORIGIN_UNKNOWN"],
  [
    "an origin that begins like ours",
    { ...ANSWER, headers: { ...asJson, origin: "http://127.0.0.1:1.evil.example" } },
    403,
    "ORIGIN_UNKNOWN",
  ],
  [
    "an origin of our name and another port",
    { ...ANSWER, headers: { ...asJson, origin: "http://127.0.0.1:1" } },
    403,
    "ORIGIN_UNKNOWN",
  ],
  [
    "a page of another origin that asks whether it may ask",
    {
      method: "OPTIONS",
      path: "/approvals/approval-1",
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    },
    403,
    "ORIGIN_UNKNOWN",
  ],
  [
    "a name that was made to lead here",
    { ...ANSWER, headers: { ...asJson, host: "rebound.example" } },
    421,
    "HOST_UNKNOWN",
  ],
  [
    "that name with an origin of its own",
    { ...ANSWER, headers: { ...asJson, host: "rebound.example", origin: "http://rebound.example" } },
    421,
    "HOST_UNKNOWN",
  ],
  [
    "our name and another port",
    { ...ANSWER, headers: { ...asJson, host: "127.0.0.1:1" } },
    421,
    "HOST_UNKNOWN",
  ],
  [
    "our address in another spelling",
    { ...ANSWER, headers: { ...asJson, host: "127.1" } },
    421,
    "HOST_UNKNOWN",
  ],
  [
    "our name, and a target that names another",
    { ...ANSWER, path: "http://evil.example/approvals/approval-1" },
    421,
    "HOST_UNKNOWN",
  ],
  [
    "our name, and a target of our address and another port",
    { ...ANSWER, path: "http://127.0.0.1:1/approvals/approval-1" },
    421,
    "HOST_UNKNOWN",
  ],
  [
    "an expectation that nobody knows",
    { ...ANSWER, headers: { ...asJson, expect: "foo" } },
    417,
    "EXPECTATION_UNKNOWN",
  ],
  [
    "a name that was made to lead here, for the page alone",
    { path: "/", headers: { host: "rebound.example" } },
    421,
    "HOST_UNKNOWN",
  ],
  [
    "a form's body",
    {
      ...ANSWER,
      headers: { ...bearer, "content-type": "application/x-www-form-urlencoded" },
      body: "approved=true",
    },
    415,
    "BODY_NOT_JSON",
  ],
  [
    "JSON that is said to be text, as a form can send it",
    { ...ANSWER, headers: { ...bearer, "content-type": "text/plain" } },
    415,
    "BODY_NOT_JSON",
  ],
  ["JSON that is not said to be any", { ...ANSWER, headers: bearer }, 415, "BODY_NOT_JSON"],
  [
    "a type that begins like JSON's",
    { ...ANSWER, headers: { ...bearer, "content-type": "application/json-patch+json" } },
    415,
    "BODY_NOT_JSON",
  ],
  [
    "a body that is packed",
    { ...ANSWER, headers: { ...asJson, "content-encoding": "gzip" } },
    415,
    "BODY_NOT_JSON",
  ],
  [
    "a body of more than 64 KiB",
    { ...ANSWER, body: JSON.stringify({ approved: true, note: "x".repeat(64 * 1024) }) },
    413,
    "BODY_TOO_LARGE",
  ],
  ["no body", { ...ANSWER, body: "" }, 400, "REQUEST_MALFORMED"],
  ["a body that is no JSON", { ...ANSWER, body: "{approved: true}" }, 400, "REQUEST_MALFORMED"],
  ["a body that is cut off", { ...ANSWER, body: '{"approved":true' }, 400, "REQUEST_MALFORMED"],
  [
    "a body with a byte that is not UTF-8",
    {
      ...ANSWER,
      body: Buffer.from([...Buffer.from('{"approved":true,"note":"'), 0xff, ...Buffer.from('"}')]),
    },
    400,
    "REQUEST_MALFORMED",
  ],
  [
    "a body with one key twice",
    { ...ANSWER, body: '{"approved":false,"approved":true}' },
    400,
    "REQUEST_MALFORMED",
  ],
  [
    "a body with half a character",
    { ...ANSWER, body: '{"approved":true,"note":"\\ud800"}' },
    400,
    "REQUEST_MALFORMED",
  ],
  [
    "a body as deep as it is long",
    { ...ANSWER, body: `{"approved":true,"editedInput":${"[".repeat(30_000)}${"]".repeat(30_000)}}` },
    400,
    "REQUEST_MALFORMED",
  ],
  ["a key that there is not", { ...ANSWER, body: '{"aproved":true}' }, 400, "REQUEST_MALFORMED"],
  [
    "a key that there is not beside a yes",
    { ...ANSWER, body: '{"approved":true,"by":"the operator"}' },
    400,
    "REQUEST_MALFORMED",
  ],
  ["a yes that is a word", { ...ANSWER, body: '{"approved":"true"}' }, 400, "REQUEST_MALFORMED"],
  [
    "a scope that there is not",
    { ...ANSWER, body: '{"approved":true,"scope":"forever"}' },
    400,
    "REQUEST_MALFORMED",
  ],
  [
    "a note that is too long",
    { ...ANSWER, body: JSON.stringify({ approved: false, note: "x".repeat(16_385) }) },
    400,
    "REQUEST_MALFORMED",
  ],
  ["a no with another input", { ...ANSWER, body: '{"approved":false,"editedInput":{}}' }, 400, "USAGE"],
  [
    "a filter that means everybody",
    { ...ANSWER, path: "/approvals", body: '{"filter":{},"approved":false}' },
    400,
    "REQUEST_MALFORMED",
  ],
  [
    "a filter with a part that there is not",
    { ...ANSWER, path: "/approvals", body: '{"filter":{"runId":"run-1","tool":"x"},"approved":false}' },
    400,
    "REQUEST_MALFORMED",
  ],
  ["a query that there is not", { path: "/approvals?sesion=x", headers: bearer }, 400, "REQUEST_MALFORMED"],
  ["a query twice", { path: "/approvals?session=a&session=b", headers: bearer }, 400, "REQUEST_MALFORMED"],
  [
    "an address of more than 2,048 characters",
    { path: `/approvals/${"x".repeat(2_048)}`, headers: bearer },
    414,
    "URL_TOO_LONG",
  ],
  [
    "a route that there is not",
    { path: "/approvals/approval-1/approve", headers: bearer },
    404,
    "ROUTE_UNKNOWN",
  ],
  ["a route that there is not, without a token", { path: "/admin" }, 401, "TOKEN_MISSING"],
  [
    "a way out of the page's folder",
    { path: "/..%2f..%2fpackage.json", headers: bearer },
    404,
    "ROUTE_UNKNOWN",
  ],
  ["a name that every object has", { path: "/__proto__", headers: bearer }, 404, "ROUTE_UNKNOWN"],
  [
    "a method that a route has not",
    { method: "PUT", path: "/approvals/approval-1", headers: asJson, body: yes },
    405,
    "METHOD_UNKNOWN",
  ],
  ["a look at the head of the events", { method: "HEAD", path: "/events", headers: bearer }, 405, ""],
  ["an answer to the page", { method: "POST", path: "/", headers: asJson, body: yes }, 405, "METHOD_UNKNOWN"],
  [
    "a method that is meant to be another",
    { method: "TRACE", path: "/approvals", headers: bearer },
    405,
    "METHOD_UNKNOWN",
  ],
];

describe("http.auth: nothing but an approver's own answer changes anything, and what is refused leaves one line", () => {
  test("http.auth: each of these is refused with its status, and what waits waits on (S4-18)", async () => {
    const found: unknown[] = [];
    const expected: unknown[] = [];
    for (const [what, request, status, code] of ROWS) {
      await using at = await testApp();
      void put(at.desk.broker);
      await settled(at.desk, 1);
      const before = await kept(at.desk.store);
      const answer = await send(at.server.url, request);
      found.push([what, answer.status, codeOf(answer), at.refused().length, await kept(at.desk.store)]);
      expected.push([what, status, code, 1, before]);
      // Neither a token, nor a body, nor a query stands in it.
      expect(at.refused().join()).not.toMatch(/token-ann|approved|\?/);
    }
    expect(found).toEqual(expected);
  });

  test("http.auth: the same with nothing wrong counts, from its own origin, in whatever case its name is written", async () => {
    await using at = await testApp();
    const answer = put(at.desk.broker);
    await settled(at.desk, 1);
    const { host, origin } = new URL(at.server.url);
    const localhost = host.replace("127.0.0.1", "LocalHost");
    expect(
      (await send(at.server.url, { path: "/approvals", headers: { ...bearer, host: localhost } })).status,
    ).toBe(200);
    const said = await send(at.server.url, {
      ...ANSWER,
      headers: { ...asJson, origin, authorization: `bearer ${ANN.token}` },
    });
    expect(said.status).toBe(200);
    expect(await answer).toMatchObject({ status: "approved", by: "ann" });
    expect(at.refused()).toEqual([]);
  });

  test("http.auth: an answer that is sent again changes nothing, and is written down by the broker alone", async () => {
    await using at = await testApp();
    void put(at.desk.broker);
    await settled(at.desk, 1);
    const first = await send(at.server.url, ANSWER);
    const before = await at.desk.store.find("approval-1");
    const again = await send(at.server.url, ANSWER);
    expect([first.status, again.status, codeOf(again)]).toEqual([200, 409, "ANSWERED_ALREADY"]);
    expect(await at.desk.store.find("approval-1")).toEqual(before);
    expect([at.refused(), at.desk.told().at(-1)]).toEqual([[], "approval.ignored: duplicate by ann"]);
  });

  test("http.auth: what is no request at all is refused as that", async () => {
    await using at = await testApp();
    const { url } = at.server;
    const { host } = new URL(url);
    const lines = async (text: string): Promise<string> => (await shout(url, text)).split("\r\n", 1)[0] ?? "";
    expect(await lines("GARBAGE\r\n\r\n")).toBe("HTTP/1.1 400 Bad Request");
    expect(await lines(`GET / HTTP/1.1\r\nhost: ${host}\r\nx: ${"y".repeat(9_000)}\r\n\r\n`)).toBe(
      "HTTP/1.1 431 Request Header Fields Too Large",
    );
    expect(await lines("GET /approvals HTTP/1.1\r\nconnection: close\r\n\r\n")).toBe(
      "HTTP/1.1 421 Misdirected Request",
    );
    expect(
      await lines(
        `GET /approvals HTTP/1.1\r\nhost: ${host}\r\nhost: evil.example\r\nconnection: close\r\n\r\n`,
      ),
    ).toBe("HTTP/1.1 421 Misdirected Request");
    expect(await lines(`GET /approvals HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n`)).toBe(
      "HTTP/1.1 400 Bad Request",
    );
    expect(
      await lines(`GET http://evil.example/ HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n`),
    ).toBe("HTTP/1.1 421 Misdirected Request");
    expect(await lines(`CONNECT 127.0.0.1:22 HTTP/1.1\r\nhost: ${host}\r\n\r\n`)).toBe(
      "HTTP/1.1 405 Method Not Allowed",
    );
    expect(
      await lines(
        `POST /approvals/a HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      ),
    ).toBe("HTTP/1.1 400 Bad Request");
    expect(at.refused()).toHaveLength(8);
  });

  test.each([
    ["xchunked", "400 Bad Request"],
    ["chunked, gzip", "400 Bad Request"],
    ["gzip, chunked", "501 Not Implemented"],
  ])(
    "http.auth: a body that is sent as `%s` is refused, whoever sends it, and nothing of it is read",
    async (coding, status) => {
      await using at = await testApp();
      void put(at.desk.broker);
      await settled(at.desk, 1);
      const { host } = new URL(at.server.url);
      const head = `POST /approvals/approval-1 HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${ANN.token}\r\ncontent-type: application/json\r\ntransfer-encoding: ${coding}\r\n\r\n`;
      const said = await shout(at.server.url, `${head}11\r\n${yes}\r\n0\r\n\r\n`);
      expect(said.split("\r\n", 1)).toEqual([`HTTP/1.1 ${status}`]);
      expect(said).toMatch(/\r\nconnection: close\r\n(?:.*\r\n)*\r\n\{"error":\{"code":"[A-Z_]+",.*\}$/);
      expect(at.refused()).toEqual([expect.stringContaining(status.slice(0, 3))]);
      expect(await at.desk.broker.pending()).toHaveLength(1);
    },
  );

  test("http.auth: of a target that names whom it is for, nothing but its path is written down", async () => {
    await using at = await testApp();
    const { host } = new URL(at.server.url);
    const target = `http://ann:${ANN.token}@${host}/grants?x=${ANN.token}`;
    await shout(at.server.url, `GET ${target} HTTP/1.1\r\nhost: ${host}\r\nexpect: foo\r\n\r\n`);
    expect(
      await shout(at.server.url, `GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`),
    ).toMatch(/^HTTP\/1\.1 421 /);
    expect(at.refused()).toEqual([
      "GET /grants 417 the server does not support this `Expect` header",
      "GET /grants 421 the request names another server",
    ]);
  });

  test("http.auth: a body that does not say how long it is, is read as far as it may be", async () => {
    await using at = await testApp();
    const { host } = new URL(at.server.url);
    const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
    const head = `POST /approvals/a HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${ANN.token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
    expect(await shout(at.server.url, `${head}${chunk.repeat(5)}0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /);
  });
});

test("http.auth: every answer forbids to be kept, framed, sniffed, embedded elsewhere, or to run anything but the page's own code", async () => {
  await using at = await testApp();
  const { url } = at.server;
  const all = [
    await send(url, { path: "/" }),
    await send(url, { path: "/inbox.js" }),
    await send(url, { path: "/health" }),
    await send(url, { path: "/approvals" }),
    await send(url, { path: "/approvals", headers: bearer }),
    await send(url, { path: "/openapi.json", headers: bearer }),
    await send(url, { path: "/", headers: { host: "evil.example" } }),
  ];
  expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 401, 200, 200, 421]);
  for (const { headers } of all) {
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": expect.stringMatching(
        /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/,
      ),
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    expect(Object.keys(headers).filter((name) => /cookie|access-control/.test(name))).toEqual([]);
  }
});

test("http.auth: a page of a listed origin may ask, and is told so; it needs a token all the same", async () => {
  const origin = "https://tools.example";
  await using at = await testApp({ origins: [origin] });
  void put(at.desk.broker);
  await settled(at.desk, 1);
  const preflight = await send(at.server.url, {
    method: "OPTIONS",
    path: "/approvals/approval-1",
    headers: { origin, "access-control-request-method": "POST" },
  });
  expect([
    preflight.status,
    preflight.headers["access-control-allow-origin"],
    preflight.headers["access-control-allow-headers"],
  ]).toEqual([204, origin, "authorization, content-type, last-event-id"]);
  expect(preflight.headers["access-control-allow-credentials"]).toBeUndefined();
  const refused = await send(at.server.url, {
    ...ANSWER,
    headers: { origin, "content-type": "application/json" },
  });
  expect([refused.status, refused.headers["access-control-allow-origin"]]).toEqual([401, origin]);
  expect((await send(at.server.url, { ...ANSWER, headers: { ...asJson, origin } })).status).toBe(200);
  expect(
    (await send(at.server.url, { ...ANSWER, headers: { ...asJson, origin: `${origin}.evil.example` } }))
      .status,
  ).toBe(403);
});

test("http.auth: who guesses tokens is told to wait, whoever has one is let in all the same, and few lines tell of it", async () => {
  await using at = await testApp();
  const guess = () =>
    send(at.server.url, { path: "/approvals", headers: { authorization: `Bearer ${"x".repeat(40)}` } });
  const statuses: number[] = [];
  let last: Answer | undefined;
  for (let index = 0; index < 80; index += 1) {
    last = await guess();
    statuses.push(last.status);
  }
  expect(statuses.slice(0, 12)).toEqual([...Array(10).fill(401), 429, 429]);
  expect(Number(last?.headers["retry-after"])).toBeGreaterThan(0);
  expect((await send(at.server.url, { path: "/approvals", headers: bearer })).status).toBe(200);
  expect(at.refused()).toHaveLength(60);
  await at.server.close();
  expect(at.refused()).toHaveLength(61);
  expect(at.refused().at(-1)).toMatch(/^GET \/approvals 429 .* ×20$/);
});

test("http.auth: more answers than a person gives have to wait", async () => {
  await using at = await testApp({ answerRate: { atOnce: 2, perSecond: 0.01 } });
  const statuses: number[] = [];
  for (let index = 0; index < 3; index += 1)
    statuses.push((await at.ask(`/approvals/${index}`, post({ approved: true }))).status);
  expect(statuses).toEqual([404, 404, 429]);
  expect((await at.ask("/approvals")).status).toBe(200);
});

test("a store that can't be reached is told as that", async () => {
  class Away extends MemoryStore {
    override async lastSeq(): Promise<never> {
      throw new CofferdamError("STORE_UNAVAILABLE", "the store is locked", { hint: "wait" });
    }
  }
  await using at = await testApp({ store: new Away() });
  for (const path of ["/approvals", "/events"]) {
    const answer = await at.ask(path);
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { error: { code: "STORE_UNAVAILABLE", message: "the store is locked", hint: "wait" } },
    ]);
  }
});

test("what breaks inside is told without a word of what it was", async () => {
  class Broken extends MemoryStore {
    override async pending(): Promise<never> {
      throw new Error("password=hunter2");
    }
  }
  await using at = await testApp({ store: new Broken() });
  const answer = await at.ask("/approvals");
  expect([answer.status, await answer.json()]).toEqual([
    500,
    {
      error: {
        code: "INTERNAL",
        message: "internal error of the server",
        hint: "see the output of the server process",
      },
    },
  ]);
});

function codeOf({ body }: Answer): string {
  return body === "" ? "" : JSON.parse(body).error.code;
}

/** Everything that a store holds. */
async function kept(store: {
  readonly pending: () => Promise<unknown>;
  readonly lastSeq: () => Promise<number>;
  readonly grants: (id: null) => Promise<unknown>;
}): Promise<unknown> {
  return [await store.pending(), await store.lastSeq(), await store.grants(null)];
}
