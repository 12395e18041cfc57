import { z } from "zod";
import { EnvName } from "../profile/env-pattern.ts";

/**
 * The store of requests, grants and events: this process, a file of the state folder that all processes of this user
 * share, or a database that many hosts share. `postgres` is a connection URL, in which `${NAME}` is replaced by an
 * environment variable: a password does not belong in a file.
 */
export const StoreSetting = z.union(
  [
    z.enum(["memory", "sqlite"]),
    z.strictObject({
      postgres: z
        .string()
        .min(1)
        .meta({
          description: "The URL of the database; `${NAME}` is an environment variable.",
          examples: ["postgres://cofferdam:${PGPASSWORD}@db.example.org/approvals"],
        }),
    }),
  ],
  { error: "write `memory`, `sqlite`, or `{ postgres: URL }`" },
);
export type StoreSetting = z.infer<typeof StoreSetting>;

/** A person who may answer over HTTP. The name is recorded with each answer; the token is in a variable. */
const Approver = z.strictObject({
  token_env: EnvName.meta({ description: "The variable with the token.", examples: ["ANN_TOKEN"] }),
});

/** How `cofferdam serve` listens. */
export const HttpChannel = z.strictObject({
  listen: z
    .string()
    .min(1)
    .default("127.0.0.1:0")
    .describe("`host:port`, or the absolute path of a unix socket. Port 0 selects a free port."),
  approvers: z
    .record(z.string().min(1).max(64), Approver)
    .default({})
    .meta({
      description: "The people who may answer, by name. If none is listed, each start creates one token.",
      examples: [{ ann: { token_env: "ANN_TOKEN" } }],
    }),
  hosts: z
    .array(z.string().min(1))
    .max(64)
    .default([])
    .meta({
      description: "Other names of the server, for example that of a reverse proxy.",
      examples: [["approvals.example.org"]],
    }),
  origins: z
    .array(z.string().min(1))
    .max(64)
    .default([])
    .meta({
      description: "Origins of other pages that may use the API.",
      examples: [["https://tools.example.org"]],
    }),
});
export type HttpChannel = z.infer<typeof HttpChannel>;

/** A chat in which a bot asks for approval. */
export const TelegramChannel = z.strictObject({
  token_env: EnvName.meta({ description: "The variable with the bot's token.", examples: ["BOT_TOKEN"] }),
  chat: z.int().meta({ description: "The id of the chat.", examples: [-1001234567890] }),
  approvers: z
    .array(z.int().positive())
    .min(1)
    .max(256)
    .meta({
      description: "The ids of the users who may answer. Others in the chat can only read.",
      examples: [[12345678]],
    }),
  api_root: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description: "Another URL of the Bot API, for your own server.",
      examples: ["https://bots.example.org"],
    }),
});
export type TelegramChannel = z.infer<typeof TelegramChannel>;

/** A receiver of signed messages about requests, such as a program that posts them to a chat. */
export const WebhookSection = z.strictObject({
  url: z
    .string()
    .regex(/^https?:\/\/[^/@\s]+(?:\/\S*)?$/, "write a URL of http or https, without a password")
    .meta({
      description:
        "The URL that gets the messages; `${NAME}` is an environment variable. Redirects are not followed.",
      examples: ["https://hooks.example.org/cofferdam"],
    }),
  secret_env: EnvName.meta({
    description: "The variable with the secret that signs the messages of both sides: `whsec_…`.",
    examples: ["WEBHOOK_SECRET"],
  }),
  approvers: z
    .array(z.string().min(1).max(64))
    .min(1)
    .max(256)
    .meta({
      description: "The people who may answer, as the receiver names them.",
      examples: [["U024BE7LH"]],
    }),
});
export type WebhookSection = z.infer<typeof WebhookSection>;

/** The channels for answers beside the terminal: `cofferdam serve` opens them, and calls then wait for them. */
export const Channels = z.strictObject({
  http: HttpChannel.optional().describe("The inbox and the HTTP API."),
  telegram: TelegramChannel.optional().describe("A chat where a Telegram bot asks."),
  webhook: WebhookSection.optional().describe("A URL that gets each request as a signed message."),
  approvals_command: z
    .boolean()
    .default(true)
    .describe("Let the calls of an MCP client wait for `cofferdam approvals` in any terminal of this user."),
  elicitation: z
    .boolean()
    .default(true)
    .describe("Ask the user of an MCP client with the client's forms, if it has them."),
});
export type Channels = z.infer<typeof Channels>;
