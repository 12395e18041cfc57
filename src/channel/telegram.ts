import "../host/require-node.ts";
import { z } from "zod";
import type { ApprovalHandler } from "../approval/handler.ts";
import { CofferdamError, visible } from "../errors.ts";
import { Channel } from "./telegram/channel.ts";

/** Which bot asks where, and who may answer. */
export interface TelegramOptions {
  /** What @BotFather gave for the bot: `123456:ABC…`. Whoever has it is the bot; it stands in no text of ours. */
  readonly token: string;
  /** The number of the chat: that of a person, or a negative one of a group. */
  readonly chat: number;
  /** The numbers of those who may answer, by the same count. Names can be changed, numbers can't. */
  readonly approvers: readonly number[];
  /** Where the Bot API is; Telegram's own unless told otherwise. */
  readonly apiRoot?: string;
  /** Is told, once each time, of what keeps answers from getting here, as another process that listens as the same bot. */
  readonly onTrouble?: (error: CofferdamError) => void;
}

/** Asks in a chat until it is disposed of. */
export type TelegramHandler = ApprovalHandler & Disposable & AsyncDisposable;

/**
 * Asks in a Telegram chat: one message for each request, with buttons, which becomes what came of it. The first answer
 * counts, wherever it comes from. It takes the package `grammy`, and listens from the first request on, or from when a
 * broker brings it all, until it is disposed of; that keeps the process alive only while a call stands still. One handler
 * alone can listen as a bot, and whatever else is written to it is passed over: each takes a bot of its own. Requests
 * reject with `CHANNEL_CLOSED` where their message can't be sent, or the bot is not known. Throws `USAGE` for options that are
 * none.
 */
export function telegramHandler(options: TelegramOptions): TelegramHandler {
  const checked = Options.safeParse(options);
  if (checked.success) return new Channel(checked.data, { now: Date.now, secondMs: 1000 });
  const [issue] = checked.error.issues;
  const place = issue?.code === "unrecognized_keys" ? issue.keys[0] : issue?.path.join(".");
  throw new CofferdamError("USAGE", `${visible(place ?? "")} is not what \`telegramHandler\` takes`, {
    hint: "`{ token, chat, approvers: [number, …], apiRoot?, onTrouble? }`: numbers are those that Telegram gives chats and people",
  });
}

/** The numbers of chats and people have at most 52 significant bits (https://core.telegram.org/bots/api#chat). */
const Options = z.strictObject({
  token: z.string().regex(/^\d+:[\w-]+$/),
  chat: z.int().refine((chat) => chat !== 0),
  approvers: z.array(z.int().positive()).min(1),
  apiRoot: z
    .url({ protocol: /^https?$/ })
    .transform((root) => root.replace(/\/+$/, ""))
    .default("https://api.telegram.org"),
  onTrouble: z
    .custom<(error: CofferdamError) => void>((given) => typeof given === "function")
    .default(() => () => undefined),
});
