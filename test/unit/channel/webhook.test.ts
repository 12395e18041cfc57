import { describe, expect, test } from "vitest";
import { signWebhook, verifyWebhook, webhookHandler } from "../../../src/entry/webhook.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { put } from "../../support/http/test-app.ts";
import { freePort } from "../../support/web/free-port.ts";
import {
  type Got,
  OTHER_SECRET,
  type Reply,
  receiver,
  SECRET,
  type Sender,
  sender,
  signedBy,
} from "../../support/webhook/receiver.ts";

const PATIENT = { timeout: 20_000, interval: 5 } as const;
const OPEN = { isBlocking: false } as const;
const ids = (got: readonly Got[]): readonly (string | undefined)[] =>
  got.map(({ headers }) => headers["webhook-id"]);
const codeOf = async (response: Response): Promise<readonly unknown[]> => {
  const body: unknown = await response.json();
  const error = typeof body === "object" && body !== null && "error" in body ? body.error : null;
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  return [response.status, code];
};

describe("a signature", () => {
  // The example of the standard's own libraries.
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const message = {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  const headers = {
    "webhook-id": message.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  const now = message.timestamp * 1000;

  test("is that of the standard, and of other code", async () => {
    expect(signWebhook(message, secret)).toEqual(headers);
    expect(await signedBy(secret, message)).toEqual(headers);
    expect(verifyWebhook(headers, message.body, secret, now)).toEqual({ kind: "verified", ...message });
    expect(verifyWebhook(new Headers(headers), message.body, secret, now).kind).toBe("verified");
  });

  test.each<[claim: string, changed: Partial<typeof headers>, body: string, seconds: number, kind: string]>([
    ["another body", {}, `${message.body} `, 0, "forged"],
    ["another id", { "webhook-id": "msg_2" }, message.body, 0, "forged"],
    ["another time", { "webhook-timestamp": "1614265331" }, message.body, 0, "forged"],
    ["another spelling of the time", { "webhook-timestamp": "01614265330" }, message.body, 0, "forged"],
    ["no number as time", { "webhook-timestamp": "1e9" }, message.body, 0, "unsigned"],
    [
      "another version",
      { "webhook-signature": headers["webhook-signature"].replace("v1", "v2") },
      message.body,
      0,
      "forged",
    ],
    ["a cut signature", { "webhook-signature": "v1,g0hM9SsE" }, message.body, 0, "forged"],
    ["no signature", { "webhook-signature": "" }, message.body, 0, "unsigned"],
    ["five minutes and a second later", {}, message.body, 301, "old"],
    ["five minutes and a second early", {}, message.body, -301, "old"],
    ["five minutes later", {}, message.body, 300, "verified"],
    [
      "one of several signatures",
      { "webhook-signature": `v1,AAAA ${headers["webhook-signature"]}` },
      message.body,
      0,
      "verified",
    ],
  ])("with %s", (_, changed, body, seconds, kind) => {
    const result = verifyWebhook({ ...headers, ...changed }, body, secret, now + seconds * 1000);
    expect(result.kind).toBe(kind);
  });

  test("needs a secret of the standard's form, and no message shows one that is not", () => {
    const bad = "whsec_c2hvcnQ=";
    const thrown = (act: () => unknown): unknown => {
      try {
        return act();
      } catch (cause) {
        return cause;
      }
    };
    const refusal = thrown(() => signWebhook(message, bad));
    expect(refusal).toMatchObject({ code: "USAGE" });
    expect(String(refusal)).not.toContain("c2hvcnQ");
    for (const options of [
      { url: "ftp://example.org", secret: SECRET, approvers: ["a"] },
      { url: "https://ann:pw@example.org", secret: SECRET, approvers: ["a"] },
      { url: "https://example.org", secret: SECRET, approvers: [] },
      { url: "https://example.org", secret: bad, approvers: ["a"] },
    ])
      expect(thrown(() => webhookHandler(options))).toMatchObject({ code: "USAGE" });
    webhookHandler({ url: "http://127.0.0.1:1/", secret: SECRET, approvers: ["a"] })[Symbol.dispose]();
  });
});

describe("a request", () => {
  test("is sent signed and redacted, and its outcome after it", async () => {
    const { url, got } = await receiver();
    const at = await sender(url);
    const safeArgs = { host: "db", password: "[hidden]" };
    const redactions = { hidden: [{ at: "password", because: "name" as const }], cut: [], isMore: false };
    await put(at.broker, { approvalId: "1", argsHash: "h".repeat(64), safeArgs, redactions }, OPEN);
    await expect.poll(() => got.length, PATIENT).toBe(1);
    const [first] = got;
    if (first === undefined) throw new Error("nothing came");
    const { headers, body, message } = first;
    const timestamp = Number(headers["webhook-timestamp"]);
    expect(headers).toMatchObject(await signedBy(SECRET, { id: "1.requested", timestamp, body }));
    expect(headers["content-type"]).toBe("application/json");
    expect(message).toMatchObject({
      type: "approval.requested",
      data: { approvalId: "1", tool: "deploy", safeArgs, redactions, isWhole: false },
    });
    // A hash of the arguments tells what is hidden in them to somebody who can guess it.
    for (const hash of ["argsHash", "cacheKey", "h".repeat(64), SECRET]) expect(body).not.toContain(hash);
    await at.broker.respond("1", { approved: false, note: "no" }, "bob");
    await expect.poll(() => got.length, PATIENT).toBe(2);
    expect(got[1]?.message).toMatchObject({
      type: "approval.settled",
      data: { approvalId: "1", status: "rejected", by: "bob", note: "no" },
    });
  });

  test("tells the counts of other calls that an offer covers, and none of those calls", async () => {
    const { url, got } = await receiver();
    const at = await sender(url);
    const offer = {
      scope: "similar",
      cover: { of: "commands", patterns: [{ pattern: "npm test", exact: false }] },
      covers: "`npm test` with any further arguments",
      passed: { count: 2, calls: ["run npm test --token=hunter2"] },
      asked: { count: 1, calls: ["run mysql --password=hunter2"] },
    } as const;
    await put(at.broker, { approvalId: "1", offers: [offer] }, OPEN);
    await expect.poll(() => got.length, PATIENT).toBe(1);
    const [first] = got;
    expect(first?.message).toMatchObject({
      data: { offers: [{ ...offer, passed: { count: 2, calls: [] }, asked: { count: 1, calls: [] } }] },
    });
    expect(first?.body).not.toContain("hunter2");
  });

  test("approve.webhook: is answered by a signed message, by whoever is listed, once", async () => {
    const { url, got } = await receiver();
    const at = await sender(url);
    const answer = put(at.broker, { approvalId: "1" });
    await expect.poll(() => got.length, PATIENT).toBe(1);
    expect(await codeOf(await at.answer({ approvalId: "1", by: "U9" }))).toEqual([403, "APPROVER_UNKNOWN"]);
    expect((await at.answer({ approvalId: "1", name: "Ann\u202e", note: "go" })).status).toBe(200);
    expect(await answer).toEqual({
      status: "approved",
      scope: "once",
      by: "webhook:U1 (Ann\\u{202e})",
      note: "go",
    });
    expect(await codeOf(await at.answer({ approvalId: "1" }))).toEqual([409, "ANSWERED_ALREADY"]);
    expect(await codeOf(await at.answer({ approvalId: "2" }))).toEqual([404, "REQUEST_UNKNOWN"]);
  });

  test.each<[claim: string, code: string, act: (at: Sender) => Promise<Response>]>([
    [
      "with another secret",
      "SIGNATURE_UNKNOWN",
      (at) => at.answer({ approvalId: "1" }, { secret: OTHER_SECRET }),
    ],
    [
      "that was changed on its way",
      "SIGNATURE_UNKNOWN",
      (at) =>
        at.answer(
          { approvalId: "1", approved: false },
          {
            body: JSON.stringify({
              type: "approval.answer",
              data: { approvalId: "1", approved: true, by: "U1" },
            }),
          },
        ),
    ],
    ["that is old", "MESSAGE_OLD", (at) => at.answer({ approvalId: "1" }, { agoS: 400 })],
    ["from the future", "MESSAGE_OLD", (at) => at.answer({ approvalId: "1" }, { agoS: -400 })],
    [
      "without a signature",
      "SIGNATURE_MISSING",
      (at) =>
        fetch(`${at.server.url}/webhook`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: "{}",
        }),
    ],
    ["that answers nothing", "MESSAGE_MALFORMED", (at) => at.answer({ approvalId: "" })],
  ])("is not answered by a message %s", async (_, code, act) => {
    const { url } = await receiver();
    const at = await sender(url);
    const answer = put(at.broker, { approvalId: "1" });
    await expect.poll(async () => (await at.broker.pending()).length, PATIENT).toBe(1);
    const [status, told] = await codeOf(await act(at));
    expect([told, Number(status) >= 400]).toEqual([code, true]);
    expect((await at.broker.find("1"))?.status).toBe("pending");
    await expect.poll(() => at.refused().length, PATIENT).toBe(1);
    // The same message, as it should be, counts.
    expect((await at.answer({ approvalId: "1" })).status).toBe(200);
    expect(await answer).toMatchObject({ status: "approved" });
  });

  test("approve.webhook: is not answered by a message that comes twice, even if the first was for another request", async () => {
    const { url } = await receiver();
    const at = await sender(url);
    for (const approvalId of ["1", "2"]) await put(at.broker, { approvalId }, OPEN);
    expect((await at.answer({ approvalId: "1" }, { id: "same" })).status).toBe(200);
    expect(await codeOf(await at.answer({ approvalId: "1" }, { id: "same" }))).toEqual([
      409,
      "MESSAGE_REPEATED",
    ]);
    expect(await codeOf(await at.answer({ approvalId: "2" }, { id: "same" }))).toEqual([
      409,
      "MESSAGE_REPEATED",
    ]);
    expect((await at.answer({ approvalId: "2" }, { id: "another" })).status).toBe(200);
  });

  test("approve.webhook: can only be rejected by a message that did not hold all of it", async () => {
    const { url } = await receiver();
    const at = await sender(url);
    const cut = { hidden: [], cut: [{ at: "script", whole: "5,000 characters" }], isMore: false };
    const hidden = { hidden: [{ at: "script", because: "shape" as const }], cut: [], isMore: false };
    for (const [approvalId, redactions, tool] of [
      ["cut", cut, "shell"],
      ["hidden", hidden, "shell"],
      ["kept", undefined, "keep_files"],
    ] as const) {
      await put(at.broker, { approvalId, tool, ...(redactions === undefined ? {} : { redactions }) }, OPEN);
      expect([approvalId, ...(await codeOf(await at.answer({ approvalId })))]).toEqual([
        approvalId,
        403,
        "MESSAGE_INCOMPLETE",
      ]);
      expect([approvalId, (await at.answer({ approvalId, approved: false })).status]).toEqual([
        approvalId,
        200,
      ]);
    }
  });

  test("is not approved with a scope that it does not offer; twin: once", async () => {
    const at = await sender((await receiver()).url);
    await put(at.broker, { approvalId: "1", covers: null }, OPEN);
    for (const scope of ["session", "similar", "project"] as const)
      expect(await codeOf(await at.answer({ approvalId: "1", scope }))).toEqual([400, "SCOPE_UNKNOWN"]);
    expect((await at.answer({ approvalId: "1", scope: "once" })).status).toBe(200);
  });

  test("is answered in the reply, if that is signed under the id of the message; anything else in it is only read", async () => {
    const yes = (approvalId: string): string =>
      JSON.stringify({ type: "approval.answer", data: { approvalId, approved: true, by: "U2" } });
    const replies: Readonly<
      Record<string, (got: Got) => Promise<readonly [Record<string, string>, string]>>
    > = {
      good: async ({ headers }) => {
        const message = {
          id: headers["webhook-id"] ?? "",
          timestamp: Math.floor(Date.now() / 1000),
          body: yes("good"),
        };
        return [{ ...(await signedBy(SECRET, message)) }, message.body];
      },
      plain: async () => [{}, yes("plain")],
      "own id": async () => {
        const message = { id: "mine", timestamp: Math.floor(Date.now() / 1000), body: yes("own id") };
        return [{ ...(await signedBy(SECRET, message)) }, message.body];
      },
      // What we signed ourselves is no answer.
      mirror: async ({ headers, body }) => [
        Object.fromEntries(
          ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [name, headers[name] ?? ""]),
        ),
        body,
      ],
      "for another": async ({ headers }) => {
        const message = {
          id: headers["webhook-id"] ?? "",
          timestamp: Math.floor(Date.now() / 1000),
          body: yes("good"),
        };
        return [{ ...(await signedBy(SECRET, message)) }, message.body];
      },
    };
    const { url, got } = await receiver(async (one, response) => {
      const reply = await replies[one.message.data.approvalId]?.(one);
      response.writeHead(200, reply?.[0] ?? {}).end(reply?.[1] ?? "");
    });
    const at = await sender(url);
    const names = Object.keys(replies);
    for (const approvalId of names) await put(at.broker, { approvalId }, OPEN);
    await expect.poll(async () => (await at.broker.find("good"))?.status, PATIENT).toBe("approved");
    expect((await at.broker.find("good"))?.decision).toMatchObject({ by: "webhook:U2" });
    await expect.poll(() => at.trouble.length, PATIENT).toBe(3);
    expect(ids(got)).toEqual(expect.arrayContaining(names.map((name) => `${name}.requested`)));
    for (const name of names.slice(1))
      expect([name, (await at.broker.find(name))?.status]).toEqual([name, "pending"]);
  });
});

describe("a receiver", () => {
  test("that fails gets the same message again, with a new time, and the failure is recorded once", async () => {
    const failing: Reply = (_, response, index) =>
      void response.writeHead(index < 3 ? 503 : 200, index === 1 ? { "retry-after": "1" } : {}).end();
    const { url, got } = await receiver(failing);
    const at = await sender(url, { secondMs: 30 });
    await put(at.broker, { approvalId: "1" }, OPEN);
    await expect.poll(() => got.length, PATIENT).toBe(4);
    expect(new Set(ids(got))).toEqual(new Set(["1.requested"]));
    for (const { headers, body } of got) {
      const timestamp = Number(headers["webhook-timestamp"]);
      expect(headers).toMatchObject(await signedBy(SECRET, { id: "1.requested", timestamp, body }));
    }
    expect(at.told().filter((one) => one.startsWith("approval.failed"))).toEqual([
      "approval.failed: the request can't be sent to the webhook: the receiver answered with status 503",
    ]);
  });

  test("that hangs or floods holds up nobody: every request is tried, and other channels answer", async () => {
    const { url, got } = await receiver((one, response) => {
      if (!one.message.data.approvalId.startsWith("floods")) return;
      response.writeHead(200);
      const flood = (): void => {
        while (response.writable && response.write("x".repeat(65_536)));
      };
      response.on("drain", flood);
      flood();
    });
    const at = await sender(url, { secondMs: 40, timeoutMs: 300 });
    const names = ["hangs", "floods"].flatMap((how) =>
      [1, 2, 3, 4, 5, 6, 7, 8, 9].map((one) => `${how} ${one}`),
    );
    for (const approvalId of names) await put(at.broker, { approvalId }, OPEN);
    await expect.poll(() => new Set(ids(got)).size, PATIENT).toBe(names.length);
    await expect.poll(() => at.trouble.length, PATIENT).toBeGreaterThanOrEqual(9);
    expect(at.trouble[0]).toBe(
      "the request can't be sent to the webhook: the receiver did not answer in time",
    );
    for (const approvalId of names)
      expect(await at.broker.respond(approvalId, { approved: true }, "bob")).toBe("accepted");
    expect((await at.broker.pending()).length).toBe(0);
  });

  test("that redirects is not followed: the request is only for the URL that a person wrote", async () => {
    const elsewhere = await receiver();
    const { url } = await receiver(
      (_, response) => void response.writeHead(307, { location: elsewhere.url }).end(),
    );
    const at = await sender(url);
    await put(at.broker, { approvalId: "1" }, OPEN);
    await expect
      .poll(() => at.trouble, PATIENT)
      .toEqual([
        "the request can't be sent to the webhook: the receiver answered with status 307, and redirects are not followed",
      ]);
    expect(elsewhere.got).toEqual([]);
  });

  test("that says it is gone gets no more of that request; one that is not there is named without its address", async () => {
    const gone = await receiver((_, response) => void response.writeHead(410).end());
    const at = await sender(gone.url);
    await put(at.broker, { approvalId: "1" }, OPEN);
    await expect
      .poll(() => at.trouble, PATIENT)
      .toEqual(["the request can't be sent to the webhook: the receiver is gone (status 410)"]);
    const nobody = await sender(`http://127.0.0.1:${await freePort()}/`, { secondMs: 100 });
    await put(nobody.broker, { approvalId: "2" }, OPEN);
    await expect.poll(() => nobody.trouble.length, PATIENT).toBe(1);
    expect(nobody.trouble[0]).toMatch(/the receiver can't be reached \(ECONNREFUSED\)$/);
    expect(gone.got).toHaveLength(1);
  });

  test("gets each request once, also from a later process, and what was answered is not sent any more", async () => {
    const { url, got } = await receiver();
    const store = new MemoryStore();
    const first = await sender(url, { store });
    for (const approvalId of ["1", "2"]) await put(first.broker, { approvalId }, OPEN);
    await expect.poll(() => got.length, PATIENT).toBe(2);
    await first.channel.close();
    await first.broker.respond("2", { approved: true }, "bob");
    const later = await sender(url, { store });
    await put(later.broker, { approvalId: "3" }, OPEN);
    await expect.poll(() => got.length, PATIENT).toBe(3);
    expect(ids(got)).toEqual(["1.requested", "2.requested", "3.requested"]);
    expect((await later.answer({ approvalId: "1", approved: false })).status).toBe(200);
    // The later process knows that the receiver has it, and tells how it ended.
    await expect.poll(() => ids(got).at(-1), PATIENT).toBe("1.settled");
  });

  test("of a closed channel gets nothing", async () => {
    const { url, got } = await receiver();
    const at = await sender(url);
    await at.channel.close();
    await put(at.broker, { approvalId: "1" }, OPEN);
    await expect.poll(() => at.told().length, PATIENT).toBeGreaterThan(1);
    expect(at.told().at(-1)).toBe("approval.failed: the webhook channel is closed");
    expect(got).toEqual([]);
  });
});
