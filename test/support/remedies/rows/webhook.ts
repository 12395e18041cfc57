import { spawnSync } from "node:child_process";
import { z } from "zod";
import { createGate } from "../../../../src/call/create-gate.ts";
import { signWebhook, webhookHandler } from "../../../../src/entry/webhook.ts";
import { defineTool } from "../../../../src/index.ts";
import { put } from "../../http/test-app.ts";
import { receiver, SECRET, type Sender, sender } from "../../webhook/receiver.ts";
import { quoted, type Row, type Situation } from "../row.ts";

const Refused = z.object({ error: z.object({ hint: z.string() }) });
const CUT = { hidden: [], cut: [{ at: "script", whole: "5,000 characters" }], isMore: false };

/** Answers of a webhook's receiver while one request waits: what the last one is told to do. */
const answered =
  (act: (at: Sender) => Promise<Response>, isWhole = true): Situation =>
  async () => {
    const { url } = await receiver();
    const at = await sender(url);
    const given = { approvalId: "1", ...(isWhole ? {} : { redactions: CUT }) };
    await put(at.broker, given, { isBlocking: false });
    const response = await act(at);
    return response.ok ? [] : [Refused.parse(await response.json()).error.hint];
  };
const YES = { approvalId: "1" };
const good = answered((at) => at.answer(YES));

/** Two calls in a session that runs so many without a question. */
const twice =
  (calls: number): Situation =>
  async () => {
    using gate = createGate({
      approval: { rules: [{ pattern: "*", action: "allow" }], budget: { calls } },
    });
    const tools = gate.guard([defineTool({ name: "send", run: () => 1 })]);
    await tools.call("send", {});
    const outcome = await tools.call("send", {});
    return "hint" in outcome ? [outcome.hint] : [];
  };

const handler =
  (url: string): Situation =>
  async () =>
    webhookHandler({ url, secret: SECRET, approvers: ["a"] }).close();

const signed = (secret: string): unknown => signWebhook({ id: "1", timestamp: 1, body: "" }, secret);

/** Remedies for receivers of a webhook, and for a spent budget. */
export const OF_WEBHOOK: readonly Row[] = [
  [
    "send `webhook-id`, `webhook-timestamp` and `webhook-signature`",
    answered((at) =>
      fetch(`${at.server.url}/webhook`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      }),
    ),
    good,
  ],
  [
    "sign the exact body with the secret of the webhook",
    answered((at) => at.answer(YES, { body: "{}" })),
    good,
  ],
  ["sign it when it is sent, and set the clock", answered((at) => at.answer(YES, { agoS: 400 })), good],
  [
    "sign a new message with a new id",
    answered(async (at) => {
      await at.answer({ ...YES, by: "U9" }, { id: "same" });
      return at.answer(YES, { id: "same" });
    }),
    answered(async (at) => {
      await at.answer({ ...YES, by: "U9" }, { id: "one" });
      return at.answer(YES, { id: "another" });
    }),
  ],
  [
    'send `{ type: "approval.answer", data: { approvalId, approved, by } }`',
    answered((at) => at.answer({ approvalId: "" })),
    good,
  ],
  [
    "list the person under `approvers` of the webhook",
    answered((at) => at.answer({ ...YES, by: "U9" })),
    answered((at) => at.answer({ ...YES, by: "U2" })),
  ],
  [
    "approve it in the inbox or at a terminal",
    answered((at) => at.answer(YES), false),
    answered(async (at) => {
      const [{ token = "" } = {}] = at.server.approvers;
      return fetch(`${at.server.url}/approvals/1`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: '{"approved":true}',
      });
    }, false),
  ],
  [
    "make one: `echo whsec_$(openssl rand -base64 32)`",
    () => void signed("whsec_short"),
    (_, told) => void signed(spawnSync("/bin/sh", ["-c", quoted(told)], { encoding: "utf8" }).stdout.trim()),
  ],
  [
    "`{ url, secret, approvers: [name, …], onTrouble? }`, with a URL of http or https without a password",
    handler("https://ann:pw@example.org/"),
    handler("https://example.org/"),
  ],
  ["run it where a person can be asked, or raise `approval.budget`", twice(1), twice(2)],
];
