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
import { visible } from "../errors.ts";
import { packageVersion } from "../host/version.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import type { ToolCard } from "../supervisor/tool-cards.ts";
import { annotationsOf } from "./annotations.ts";
import { ANSWER_SCHEMA } from "./answer.ts";
import { type AskedState, callFor } from "./calls.ts";
import type { Connection } from "./connection.ts";
import { instructionsFor } from "./instructions.ts";

/** What answers one question is good for so many seconds. */
const STATE_S = 24 * 60 * 60;

/** Any schema of an input: a function that says nothing of its input takes whatever it is given. */
const InputSchema = z.looseObject({ type: z.literal("object") });
const ANYTHING = { type: "object" } as const;

/**
 * Makes the servers of a supervisor's tools, one for each connection or request, for clients of the current protocol and of the
 * one before. `connect` says to which connection a server belongs.
 */
export function serversOf(supervisor: Supervisor, connect: () => Connection): McpServerFactory {
  const states = createRequestStateCodec<AskedState>({ key: randomBytes(32), ttlSeconds: STATE_S });
  const { standing } = supervisor.shared;
  const instructions = instructionsFor(standing.settings, standing.onYes.profile);
  const hasNetwork = standing.onYes.profile.network !== "none";
  return ({ era }) => {
    const connection = connect();
    const cards = connection.session.tools();
    const server = new Server(
      { name: "cofferdam", title: "cofferdam", version: packageVersion() },
      {
        capabilities: { tools: {} },
        instructions,
        requestState: { verify: (state, context) => states.verify(state, context) },
      },
    );
    server.setRequestHandler("tools/list", () =>
      connection.use(() => ({ tools: cards.map((card) => toolOf(card, hasNetwork)) })),
    );
    server.setRequestHandler("tools/call", ({ params: { name, arguments: input = {} } }, context) => {
      if (cards.every((card) => card.name !== name))
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${visible(name)}`);
      return connection.use(() => callFor(name, input, context, { server, connection, states, era }));
    });
    return server;
  };
}

function toolOf(card: ToolCard, hasNetwork: boolean): Tool {
  const { name, description, schema } = card;
  return {
    name,
    description:
      description === "" ? `\`${name}\`: a tool of this program, of which it says no more` : description,
    inputSchema: InputSchema.catch(ANYTHING).parse(schema),
    outputSchema: ANSWER_SCHEMA,
    annotations: annotationsOf(card, hasNetwork),
  };
}
