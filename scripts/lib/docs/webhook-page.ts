import { z } from "zod";
import { AnswerMessage, RequestedMessage, SettledMessage } from "../../../src/channel/webhook/messages.ts";
import { REFUSALS, type RefusalCode } from "../../../src/http/refusal.ts";
import { fieldTable } from "./field-table.ts";
import { code, page, table } from "./markdown.ts";
import { Schema } from "./schema-rows.ts";

const WRITTEN = { io: "output" } as const;
/** A receiver may leave out what has a default. */
const READ = { io: "input" } as const;

/** The page about the messages of a webhook, from their schemas. */
export function webhookPage(): string {
  return page(
    "Webhook",
    "`cofferdam serve`, or `webhookHandler` of `cofferdam/webhook`, exchanges these messages with a program of yours. [Approve in Slack or Teams](../how-to/approve-in-slack-or-teams.md) shows both sides.",
    "With the library, `webhookHandler({ url, secret, approvers })` is the handler of a session, and an HTTP server takes the answers: `serveApprovals({ mounts: [webhookMount(broker, handler)] })` of `cofferdam/http`.",
    "## Headers",
    "Each message is a `POST` of JSON with the headers of [Standard Webhooks](https://www.standardwebhooks.com). Both sides sign with the same secret: `whsec_` and 24 to 64 bytes in base64.",
    table(
      ["header", "meaning"],
      [
        [
          code("webhook-id"),
          "The id of the message. One that is sent again keeps it; a receiver takes each id once.",
        ],
        [
          code("webhook-timestamp"),
          "When it was sent, in seconds since 1970. Older or newer than five minutes is refused.",
        ],
        [
          code("webhook-signature"),
          "`v1,` and the HMAC-SHA256 of `ID.TIMESTAMP.BODY` in base64. Several may stand side by side, with spaces between them.",
        ],
      ],
    ),
    "## Messages",
    "`type` is the name of the message, and `data` has the fields below.",
    "## approval.requested",
    "A call waits for an answer. It is sent until it is taken (status 2xx), with pauses of 1 second to 5 minutes; `Retry-After` is kept, and 410 ends it. The reply may be the answer: an `approval.answer`, signed under the id of this message.",
    "The lists `calls` of offers are empty in these messages: a message tells of no other call.",
    fields(RequestedMessage, WRITTEN),
    "## approval.settled",
    "The request is over, whoever answered it.",
    fields(SettledMessage, WRITTEN),
    "## approval.answer",
    "Your program sends an answer in its reply, or as a message of its own to `/webhook` of `cofferdam serve`. A call can be approved only if `isWhole` is true, and for more than this call only if the request offers that scope.",
    fields(AnswerMessage, READ),
    "`/webhook` replies with status 200 and the `status` of the request, or with a [problem](http-api.md#problem):",
    table(
      ["status", "code", "when"],
      REFUSED.map((name) => [String(REFUSALS[name].status), code(name), `${REFUSALS[name].message}.`]),
    ),
  );
}

/** The refusals of answers, besides those of every request. */
const REFUSED: readonly RefusalCode[] = [
  "MESSAGE_MALFORMED",
  "SCOPE_UNKNOWN",
  "SIGNATURE_MISSING",
  "SIGNATURE_UNKNOWN",
  "MESSAGE_OLD",
  "APPROVER_UNKNOWN",
  "MESSAGE_INCOMPLETE",
  "REQUEST_UNKNOWN",
  "ANSWERED_ALREADY",
  "MESSAGE_REPEATED",
  "REQUEST_EXPIRED",
];

function fields(schema: z.ZodType, direction: { readonly io: "input" | "output" }): string {
  return fieldTable(Schema.parse(z.toJSONSchema(schema, direction)), ["type", "data"]);
}
