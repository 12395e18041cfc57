import type { Broker } from "../approval/broker.ts";
import { isOffered, mayDecide, type ReceivedAnswer } from "../channel/webhook/channel.ts";
import type { WebhookHandler } from "../channel/webhook.ts";
import { answer } from "./answers.ts";
import { readText } from "./body.ts";
import { jsonResponse } from "./headers.ts";
import type { Mount, MountReply } from "./mount.ts";
import { type RefusalCode, refusal } from "./refusal.ts";

/** The path of answers by webhook. */
export const WEBHOOK_PATH = "/webhook";

const REFUSED = {
  unsigned: "SIGNATURE_MISSING",
  forged: "SIGNATURE_UNKNOWN",
  old: "MESSAGE_OLD",
  repeated: "MESSAGE_REPEATED",
  malformed: "MESSAGE_MALFORMED",
  forbidden: "APPROVER_UNKNOWN",
} as const satisfies Record<Extract<ReceivedAnswer, { readonly kind: "refused" }>["because"], RefusalCode>;

/**
 * Takes the signed answers of a webhook's receiver at `/webhook`. The signature is checked instead of a token; host and
 * origin are checked as for every request.
 */
export function webhookMount(broker: Broker, webhook: Pick<WebhookHandler, "read">): Mount {
  return {
    path: WEBHOOK_PATH,
    clients: "signed",
    fetch: async (request) => {
      if (request.method !== "POST") return refuse("METHOD_UNKNOWN", { headers: { allow: "POST" } });
      const text = await readText(request);
      if (text.kind === "refused") return text;
      const read = webhook.read(request.headers, text.data);
      if (read.kind === "refused") return refuse(REFUSED[read.because]);
      return decide(broker, read);
    },
  };
}

async function decide(
  broker: Broker,
  { approvalId, decision, release }: Extract<ReceivedAnswer, { readonly kind: "answer" }>,
): Promise<MountReply> {
  try {
    const stored = await broker.find(approvalId);
    if (stored !== null && !mayDecide(stored.request, decision)) return refuse("MESSAGE_INCOMPLETE");
    if (stored !== null && !isOffered(stored.request, decision)) return refuse("SCOPE_UNKNOWN");
    const by = "by" in decision ? decision.by : "";
    const outcome = await answer(broker, approvalId, decision, by);
    if (outcome.kind === "accepted") return jsonResponse(200, { status: outcome.stored?.status ?? null });
    return { kind: "refused", refusal: outcome.refusal, isWritten: true };
  } catch (cause) {
    release();
    throw cause;
  }
}

function refuse(code: RefusalCode, more: Parameters<typeof refusal>[1] = {}): MountReply {
  return { kind: "refused", refusal: refusal(code, more), isWritten: false };
}
