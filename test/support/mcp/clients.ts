import { Client as CurrentClient, type Transport as CurrentTransport } from "@modelcontextprotocol/client";
import { Client as PreviousClient } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport as PreviousTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

/** What a person at a client sees of a question, and what they do about it. */
export interface Form {
  readonly message: string;
  readonly requestedSchema?: unknown;
}
export interface Filled {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, string>;
}
export type Person = (form: Form, signal: AbortSignal) => Filled | Promise<Filled>;

/** The result of a call, as far as tests look at it. */
const CallResult = z.looseObject({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});
export type CallResult = z.infer<typeof CallResult>;
const Tool = z.looseObject({
  name: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  annotations: z.record(z.string(), z.unknown()).optional(),
});
type Tool = z.infer<typeof Tool>;

/** How a call is made. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: number, message: string | undefined) => void;
}

/** A client of either generation, in the same few words. */
export interface McpTestClient extends AsyncDisposable {
  /** The revision that was agreed on. */
  readonly protocol: string;
  readonly instructions: string;
  tools(): Promise<readonly Tool[]>;
  call(name: string, input: Record<string, unknown>, options?: CallOptions): Promise<CallResult>;
}

const INFO = { name: "test-client", version: "1.0.0" };
const CURRENT = "2026-07-28";

export const GENERATIONS = ["current", "current, by the protocol before", "previous"] as const;
export type Generation = (typeof GENERATIONS)[number];

/** How a client of each generation gets to its server. */
export interface Ways {
  current(): CurrentTransport;
  previous(): PreviousTransport;
}

/** Connects a client; with `person` it can show forms. */
export function connect(
  generation: Generation,
  ways: Ways,
  person: Person | null = null,
): Promise<McpTestClient> {
  return generation === "previous"
    ? connectPrevious(ways.previous(), person)
    : connectCurrent(ways.current(), person, generation === "current");
}

async function connectCurrent(
  transport: CurrentTransport,
  person: Person | null,
  isModern: boolean,
): Promise<McpTestClient> {
  const client = new CurrentClient(INFO, {
    capabilities: person === null ? {} : { elicitation: { form: {} } },
    versionNegotiation: { mode: isModern ? { pin: CURRENT } : "legacy" },
  });
  if (person !== null)
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => ({
      ...(await person(params, mcpReq.signal)),
    }));
  await client.connect(transport);
  return {
    protocol: client.getNegotiatedProtocolVersion() ?? "",
    instructions: client.getInstructions() ?? "",
    tools: async () => z.array(Tool).parse((await client.listTools()).tools),
    call: async (name, input, options) => {
      const params = z.object({ name: z.string(), arguments: z.record(z.string(), z.json()) });
      return CallResult.parse(
        await client.callTool(params.parse({ name, arguments: input }), requestOptions(options)),
      );
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function connectPrevious(transport: PreviousTransport, person: Person | null): Promise<McpTestClient> {
  const client = new PreviousClient(INFO, {
    capabilities: person === null ? {} : { elicitation: { form: {} } },
  });
  if (person !== null)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => ({
      ...(await person(params, signal)),
    }));
  await client.connect(transport);
  return {
    protocol: "2025-11-25",
    instructions: client.getInstructions() ?? "",
    tools: async () => z.array(Tool).parse((await client.listTools()).tools),
    call: async (name, input, options) =>
      CallResult.parse(await client.callTool({ name, arguments: input }, undefined, requestOptions(options))),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function requestOptions({ signal, onProgress }: CallOptions = {}) {
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined
      ? {}
      : {
          onprogress: ({
            progress,
            message,
          }: {
            readonly progress: number;
            readonly message?: string | undefined;
          }) => onProgress(progress, message),
        }),
  };
}
