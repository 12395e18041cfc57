import { z } from "zod";
import { visibleStart } from "../foreign-text.ts";

/** Maximum shown of a person's name. */
const MAX_NAME_LENGTH = 80;

const Person = z.object({
  id: z.int(),
  first_name: z.string().default(""),
  last_name: z.string().default(""),
  username: z.string().default(""),
});
const Place = { message_id: z.int(), chat: z.object({ id: z.int() }) };

/** The fields of an update that matter here (https://core.telegram.org/bots/api#update). */
const Update = z.object({
  callback_query: z
    .object({ id: z.string(), from: Person, data: z.string(), message: z.object(Place) })
    .optional(),
  message: z
    .object({ ...Place, from: Person, text: z.string(), reply_to_message: z.object(Place) })
    .optional(),
});

/** A person in a chat: Telegram's number, and the name under which they answer. */
export interface ChatApprover {
  readonly userId: number;
  /** `telegram:7 (Ann Lee @ann)`: people choose the name themselves, but not the number. */
  readonly by: string;
}

/** A reaction to a message of ours. */
export type Heard =
  | {
      readonly kind: "press";
      readonly queryId: string;
      readonly who: ChatApprover;
      readonly chat: number;
      readonly messageId: number;
      readonly data: string;
    }
  | {
      readonly kind: "reply";
      readonly who: ChatApprover;
      readonly chat: number;
      readonly messageId: number;
      readonly text: string;
    };

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

function approverOf({
  id,
  first_name: first,
  last_name: last,
  username,
}: z.infer<typeof Person>): ChatApprover {
  const names = [first, last, username === "" ? "" : `@${username}`].filter((name) => name !== "");
  const { shown, isWhole } = visibleStart(names.join(" "), MAX_NAME_LENGTH);
  return {
    userId: id,
    by: shown === "" ? `telegram:${id}` : `telegram:${id} (${shown}${isWhole ? "" : "…"})`,
  };
}
