import { BrokerHandler } from "../../approval/handlers.ts";
import type { WebhookHandler } from "../../channel/webhook.ts";
import { variable, withVariables } from "../../config/variables.ts";
import { type CofferdamError, escapeInvisible } from "../../errors.ts";
import type { Host } from "../../host/look/host.ts";
import { aborted } from "../../host/pause.ts";
import type { Mount } from "../../http/mount.ts";
import type { HttpChannel, TelegramChannel, WebhookSection } from "../../policy/approval-channels.ts";
import { createDesk, type Desk } from "../../session/desk.ts";
import { withPeers } from "../../session/peer.ts";
import { createSupervisor } from "../../session/supervisor.ts";
import type { SupervisorOptions } from "../../session/supervisor-options.ts";
import { COMMON, chosen, parseWords, readArguments, usage } from "../arguments.ts";
import { type SignalScope, untilSignalled } from "../ending.ts";
import type { Print } from "../print.ts";

const OPTIONS = {
  ...COMMON,
  listen: { type: "string" },
  "allow-remote": { type: "boolean" },
  mcp: { type: "boolean" },
} as const;

/** Opens the channels of the config with its store, until it is ended. See `cofferdam serve --help`. */
export async function serve(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("serve", args, OPTIONS);
  parseWords("serve", positionals, []);
  const { json = false, listen } = values;
  const wanted = { json, listen, allowRemote: values["allow-remote"] ?? false };
  return untilSignalled(async (ending) => {
    if (values.mcp === true) return serveWithTools(chosen(values), wanted, ending, print);
    await using desk = await createDesk(chosen(values));
    return await open(desk, null, wanted, ending, print);
  });
}

/** The same, with the tools of the config for MCP clients at `/mcp`. */
async function serveWithTools(
  options: SupervisorOptions,
  wanted: Wanted,
  ending: SignalScope,
  print: Print,
): Promise<number> {
  const { mcpHttp } = await withPeers(() => import("../../mcp/http.ts"), "@modelcontextprotocol/server");
  const { makeToken } = await withPeers(() => import("../../http/approvers.ts"), "hono");
  await using supervisor = await createSupervisor({ ...options, startsInRoot: true });
  await using tools = mcpHttp(supervisor, { handler: new BrokerHandler() });
  const { broker, shared } = supervisor;
  const { recorder, host, loaded } = shared;
  using _changes = supervisor.onConfigChange(({ message }) =>
    print.talk(print.talkInk.dim(`cofferdam: ${escapeInvisible(message)}`)),
  );
  const client = { name: "mcp", token: makeToken() };
  const endpoint = { path: "/mcp", clients: [client], fetch: tools.fetch, token: client.token };
  return await open({ broker, recorder, host, loaded }, endpoint, wanted, ending, print);
}

type Served = Pick<Desk, "broker" | "recorder" | "host" | "loaded">;

interface Wanted {
  readonly json: boolean;
  readonly listen: string | undefined;
  readonly allowRemote: boolean;
}

/** The endpoint for MCP clients, and its token. */
interface ToolEndpoint extends Mount {
  readonly token: string;
}

async function open(
  desk: Served,
  endpoint: ToolEndpoint | null,
  wanted: Wanted,
  { signal }: SignalScope,
  print: Print,
): Promise<number> {
  const { store, channels } = desk.loaded.config.approval;
  if (store === "memory")
    throw usage(
      "serve",
      "requests are stored in the memory of each process, so this process cannot answer them",
      "write `store: sqlite` under `approval`",
    );
  const { dim } = print.talkInk;
  for (const note of desk.loaded.notes) print.talk(dim(`cofferdam: ${escapeInvisible(note)}`));
  const talk = (text: string): void => print.talk(dim(`cofferdam: ${escapeInvisible(text)}`));
  await using webhook =
    channels.webhook === undefined ? null : await openWebhook(desk.host, channels.webhook, talk);
  const mounts = [
    ...(endpoint === null ? [] : [endpoint]),
    ...(webhook === null ? [] : [await answersOf(webhook, desk)]),
  ];
  await using server = await openHttp(desk, mounts, channels.http, wanted);
  await using chat =
    channels.telegram === undefined ? null : await openTelegram(desk.host, channels.telegram);
  using _attending = await desk.broker.attend(...[chat, webhook].filter((one) => one !== null));
  for (const warning of server.warnings) print.talk(`cofferdam: ${escapeInvisible(warning)}`);
  const inboxes = server.approvers.map(({ name }) => ({ name, url: server.inboxUrl(name) }));
  const mcp = endpoint === null ? null : { url: `${server.url}${endpoint.path}`, token: endpoint.token };
  if (wanted.json) print.json({ url: server.url, inboxes, ...(mcp === null ? {} : { mcp }) }, 0);
  else {
    for (const { name, url } of inboxes) print.result(`${escapeInvisible(name)}: ${url ?? server.url}`);
    print.talk(
      dim(
        "cofferdam: open this address in a browser to answer requests; its token is secret; press Ctrl-C to stop",
      ),
    );
    if (mcp !== null) print.result(`mcp: ${mcp.url}, Authorization: Bearer ${mcp.token}`);
  }
  if (chat !== null && channels.telegram !== undefined)
    print.talk(dim(`cofferdam: sends requests to the Telegram chat ${channels.telegram.chat}`));
  if (webhook !== null) talk(`sends requests to the webhook; its answers go to ${server.url}/webhook`);
  await aborted(AbortSignal.any([signal, print.broken]));
  return 0;
}

async function openWebhook(
  { env }: Pick<Host, "env">,
  { url, secret_env, approvers }: WebhookSection,
  talk: (text: string) => void,
): Promise<WebhookHandler> {
  const { webhookHandler } = await import("../../channel/webhook.ts");
  const onTrouble = ({ message }: CofferdamError): void => talk(message);
  return webhookHandler({
    url: withVariables(url, env),
    secret: variable(secret_env, env),
    approvers,
    onTrouble,
  });
}

async function answersOf(webhook: WebhookHandler, { broker }: Served): Promise<Mount> {
  const { webhookMount } = await withPeers(() => import("../../http/webhook-mount.ts"), "hono");
  return webhookMount(broker, webhook);
}

async function openHttp(
  { broker, recorder, host }: Served,
  mounts: readonly Mount[],
  channel: HttpChannel | undefined,
  wanted: Wanted,
) {
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
    mounts,
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
