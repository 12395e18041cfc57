import { describe, expect, test } from "vitest";
import { REFUSALS, type RefusalCode } from "../../../src/http/refusal.ts";
import { ROUTES, type Route, statusesOf } from "../../../src/http/routes.ts";
import { Problem, TooLate } from "../../../src/http/schemas.ts";
import { ANN, put, settled, type TestApp, testApp } from "../../support/http/test-app.ts";
import { type Answer, send } from "../../support/http/wire.ts";

/** A request as it should be, by the name of the route; `id` is one of something that waits. */
const WELL: Readonly<Record<string, { readonly path: string; readonly body?: string }>> = {
  listApprovals: { path: "/approvals" },
  answerSeveral: { path: "/approvals", body: '{"filter":{"runId":"run-1"},"approved":false}' },
  showApproval: { path: "/approvals/approval-1" },
  answer: { path: "/approvals/approval-1", body: '{"approved":true}' },
  answerShortly: { path: "/approve/approval-1", body: '{"approved":true}' },
  listGrants: { path: "/grants" },
  revokeGrant: { path: "/grants/grant-1" },
  followEvents: { path: "/events" },
  health: { path: "/health" },
  describe: { path: "/openapi.json" },
};

/** How a request as it should be, or the server, is made to be refused in each way. */
const AMISS: Readonly<Record<RefusalCode, Amiss | null>> = {
  REQUEST_MALFORMED: { query: "?a=1", body: "{}}" },
  TOKEN_MISSING: { headers: { authorization: undefined } },
  TOKEN_UNKNOWN: { headers: { authorization: "Bearer x" } },
  ORIGIN_UNKNOWN: { headers: { origin: "https://evil.example" } },
  REQUEST_UNKNOWN: { id: "nothing" },
  GRANT_UNKNOWN: { id: "nothing" },
  ANSWERED_ALREADY: { before: (at) => at.desk.broker.respond("approval-1", { approved: false }, "bob") },
  REQUEST_EXPIRED: {
    before: async ({ desk: { clock } }) => {
      clock.now += 3_600_000;
    },
  },
  BODY_TOO_LARGE: { body: JSON.stringify({ note: "x".repeat(70_000) }) },
  URL_TOO_LONG: { query: `?${"x".repeat(2_048)}` },
  BODY_NOT_JSON: { headers: { "content-type": "text/plain" } },
  HOST_UNKNOWN: { headers: { host: "evil.example" } },
  TRIES_TOO_MANY: {
    headers: { authorization: "Bearer x" },
    before: async ({ server: { url } }) => {
      for (let index = 0; index < 10; index += 1) await send(url, { path: "/grants" });
    },
  },
  ANSWERS_TOO_MANY: {
    before: async ({ ask }) => {
      for (let index = 0; index < 2; index += 1) await ask("/grants/nothing", { method: "DELETE" });
    },
  },
  SUBSCRIBERS_TOO_MANY: { before: async ({ ask }) => ask("/events") },
  // No route's own: see what is refused.
  ROUTE_UNKNOWN: null,
  METHOD_UNKNOWN: null,
  REQUEST_SLOW: null,
  EXPECTATION_UNKNOWN: null,
  CODING_UNKNOWN: null,
  REQUESTS_TOO_MANY: null,
  HEADERS_TOO_LARGE: null,
  CONNECTIONS_TOO_MANY: null,
  // Those of a webhook's answers, which are no route.
  SIGNATURE_MISSING: null,
  SIGNATURE_UNKNOWN: null,
  MESSAGE_OLD: null,
  MESSAGE_REPEATED: null,
  MESSAGE_MALFORMED: null,
  MESSAGE_INCOMPLETE: null,
  SCOPE_UNKNOWN: null,
  APPROVER_UNKNOWN: null,
};

/** What these tests look at in a description. */
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: object };
}

interface Operation {
  readonly operationId: string;
  readonly responses: object;
}

interface Amiss {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly query?: string;
  readonly body?: string;
  readonly id?: string;
  readonly before?: (at: TestApp) => Promise<unknown>;
}

const routes = Object.entries<Route>(ROUTES);

describe("the description", () => {
  test.each(routes)("of %s says how it answers where all is well", async (name, { result }) => {
    await using at = await prepared();
    const answer = await ask(at, name, {});
    expect(answer.status).toBe(200);
    switch (result.kind) {
      case "json":
        expect(result.schema.parse(JSON.parse(answer.body))).toEqual(JSON.parse(answer.body));
        break;
      case "data":
        expect(JSON.parse(answer.body)).toMatchObject({ openapi: "3.1.0" });
        break;
      case "events":
        expect(answer.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    }
  });

  const refusals = routes.flatMap(([name, route]) =>
    [...statusesOf(route)].flatMap(([status, codes]) => codes.map((code) => [name, status, code] as const)),
  );

  test.each(refusals)("of %s says that it may be refused with %i, %s", async (name, status, code) => {
    await using at = await prepared();
    const amiss = AMISS[code];
    await amiss?.before?.(at);
    const answer = await ask(at, name, amiss ?? {});
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([status, code]);
    const isTooLate = code === "ANSWERED_ALREADY" || code === "REQUEST_EXPIRED";
    expect((isTooLate ? TooLate : Problem).safeParse(JSON.parse(answer.body)).error).toBeUndefined();
  });

  test("names no schema that it does not hold, and every route and status that there is", async () => {
    await using at = await testApp();
    const text = await (await at.ask("/openapi.json")).text();
    const { paths, components }: Described = JSON.parse(text);
    const named = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, one]) => one);
    expect([...new Set(named)].toSorted()).toEqual(
      Object.keys(components.schemas)
        .filter((one) => one !== "Reset")
        .toSorted(),
    );
    expect(components.schemas).toMatchObject({
      ShortAnswerBody: { additionalProperties: false, properties: { approved: { default: false } } },
      AnswerBody: { required: ["approved"] },
    });
    expect(components.schemas).not.toHaveProperty("ShortAnswerBody.required");
    expect(text).not.toMatch(/"readOnly"|"\$id"|"\$schema"/);
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { operationId, responses }]) => [
        operationId,
        `${method} ${path}`,
        Object.keys(responses).filter((one) => one !== "default"),
      ]),
    );
    const there = routes.map(([name, route]) => [
      name,
      `${route.method} ${route.path.replace(":id", "{id}")}`,
      [200, ...[...statusesOf(route).keys()].toSorted((a, b) => a - b)].map(String),
    ]);
    expect(described.toSorted()).toEqual(there.toSorted());
  });

  test("every way of refusing is a route's or the server's own", () => {
    const ofRoutes = new Set(refusals.map(([, , code]) => code));
    const all = Object.keys(REFUSALS).filter((code) => ofRoutes.has(code as RefusalCode));
    expect(all).toEqual(
      Object.entries(AMISS)
        .flatMap(([code, amiss]) => (amiss === null ? [] : [code]))
        .toSorted((a, b) => all.indexOf(a) - all.indexOf(b)),
    );
  });
});

/** A server with something that waits and something that is granted. */
async function prepared(): Promise<TestApp> {
  const at = await testApp({ maxSubscribers: 1, answerRate: { atOnce: 2, perSecond: 0.001 } });
  const { now } = at.desk.clock;
  void put(at.desk.broker, { createdAt: now, expiresAt: now + 60_000 });
  await at.desk.broker.saveGrant({
    kind: "host",
    grantId: "grant-1",
    sessionId: "session-1",
    tool: "web_fetch",
    covers: "docs.example.org",
    by: "ann",
    grantedAt: 1,
    host: "docs.example.org",
    ports: [443],
  });
  await settled(at.desk, 1);
  return at;
}

/** The head of the answer alone, where the body does not end. */
async function ask(
  at: TestApp,
  name: string,
  { headers = {}, query = "", body, id }: Amiss,
): Promise<Answer> {
  const { method, body: schema } = routes.find(([one]) => one === name)?.[1] ?? {
    method: "get",
    body: undefined,
  };
  const well = WELL[name];
  const path = `${id === undefined ? well?.path : well?.path.replace(/[^/]+$/, id)}${query}`;
  const all = {
    authorization: `Bearer ${ANN.token}`,
    ...(schema === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
  };
  const given = Object.entries(all).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  if (name === "followEvents" && Object.keys(headers).length === 0 && query === "") {
    const response = await at.ask(path);
    const text = response.status === 200 ? "" : await response.text();
    await response.body?.cancel().catch(() => undefined);
    return { status: response.status, headers: Object.fromEntries(response.headers), body: text };
  }
  return send(at.server.url, {
    method: method.toUpperCase(),
    path,
    headers: Object.fromEntries(given),
    ...(schema === undefined ? {} : { body: body ?? well?.body ?? "" }),
  });
}
