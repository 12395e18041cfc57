import { z } from "zod";

/** What Telegram refuses, and how. */
export class Refused extends Error {
  readonly code: number;
  readonly parameters: Readonly<Record<string, number>> | undefined;

  constructor(code: number, description: string, parameters?: Readonly<Record<string, number>>) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

const bad = (what: string): Refused => new Refused(400, `Bad Request: ${what}`);

const Button = z.strictObject({ text: z.string().min(1), callback_data: z.string() });
const Markup = z.strictObject({ inline_keyboard: z.array(z.array(Button).min(1)) });
export type Markup = z.infer<typeof Markup>;

const Entity = z.strictObject({
  type: z.enum(["bold", "code", "pre"]),
  offset: z.int().min(0),
  length: z.int().min(1),
});
export type Entity = z.infer<typeof Entity>;

const Text = {
  text: z.string(),
  entities: z.array(Entity).max(100),
  reply_markup: Markup,
  link_preview_options: z.strictObject({ is_disabled: z.literal(true) }),
};

const Reply = z.strictObject({ message_id: z.int(), allow_sending_without_reply: z.literal(true) });

/**
 * What each method takes. Stricter than Telegram, which passes over what it does not know: a parameter that is none, and
 * with it every way to have text parsed, is a mistake here.
 */
export const PAYLOADS = {
  getMe: z.strictObject({}),
  deleteWebhook: z.strictObject({ drop_pending_updates: z.boolean().optional() }),
  getUpdates: z.strictObject({
    offset: z.int().optional(),
    limit: z.int().min(1).max(100),
    timeout: z.int().min(1).max(50),
    allowed_updates: z.array(z.enum(["callback_query", "message"])),
  }),
  sendMessage: z.strictObject({ chat_id: z.int(), ...Text, reply_parameters: Reply.optional() }),
  sendDocument: z.strictObject({
    chat_id: z.coerce.number().int(),
    caption: z.string().min(1).max(1024),
    disable_content_type_detection: z.literal("true"),
    document: z.strictObject({ name: z.string(), text: z.string().min(1) }),
  }),
  editMessageText: z.strictObject({ chat_id: z.int(), message_id: z.int(), ...Text }),
  answerCallbackQuery: z.strictObject({
    callback_query_id: z.string(),
    text: z.string().min(1).max(200),
    show_alert: z.boolean(),
  }),
} as const;

export type Method = keyof typeof PAYLOADS;

/** The text of a message as Telegram takes it: 1 to 4,096 units, its styles in range and apart from each other. */
export function assertText(text: string, entities: readonly Entity[]): void {
  if (!text.isWellFormed()) throw bad("strings must be encoded in UTF-8");
  if (text.trim() === "") throw bad("message text is empty");
  if (text.length > 4096) throw bad("message is too long");
  // Telegram would take it without them, and every offset would be wrong.
  if (text.trim() !== text) throw bad("this stand-in does not trim");
  let end = 0;
  for (const { offset, length } of entities) {
    if (offset < end) throw bad("entities overlap");
    end = offset + length;
    const isCut = !text.slice(offset, end).isWellFormed();
    if (end > text.length || isCut) throw bad("an entity begins or ends in no character");
  }
}

/** Buttons as Telegram takes them: 1 to 64 bytes each. */
export function assertButtons({ inline_keyboard: rows }: Markup): void {
  for (const { callback_data: data } of rows.flat()) {
    const bytes = Buffer.byteLength(data);
    if (bytes < 1 || bytes > 64 || !data.isWellFormed()) throw bad("BUTTON_DATA_INVALID");
  }
}
