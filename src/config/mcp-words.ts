import { escapeInvisible } from "../errors.ts";
import { hideInWords } from "../policy/redact.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { quoted } from "../shell/quote.ts";
import type { McpServer } from "../tool/mcp-settings.ts";
import type { Config } from "./config.ts";
import { serverStart } from "./server-start.ts";

/** The grants of each wrapped MCP server, in words; its rules are listed with all others. */
export function mcpWords(
  config: Pick<Config, "mcp" | "workspace" | "roots">,
): readonly (readonly [name: string, words: string])[] {
  return Object.entries(config.mcp.servers).map(([name, server]) => [
    name,
    serverWords(server, serverStart(config, server.needs)),
  ]);
}

function serverWords(
  { command, needs, annotations, sampling, elicitation }: McpServer,
  start: AbsolutePath | null,
): string {
  return [
    `runs ${escapeInvisible(quoted(hideInWords(command)))}${start === null ? "" : ` in ${escapeInvisible(start)}`}`,
    needs.roots === undefined ? "with every root" : rootsOf(needs.roots),
    ...(needs.write_on_start ? ["once its start is approved, writes in roots that ask first"] : []),
    ...(needs.network === true ? ["with the network of commands"] : []),
    ...(needs.ports === undefined || needs.ports.length === 0
      ? []
      : [
          `reachable at ${needs.ports.length === 1 ? "port" : "ports"} ${needs.ports.join(", ")} of this machine's loopback`,
        ]),
    ...(annotations === "trusted" ? ["ITS TOOL ANNOTATIONS ARE TRUSTED"] : []),
    ...(sampling === "deny" ? [] : [`may use the client's model${HOW[sampling]}`]),
    ...(elicitation === "deny" ? [] : [`may ask the client's user questions${HOW[elicitation]}`]),
  ].join(", ");
}

const HOW = { ask: ", asked each time", allow: " WITHOUT ASKING" } as const;

function rootsOf(roots: Readonly<Record<string, "read" | "write">>): string {
  const named = (access: "read" | "write"): string =>
    Object.entries(roots)
      .flatMap(([name, wanted]) => (wanted === access ? [name] : []))
      .join(", ");
  const [read, write] = [named("read"), named("write")];
  const words = [...(read === "" ? [] : [`reads ${read}`]), ...(write === "" ? [] : [`writes ${write}`])];
  return words.length === 0 ? "with no root" : words.join(", ");
}
