// The entry `cofferdam/webhook`: approvals by signed messages to a program of yours, for chats and other services.
import "../host/require-node.ts";

export type { ReceivedAnswer } from "../channel/webhook/channel.ts";
export { AnswerMessage, RequestedMessage, SettledMessage } from "../channel/webhook/messages.ts";
export {
  type ReceivedHeaders,
  signWebhook,
  type VerifiedMessage,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookMessage,
} from "../channel/webhook/signature.ts";
export { type WebhookHandler, type WebhookOptions, webhookHandler } from "../channel/webhook.ts";
