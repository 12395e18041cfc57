import { variable } from "../../config/variables.ts";
import { escapeInvisible } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import type { HttpChannel, TelegramChannel } from "../../policy/approval-channels.ts";
import { createDesk, type Desk } from "../../supervisor/desk.ts";
import { withPeers } from "../../supervisor/peer.ts";
import { COMMON, chosen, readArguments, takeWords, usage } from "../arguments.ts";
import { type Ending, untilSignalled } from "../ending.ts";
import type { Print } from "../print.ts";

const OPTIONS = {
  ...COMMON,
  listen: { type: "string" },
  "allow-remote": { type: "boolean" },
} as const;

/** Opens the channels of the config over its store, until it is ended. See `cofferdam serve --help`. */
export async function serve(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("serve", args, OPTIONS);
  takeWords("serve", positionals, []);
  const { json = false, listen } = values;
  const allowRemote = values["allow-remote"] ?? false;
  return untilSignalled(async (ending) => {
    await using desk = await createDesk(chosen(values));
    return await open(desk, { json, listen, allowRemote }, ending, print);
  });
}

interface Wanted {
  readonly json: boolean;
  readonly listen: string | undefined;
  readonly allowRemote: boolean;
}

async function open(desk: Desk, wanted: Wanted, { signal }: Ending, print: Print): Promise<number> {
  const { store, channels } = desk.loaded.config.approval;
  if (store === "memory")
    throw usage(
      "serve",
      "the config keeps what is asked in each process's own memory: there is nothing to answer here",
      "write `store: sqlite` under `approval`",
    );
  const { dim } = print.talkInk;
  for (const note of desk.loaded.notes) print.talk(dim(`cofferdam: ${escapeInvisible(note)}`));
  await using server = await openHttp(desk, channels.http, wanted);
  await using chat =
    channels.telegram === undefined ? null : await openTelegram(desk.host, channels.telegram);
  using _attending = await desk.broker.attend(...(chat === null ? [] : [chat]));
  for (const warning of server.warnings) print.talk(`cofferdam: ${escapeInvisible(warning)}`);
  const inboxes = server.approvers.map(({ name }) => ({ name, url: server.inboxUrl(name) }));
  if (wanted.json) print.json({ url: server.url, inboxes }, 0);
  else for (const { name, url } of inboxes) print.result(`${escapeInvisible(name)}: ${url ?? server.url}`);
  if (chat !== null && channels.telegram !== undefined)
    print.talk(dim(`cofferdam: asks in the Telegram chat ${channels.telegram.chat}`));
  await aborted(AbortSignal.any([signal, print.broken]));
  return 0;
}

async function openHttp({ broker, recorder, host }: Desk, channel: HttpChannel | undefined, wanted: Wanted) {
  const { serveApprovals } = await withPeers(
    () => import("../../http/serve.ts"),
    "hono",
    "@hono/node-server",
  );
  const { listen = "127.0.0.1:0", approvers = {}, hosts = [], origins = [] } = channel ?? {};
  const named = Object.entries(approvers).map(([name, { token_env }]) => ({
    name,
    token: variable(token_env, host.env),
  }));
  return serveApprovals(broker, {
    listen: wanted.listen ?? listen,
    allowRemote: wanted.allowRemote,
    recorder,
    hosts,
    origins,
    ...(named.length === 0 ? {} : { approvers: named }),
  });
}

async function openTelegram(host: Host, { token_env, chat, approvers, api_root }: TelegramChannel) {
  const { telegramHandler } = await withPeers(() => import("../../channel/telegram.ts"), "grammy");
  return telegramHandler({
    token: variable(token_env, host.env),
    chat,
    approvers,
    ...(api_root === undefined ? {} : { apiRoot: api_root }),
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
