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
  const { policy } = supervisor.shared;
  const hasNetwork = policy.withApproval.profile.network !== "none";
  return ({ era }) => {
    const connection = connect();
    const { session } = connection;
    const names = new Set(session.tools().map(({ name }) => name));
    const instructions = instructionsFor(
      policy.settings,
      policy.withApproval.profile,
      commandRules(supervisor.shared.policy, connection.agent),
    );
    const server = new Server(
      { name: "cofferdam", title: "cofferdam", version: packageVersion() },
      {
        capabilities: { tools: {} },
        instructions,
        requestState: { verify: (state, context) => states.verify(state, context) },
      },
    );
    server.setRequestHandler("tools/list", () =>
      connection.use(() => ({ tools: session.tools().map((card) => toolOf(card, hasNetwork)) })),
    );
    server.setRequestHandler("tools/call", ({ params: { name, arguments: input = {} } }, context) => {
      if (!names.has(name))
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool: ${visible(name)}`);
      return connection.use(() => callTool(name, input, context, { server, connection, states, era }));
    });
    return server;
  };
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
