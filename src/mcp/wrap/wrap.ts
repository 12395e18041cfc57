import type { Readable } from "node:stream";
import type { ApprovalHandler } from "../../approval/handler.ts";
import type { ProgramOutcome } from "../../decide/outcome.ts";
import type { Supervisor } from "../../session/supervisor.ts";
import type { McpServer } from "../../tool/mcp-settings.ts";
import { ClientOutput } from "./client-output.ts";
import { ClientRequests } from "./client-requests.ts";
import { ElicitationBridge } from "./elicitation-bridge.ts";
import { Gateway } from "./gateway.ts";
import { ServerLog } from "./server-log.ts";
import { ServerProcess } from "./server-process.ts";

const MAX_REPORTED_MESSAGES = 100;

/** The server to wrap, its client, and the approval handlers. */
export interface WrapOptions {
  readonly supervisor: Supervisor;
  /** The server's name in rules and for people. */
  readonly name: string;
  readonly server: McpServer;
  /** The approval handlers besides the client's user. */
  readonly handlers: readonly ApprovalHandler[];
  readonly input: Readable;
  /** Writes a line to the client; resolves when it has been taken. */
  readonly output: (line: string) => Promise<void>;
  readonly talk: (line: string) => void;
  readonly signal: AbortSignal;
}

/** How it ended: the client or the server ended, or the server was not allowed to start. */
export type WrapEnd =
  | { readonly kind: "client-gone" }
  | { readonly kind: "server-gone"; readonly because: string; readonly hint: string | null }
  | { readonly kind: "not-started"; readonly outcome: ProgramOutcome };

/**
 * Runs an MCP server in a sandbox for its needs, and relays to a client until either ends. Throws if the sandbox cannot
 * be built. Throws `USAGE` for a need that does not exist.
 */
export async function wrapServer(options: WrapOptions): Promise<WrapEnd> {
  const { supervisor, name, server, handlers, input, output, talk, signal } = options;
  const { recorder, policy, host } = supervisor.shared;
  const client = new ClientOutput(output);
  const requests = new ClientRequests(client);
  const bridge = new ElicitationBridge(client, requests);
  await using session = supervisor.session({
    handler: [...(policy.config.approval.channels.elicitation ? [bridge.handler] : []), ...handlers],
    // Only this process can make the call, and the client waits for it.
    wait: { style: "block" },
  });
  const log = new ServerLog(name, talk, () => host.now());
  const isListed = Object.hasOwn(supervisor.shared.loaded.config.mcp.servers, name);
  const process = new ServerProcess({ name, server, isListed, session, log, talk, signal });
  let reported = 0;
  const report = (what: string, because: string): void => {
    reported += 1;
    if (reported > MAX_REPORTED_MESSAGES) return;
    recorder.write(session.sessionId, null, { type: "mcp.refused", server: name, what, because });
    talk(`left out ${what} of the MCP server ${name}: ${because}`);
  };
  const gateway = new Gateway({
    server: name,
    policy: server,
    wallMs: policy.withApproval.profile.limits.wallMs ?? null,
    client,
    requests,
    bridge,
    callTool: process.callTool,
    start: process.start,
    report,
  });
  const onAbort = (): void => void input.destroy();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const isClientGone = await Promise.race([
    readAll(input, gateway).then(() => true),
    gateway.ended.then(() => false),
  ]);
  signal.removeEventListener("abort", onAbort);
  gateway.end("the client disconnected");
  input.destroy();
  await process.end();
  if (isClientGone) return { kind: "client-gone" };
  const started = await process.started;
  if (started !== null && started.kind !== "resident") return { kind: "not-started", outcome: started };
  return { kind: "server-gone", because: await gateway.ended, hint: process.remedy };
}

async function readAll(input: Readable, gateway: Gateway): Promise<void> {
  try {
    for await (const chunk of input)
      await gateway.readClient(Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));
  } catch {
    // A client that disconnects in the middle of a message is gone.
  }
}
