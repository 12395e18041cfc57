import { randomBytes } from "node:crypto";
import {
  createRequestStateCodec,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { commandRules } from "../config/command-decisions.ts";
import type { ToolCard } from "../decide/tool-cards.ts";
import { visible } from "../errors.ts";
import { packageVersion } from "../host/look/version.ts";
import type { Supervisor } from "../session/supervisor.ts";
import { annotationsOf } from "./annotations.ts";
import { ANSWER_SCHEMA } from "./call-result.ts";
import type { McpConnection } from "./connection.ts";
import { instructionsFor } from "./instructions.ts";
import { type AskedState, callTool } from "./tool-calls.ts";

/** The lifetime of a signed `requestState`, in seconds. */
const STATE_S = 24 * 60 * 60;

/** Any input schema: a function without a schema accepts any input. */
const InputSchema = z.looseObject({ type: z.literal("object") });
const ANYTHING = { type: "object" } as const;

/** Makes servers for the tools, one per connection or request, for the current protocol and the one before. */
export function serversOf(supervisor: Supervisor, connect: () => McpConnection): McpServerFactory {
  const states = createRequestStateCodec<AskedState>({ key: randomBytes(32), ttlSeconds: STATE_S });
  return ({ era }) => {
    const { policy } = supervisor.shared;
    const connection = connect();
    const { session } = connection;
    const names = new Set(session.tools().map(({ name }) => name));
    const instructions = instructionsFor(
      policy.settings,
      policy.withApproval.profile,
      commandRules(policy, connection.agent),
    );
    const server = new Server(
      { name: "cofferdam", title: "cofferdam", version: packageVersion() },
      {
        // The newer protocol has no messages for people but those of its transport.
        capabilities: { tools: { listChanged: true }, ...(era === "legacy" ? { logging: {} } : {}) },
        instructions,
        requestState: { verify: (state, context) => states.verify(state, context) },
      },
    );
    server.setRequestHandler("tools/list", () =>
      connection.use(async () => {
        const { policy } = await supervisor.shared.watch.look().catch(() => supervisor.shared);
        const hasNetwork = policy.withApproval.profile.network !== "none";
        return { tools: session.tools().map((card) => toolOf(card, hasNetwork)) };
      }),
    );
    server.setRequestHandler("tools/call", ({ params: { name, arguments: input = {} } }, context) => {
      if (!names.has(name))
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool: ${visible(name)}`);
      return connection.use(() => callTool(name, input, context, { server, connection, states, era }));
    });
    return server;
  };
}

/**
 * Tells the client of a server about changes of the config, until disposed: its tools may have other effects, and in the
 * older protocol a message says what happened.
 */
export function tellChanges(supervisor: Supervisor, server: Server, era: "legacy" | "modern"): Disposable {
  return supervisor.onConfigChange(({ effect, message }) => {
    const level = effect === "stopped" ? "warning" : "notice";
    // A client that is gone misses it.
    const quietly = (sent: Promise<void>): void => void sent.catch(() => undefined);
    if (era === "legacy") quietly(server.sendLoggingMessage({ level, logger: "cofferdam", data: message }));
    quietly(server.sendToolListChanged());
  });
}

function toolOf(card: ToolCard, hasNetwork: boolean): Tool {
  const { name, description, schema } = card;
  return {
    name,
    description: description === "" ? `\`${name}\`: a tool without a description` : description,
    inputSchema: InputSchema.catch(ANYTHING).parse(schema),
    outputSchema: ANSWER_SCHEMA,
    annotations: annotationsOf(card, hasNetwork),
  };
}
