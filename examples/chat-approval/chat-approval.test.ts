import { createHmac } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { defineTool } from "cofferdam";
import { createGate } from "cofferdam/gate";
import { serveApprovals, webhookMount } from "cofferdam/http";
import { webhookHandler } from "cofferdam/webhook";
import { expect, onTestFinished, test } from "vitest";
import { type Chat, type RelayOptions, relay } from "./relay.ts";
import { slack } from "./slack.ts";
import { teams } from "./teams.ts";

const SECRET = `whsec_${Buffer.from("a webhook secret of 32 bytes, ok").toString("base64")}`;
const SIGNING = "slack-signing-secret";
const TOKEN = Buffer.from("the token of the outgoing webhook").toString("base64");
const SOON = { timeout: 20_000 } as const;

/** Listens at a port of its own, until the test ends. */
async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A stand-in of the chat's own servers: takes what is posted. */
async function chatServer(): Promise<{ readonly url: string; readonly posted: string[] }> {
  const posted: string[] = [];
  const url = await listen((request, response) => {
    void text(request).then((body) => {
      posted.push(body);
      response.end("ok");
    });
  });
  return { url, posted };
}

/** A gate whose questions go to a chat by the relay. */
async function gateBy(chatOf: (options: RelayOptions) => Chat) {
  const { promise: ready, resolve } = Promise.withResolvers<RequestListener>();
  const relayUrl = await listen(
    (request, response) => void ready.then((listener) => listener(request, response)),
  );
  const webhook = webhookHandler({
    url: `${relayUrl}/cofferdam`,
    secret: SECRET,
    approvers: ["U1", "ann-id"],
  });
  const gate = createGate({ handler: webhook, agent: "release-bot" });
  const server = await serveApprovals(gate.broker, { mounts: [webhookMount(gate.broker, webhook)] });
  onTestFinished(async () => {
    await gate.close();
    await webhook.close();
    await server.close();
  });
  const options = { secret: SECRET, answersTo: `${server.url}/webhook` };
  resolve(relay(options, chatOf(options)));
  const tools = gate.guard([defineTool({ name: "publish", run: ({ input }) => input })]);
  return { gate, tools, relayUrl };
}

/** Presses a button as Slack's servers tell it. */
async function press(
  relayUrl: string,
  value: string,
  action_id: string,
  { user = "U1", agoS = 0, secret = SIGNING, back = "" },
): Promise<number> {
  const payload = {
    type: "block_actions",
    user: { id: user, name: "ann" },
    response_url: back,
    actions: [{ action_id, value }],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const time = String(Math.floor(Date.now() / 1000) - agoS);
  const signature = createHmac("sha256", secret).update(`v0:${time}:${body}`).digest("hex");
  const headers = { "x-slack-request-timestamp": time, "x-slack-signature": `v0=${signature}` };
  return (await fetch(`${relayUrl}/slack`, { method: "POST", headers, body })).status;
}

test("in Slack a listed person presses a button; strangers, old and forged presses change nothing", async () => {
  const chat = await chatServer();
  const { gate, tools, relayUrl } = await gateBy((options) =>
    slack({ ...options, incoming: chat.url, signingSecret: SIGNING }),
  );
  const published = tools.call("publish", { version: "2.0.0 <!channel>\u202e" });
  await expect.poll(() => chat.posted.length, SOON).toBe(1);
  // Text of an agent is plain text: it calls nobody, and nothing in it is invisible.
  const blocks: { readonly text?: { readonly type: string; readonly text: string } }[] = JSON.parse(
    chat.posted[0] ?? "",
  ).blocks;
  expect(blocks.flatMap(({ text }) => (text === undefined ? [] : [text.type]))).toEqual(
    Array(3).fill("plain_text"),
  );
  expect(chat.posted[0]).toContain("<!channel>\\\\u{202e}");
  const [{ approvalId = "" } = {}] = await gate.broker.pending();
  const back = chat.url;
  expect(await press(relayUrl, approvalId, "approve", { back, secret: "other" })).toBe(401);
  expect(await press(relayUrl, approvalId, "approve", { back, agoS: 600 })).toBe(401);
  expect(await press(relayUrl, approvalId, "approve", { back, user: "U9" })).toBe(200);
  await expect
    .poll(() => chat.posted.at(-1), SOON)
    .toContain("This answer does not count: this person may not answer");
  expect((await gate.broker.pending()).length).toBe(1);
  expect(await press(relayUrl, approvalId, "approve", { back })).toBe(200);
  expect(await published).toMatchObject({ kind: "done" });
  await expect.poll(() => chat.posted.join("\n"), SOON).toContain("approved by webhook:U1 (ann)");
});

test("in Slack a call that does not fit can only be rejected", async () => {
  const chat = await chatServer();
  const { gate, tools, relayUrl } = await gateBy((options) =>
    slack({ ...options, incoming: chat.url, signingSecret: SIGNING }),
  );
  const published = tools.call("publish", { notes: "x".repeat(5_000) });
  await expect.poll(() => chat.posted.length, SOON).toBe(1);
  expect(chat.posted[0]).not.toContain('"approve"');
  const [{ approvalId = "" } = {}] = await gate.broker.pending();
  // A press that no button offers.
  expect(await press(relayUrl, approvalId, "approve", { back: chat.url })).toBe(200);
  expect((await gate.broker.pending()).length).toBe(1);
  expect(await press(relayUrl, approvalId, "reject", { back: chat.url })).toBe(200);
  expect(await published).toMatchObject({ kind: "denied", reason: "rejected by webhook:U1 (ann)" });
});

test("in Teams a listed person replies; other people, forged and repeated replies change nothing", async () => {
  const chat = await chatServer();
  const { gate, tools, relayUrl } = await gateBy((options) =>
    teams({ ...options, incoming: chat.url, token: TOKEN }),
  );
  const published = tools.call("publish", { version: "2.0.0" });
  await expect.poll(() => chat.posted.length, SOON).toBe(1);
  const [{ approvalId = "" } = {}] = await gate.broker.pending();
  const short = approvalId.slice(0, 8);
  expect(chat.posted[0]).toContain(`approve ${short}`);
  let ids = 0;
  const say = async (words: string, { by = "ann-id", token = TOKEN, id = `m${ids++}`, agoMs = 0 } = {}) => {
    const timestamp = new Date(Date.now() - agoMs).toISOString();
    const body = JSON.stringify({
      id,
      timestamp,
      text: `<at>cofferdam</at>&nbsp;${words}`,
      from: { aadObjectId: by, name: "Ann" },
    });
    const hmac = createHmac("sha256", Buffer.from(token, "base64")).update(body).digest("base64");
    const headers = { authorization: `HMAC ${hmac}` };
    const response = await fetch(`${relayUrl}/teams`, { method: "POST", headers, body });
    return response.status === 200
      ? String(((await response.json()) as { readonly text: string }).text)
      : response.status;
  };
  const other = Buffer.from("another token").toString("base64");
  expect(await say(`approve ${short}`, { token: other })).toBe(401);
  expect(await say(`approve ${short}`, { agoMs: 600_000 })).toBe(401);
  expect(await say("hello")).toBe('Write "approve ID" or "reject ID because …".');
  expect(await say(`approve ${short}`, { by: "eve-id", id: "once" })).toBe(
    "This answer does not count: this person may not answer",
  );
  expect(await say(`approve ${short}`, { id: "once" })).toBe(401);
  expect((await gate.broker.pending()).length).toBe(1);
  expect(await say(`reject ${short} because it is Friday`)).toBe("Rejected by Ann");
  expect(await published).toMatchObject({
    kind: "denied",
    reason: "rejected by webhook:ann-id (Ann): because it is Friday",
  });
});

test("a relay takes a message of cofferdam alone", async () => {
  const chat = await chatServer();
  const { relayUrl } = await gateBy((options) =>
    slack({ ...options, incoming: chat.url, signingSecret: SIGNING }),
  );
  const forged = await fetch(`${relayUrl}/cofferdam`, { method: "POST", body: "{}" });
  expect([forged.status, chat.posted]).toEqual([401, []]);
});
