// The entry `cofferdam/telegram`: approvals in a Telegram chat.
import "../host/require-node.ts";
import { z } from "zod";
import type { ApprovalHandler } from "../approval/handler.ts";
import { CofferdamError, visible } from "../errors.ts";
import { Channel } from "./telegram/channel.ts";

/** The bot, its chat, and the people who may answer. */
export interface TelegramOptions {
  /** The bot's token from @BotFather: `123456:ABC…`. It gives full control of the bot; no message of ours has it. */
  readonly token: string;
  /** The number of the chat: a person's, or a negative one of a group. */
  readonly chat: number;
  /** The user numbers of people who may answer. Names can be changed, numbers cannot. */
  readonly approvers: readonly number[];
  /** URL of the Bot API. Default Telegram's own. */
  readonly apiRoot?: string;
  /** Called once for each problem that keeps answers from arriving, such as another listener of the same bot. */
  readonly onTrouble?: (error: CofferdamError) => void;
}

/** Asks in a chat until it is closed, by `close` or by the end of a scope with `await using`. */
export interface TelegramHandler extends ApprovalHandler, Disposable, AsyncDisposable {
  close(): Promise<void>;
}

/**
 * Asks in a Telegram chat: one message with buttons for each request, later replaced by its outcome. The first answer
 * counts, from any channel. It requires the package `grammy`. It listens from the first request on, or from when a
 * broker calls `attends`, until it is disposed of. It keeps the process alive only while a call is waiting. Only one
 * handler can listen as a bot, and it ignores other messages: give each its own bot. Requests reject with
 * `CHANNEL_CLOSED` if their message cannot be sent or the bot is unknown. Throws `USAGE` for invalid options.
 */
export function telegramHandler(options: TelegramOptions): TelegramHandler {
  const checked = Options.safeParse(options);
  if (checked.success) return new Channel(checked.data, { now: Date.now, secondMs: 1000 });
  const [issue] = checked.error.issues;
  const place = issue?.code === "unrecognized_keys" ? issue.keys[0] : issue?.path.join(".");
  throw new CofferdamError("USAGE", `invalid option ${visible(place ?? "")} of \`telegramHandler\``, {
    hint: "`{ token, chat, approvers: [number, …], apiRoot?, onTrouble? }`, with Telegram's numbers of the chat and the people",
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
