import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";

const Capabilities = z.object({
  elicitation: z.object({ form: z.unknown(), url: z.unknown() }).partial().optional(),
});
const Info = z.object({ name: z.string(), version: z.string().optional() });
const MAX_NAME_LENGTH = 64;

/** The properties of a client that matter here. */
export interface McpClient {
  readonly hasForms: boolean;
  /** The name that the client reports, in printable characters. The journal names its user by this. */
  readonly name: string;
}

/** The client's capabilities: sent with each request by the current protocol, once at `initialize` before. */
export function clientOf(server: Server, { mcpReq }: ServerContext): McpClient {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const elicitation = Capabilities.safeParse(capabilities).data?.elicitation;
  const info = Info.safeParse(envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion()).data;
  const name = (info?.name ?? "")
    .replace(/[^\w .@/-]/g, "")
    .trim()
    .slice(0, MAX_NAME_LENGTH);
  return {
    // A client that declares neither mode supports forms, because forms came before URL mode.
    hasForms: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    name: name === "" ? "an MCP client" : `the user of ${name}`,
  };
}
