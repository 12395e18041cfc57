import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";

/** What is read of what a client says of itself. */
const Capabilities = z.object({
  elicitation: z.object({ form: z.unknown(), url: z.unknown() }).partial().optional(),
});
const Info = z.object({ name: z.string(), version: z.string().optional() });

/** A client as far as it matters here. */
export interface McpClient {
  /** It shows forms to its user. */
  readonly hasForms: boolean;
  /** As the record names whoever answers there: what the client calls itself, in plain letters. */
  readonly name: string;
}

/** What a client says of itself: with each request by the current protocol, and once, at first, by the one before. */
export function clientOf(server: Server, { mcpReq }: ServerContext): McpClient {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const capabilities = Capabilities.safeParse(
    envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities(),
  ).data;
  const info = Info.safeParse(envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion()).data;
  return { hasForms: hasForms(capabilities?.elicitation), name: nameOf(info?.name ?? "") };
}

/** A client that says neither has forms: they were there before addresses were. */
function hasForms(elicitation: { readonly form?: unknown; readonly url?: unknown } | undefined): boolean {
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/** A longer name of a client is cut. */
const MOST_OF_A_NAME = 64;

function nameOf(name: string): string {
  const plain = name
    .replace(/[^\w .@/-]/g, "")
    .trim()
    .slice(0, MOST_OF_A_NAME);
  return plain === "" ? "an MCP client" : `the user of ${plain}`;
}
