import { z } from "zod";
import { ANN, put, settled, testApp } from "../../http/test-app.ts";
import { send } from "../../http/wire.ts";
import type { Row, Situation } from "../row.ts";

type Request = Parameters<typeof send>[1];

const bearer = { authorization: `Bearer ${ANN.token}` };
const asJson = { ...bearer, "content-type": "application/json" };
const YES = {
  method: "POST",
  path: "/approvals/approval-1",
  headers: asJson,
  body: '{"approved":true}',
} as const;
const LIST = { path: "/approvals", headers: bearer } as const;

const Refused = z.object({ error: z.object({ hint: z.string() }) });

/** These requests, one after another, to a server at which one approval waits: what the last one is told to do. */
const asked =
  (...requests: readonly Request[]): Situation =>
  async () => {
    await using at = await testApp();
    void put(at.desk.broker);
    await settled(at.desk, 1);
    let told: readonly string[] = [];
    for (const request of requests) {
      const { status, body } = await send(at.server.url, request);
      told = status < 400 ? [] : [Refused.parse(JSON.parse(body)).error.hint];
    }
    return told;
  };

/** One request, once the time for an answer has run out. */
const late =
  (request: Request): Situation =>
  async () => {
    await using at = await testApp();
    const { clock } = at.desk;
    void put(at.desk.broker, { createdAt: clock.now, expiresAt: clock.now + 60_000 });
    await settled(at.desk, 1);
    clock.now += 60_000;
    const { status, body } = await send(at.server.url, request);
    return status < 400 ? [] : [Refused.parse(JSON.parse(body)).error.hint];
  };

const described = asked({ path: "/openapi.json", headers: bearer });

/** Requests that a client sends to the approvals' server. */
export const OF_HTTP: readonly Row[] = [
  [
    "see `GET /openapi.json` for the input of each route",
    asked({ ...YES, body: '{"aproved":true}' }),
    described,
  ],
  ["see `GET /openapi.json` for all routes", asked({ path: "/nowhere", headers: bearer }), described],
  ["see `GET /openapi.json` for the methods of each route", asked({ ...LIST, method: "PUT" }), described],
  [
    "see `GET /approvals` for unanswered requests",
    asked({ ...YES, path: "/approvals/nowhere" }),
    asked(LIST),
  ],
  [
    "see `GET /grants` for all grants",
    asked({ method: "DELETE", path: "/grants/nowhere", headers: bearer }),
    asked({ path: "/grants", headers: bearer }),
  ],
  ["send `Authorization: Bearer TOKEN`", asked({ ...LIST, headers: {} }), asked(LIST)],
  [
    "use the token that the server printed at its start",
    asked({ ...LIST, headers: { authorization: "Bearer nobody" } }),
    asked(LIST),
  ],
  [
    "open the inbox of this server, or list the origin in `origins`",
    asked({ ...YES, headers: { ...asJson, origin: "https://a.test" } }),
    asked(YES),
  ],
  [
    "see `decision` for the answer",
    asked(YES, YES),
    asked(YES, { path: "/approvals/approval-1", headers: bearer }),
  ],
  [
    "send `Content-Type: application/json`, and no `Content-Encoding`",
    asked({ ...YES, headers: bearer }),
    asked(YES),
  ],
  [
    "use the address that the server printed, or list the name in `hosts`",
    asked({ ...YES, headers: { ...asJson, host: "a.test" } }),
    asked(YES),
  ],
  [
    "remove `Expect`, or send `Expect: 100-continue`",
    asked({ ...YES, headers: { ...asJson, expect: "foo" } }),
    asked(YES),
  ],
  [
    "remove `editedInput`, or approve",
    asked({ ...YES, body: '{"approved":false,"editedInput":{}}' }),
    asked({ ...YES, body: '{"approved":false}' }),
  ],
  [
    "send the body with `Content-Length` or `Transfer-Encoding: chunked`",
    asked({ ...YES, headers: { ...asJson, "content-length": [], "transfer-encoding": "gzip, chunked" } }),
    asked({ ...YES, headers: { ...asJson, "content-length": [], "transfer-encoding": "chunked" } }),
  ],
  ["make the call again", late(YES), asked(YES)],
];
