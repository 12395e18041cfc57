import { z } from "zod";
import { EnvName } from "../profile/env-pattern.ts";

/**
 * Where requests, grants and events are kept: in this process, in a file of the state folder that every process of this
 * user shares, or in a database that many hosts share. `postgres` is a connection URL, in which `${NAME}` stands for a
 * variable of the environment: a password has no place in a file.
 */
export const StoreSetting = z.union(
  [z.enum(["memory", "sqlite"]), z.strictObject({ postgres: z.string().min(1) })],
  { error: "it is `memory`, `sqlite`, or `{ postgres: URL }`" },
);
export type StoreSetting = z.infer<typeof StoreSetting>;

/** Someone who may answer over HTTP: their name stands beside their answers, their token in a variable. */
const Approver = z.strictObject({ token_env: EnvName });

/** How `cofferdam serve` listens. */
export const HttpChannel = z.strictObject({
  /** `host:port`, or the absolute path of a unix socket. Port 0 takes one that is free. */
  listen: z.string().min(1).default("127.0.0.1:0"),
  /** By name. Without any there is one token, made anew at each start. */
  approvers: z.record(z.string().min(1).max(64), Approver).default({}),
  /** Further names that it may be asked under, as `name` or `name:port`: of a proxy in front of it, say. */
  hosts: z.array(z.string().min(1)).max(64).default([]),
  /** Origins whose pages may use it besides its own. */
  origins: z.array(z.string().min(1)).max(64).default([]),
});
export type HttpChannel = z.infer<typeof HttpChannel>;

/** A chat in which a bot asks. */
export const TelegramChannel = z.strictObject({
  token_env: EnvName,
  /** The id of the chat. */
  chat: z.int(),
  /** Who may answer, by their ids: everybody else in the chat can only read. */
  approvers: z.array(z.int().positive()).min(1).max(256),
  /** Another root of the Bot API, as of a server of one's own. */
  api_root: z.url({ protocol: /^https?$/ }).optional(),
});
export type TelegramChannel = z.infer<typeof TelegramChannel>;

/** Where people answer, beside the terminal: what `cofferdam serve` opens, and what calls then wait for. */
export const Channels = z.strictObject({
  http: HttpChannel.optional(),
  telegram: TelegramChannel.optional(),
  /** Whether the user of an MCP client is asked there, by forms, where the client has them. */
  elicitation: z.boolean().default(true),
});
export type Channels = z.infer<typeof Channels>;
