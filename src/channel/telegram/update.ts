import { z } from "zod";
import { visibleStart } from "../foreign-text.ts";

/** More of a person's name is left out. */
const MOST_OF_A_NAME = 80;

const Person = z.object({
  id: z.int(),
  first_name: z.string().default(""),
  last_name: z.string().default(""),
  username: z.string().default(""),
});
const Place = { message_id: z.int(), chat: z.object({ id: z.int() }) };

/** What of an update is looked at (https://core.telegram.org/bots/api#update); the rest is none of our business. */
const Update = z.object({
  callback_query: z
    .object({ id: z.string(), from: Person, data: z.string(), message: z.object(Place) })
    .optional(),
  message: z
    .object({ ...Place, from: Person, text: z.string(), reply_to_message: z.object(Place) })
    .optional(),
});

/** Somebody in a chat, by the number that Telegram knows them by, and as whom they answer. */
export interface Approver {
  readonly userId: number;
  /** `telegram:7 (Ann Lee @ann)`: the name is whatever they chose, the number is not. */
  readonly by: string;
}

/** What somebody did about a message of ours. */
export type Heard =
  | {
      readonly kind: "press";
      readonly queryId: string;
      readonly who: Approver;
      readonly chat: number;
      readonly messageId: number;
      readonly data: string;
    }
  | {
      readonly kind: "reply";
      readonly who: Approver;
      readonly chat: number;
      /** The message that is replied to. */
      readonly messageId: number;
      readonly text: string;
    };

/** The number of an update; null for what has none. */
export function updateIdOf(update: unknown): number | null {
  return z.object({ update_id: z.int() }).safeParse(update).data?.update_id ?? null;
}

/** A press of a button, or a reply to a message; null for anything else. */
export function readUpdate(update: unknown): Heard | null {
  const { callback_query: press, message: reply } = Update.safeParse(update).data ?? {};
  if (press !== undefined) {
    const { id: queryId, from, data, message } = press;
    return {
      kind: "press",
      queryId,
      who: approverOf(from),
      chat: message.chat.id,
      messageId: message.message_id,
      data,
    };
  }
  if (reply === undefined) return null;
  const { from, chat, reply_to_message: to, text } = reply;
  return { kind: "reply", who: approverOf(from), chat: chat.id, messageId: to.message_id, text };
}

function approverOf({ id, first_name: first, last_name: last, username }: z.infer<typeof Person>): Approver {
  const names = [first, last, username === "" ? "" : `@${username}`].filter((name) => name !== "");
  const { shown, isWhole } = visibleStart(names.join(" "), MOST_OF_A_NAME);
  return {
    userId: id,
    by: shown === "" ? `telegram:${id}` : `telegram:${id} (${shown}${isWhole ? "" : "…"})`,
  };
}
