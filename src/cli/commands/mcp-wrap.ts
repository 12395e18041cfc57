import type { Config } from "../../config/config.ts";
import { offlineRunner } from "../../config/mcp-findings.ts";
import { serverStart } from "../../config/server-start.ts";
import { CofferdamError, escapeInvisible, visible } from "../../errors.ts";
import { suggestion } from "../../policy/nearest.ts";
import { createSupervisor } from "../../session/supervisor.ts";
import { McpServer, McpServerName } from "../../tool/mcp-settings.ts";
import { COMMON, chosen, readArguments, usage } from "../arguments.ts";
import { placesForClients, waitsForApprovals } from "../askers.ts";
import { type SignalScope, untilSignalled } from "../ending.ts";
import { reportThree } from "../failure.ts";
import { exitOf } from "../outcome-text.ts";
import type { Print } from "../print.ts";
import { protocolOutput, protocolTalk } from "../protocol-output.ts";
import { reportStart } from "../start-notes.ts";

const { json: _, ...OURS } = COMMON;
const OPTIONS = {
  ...OURS,
  wrap: { type: "boolean" },
  name: { type: "string" },
  quiet: { type: "boolean" },
} as const;

/** The name of a server without `--name` or a config section. */
const UNNAMED = "wrapped";
/** The exit status if the server ended before its client. */
const SERVER_GONE = 1;

/** Runs an MCP server of the config (`--wrap NAME`) or a command (`--wrap -- WORDS…`) in a sandbox, over stdio. */
export async function mcpWrap(args: readonly string[], print: Print): Promise<number> {
  const end = args.indexOf("--");
  const [own, words] = end < 0 ? [args, null] : [args.slice(0, end), args.slice(end + 1)];
  const { values, positionals } = readArguments("mcp", own, OPTIONS);
  const [named, extra] = positionals;
  if (extra !== undefined || (named !== undefined && words !== null))
    throw usage("mcp", `unexpected argument ${visible(extra ?? named ?? "")}`);
  if (named === undefined && (words === null || words.length === 0))
    throw usage("mcp", "`mcp --wrap` needs the name of a server, or a command after `--`");
  if (named !== undefined && values.name !== undefined)
    throw usage("mcp", "`--name` is only for servers that the config does not list", "remove `--name`");
  const asked = { named, words: words ?? [], name: values.name };
  return untilSignalled((ending) => wrap(asked, { ...chosen(values) }, values.quiet === true, ending, print));
}

interface Wanted {
  readonly named: string | undefined;
  readonly words: readonly string[];
  readonly name: string | undefined;
}

async function wrap(
  wanted: Wanted,
  options: ReturnType<typeof chosen>,
  isQuiet: boolean,
  ending: SignalScope,
  print: Print,
): Promise<number> {
  await using supervisor = await createSupervisor(options);
  const { loaded } = supervisor.shared;
  const { dim } = print.talkInk;
  const { name, server } = serverFor(wanted, loaded.config);
  const { approval } = loaded.config;
  const offline = offlineRunner(name, server, loaded.config);
  reportStart(supervisor.shared, print, { quiet: isQuiet, more: [placesForClients(approval)] });
  const [output, talk] = [protocolOutput(), protocolTalk()];
  if (offline !== null) reportThree(print, offline.message, null, offline.hint);
  using _changes = supervisor.onConfigChange(({ message }) =>
    talk(dim(`cofferdam: ${escapeInvisible(message)}`)),
  );
  const { wrapServer } = await import("../../mcp/wrap/wrap.ts");
  const end = await wrapServer({
    supervisor,
    name,
    server,
    handlers: waitsForApprovals(approval, (line) => talk(dim(`cofferdam: ${escapeInvisible(line)}`))),
    input: process.stdin,
    output: output.write,
    talk: (line) => talk(dim(line)),
    signal: AbortSignal.any([ending.signal, output.broken]),
  });
  switch (end.kind) {
    case "client-gone":
      return 0;
    case "server-gone":
      reportThree(
        print,
        `the MCP server ${name} stopped: ${end.because}`,
        null,
        end.hint ?? "start it again",
      );
      return SERVER_GONE;
    case "not-started": {
      const { outcome } = end;
      if ("reason" in outcome)
        reportThree(print, `the MCP server ${name} was not started: ${outcome.reason}`, null, outcome.hint);
      return exitOf(outcome);
    }
  }
}

/** The server and its section: from the config by this name or command, else by the command alone. */
function serverFor(
  { named, words, name = UNNAMED }: Wanted,
  config: Config,
): {
  readonly name: string;
  readonly server: McpServer;
} {
  const { mcp } = config;
  const known = Object.keys(mcp.servers);
  if (named !== undefined) {
    const server = Object.hasOwn(mcp.servers, named) ? mcp.servers[named] : undefined;
    if (server !== undefined) return { name: named, server: started(server, config) };
    throw usage(
      "mcp",
      `the config has no MCP server ${visible(named)}`,
      suggestion(named, known) ?? "list it under `mcp.servers`, or write its command after `--`",
    );
  }
  const same = Object.entries(mcp.servers).filter(([, { command }]) => areSame(command, words));
  const [only, ...others] = same;
  if (only !== undefined && others.length === 0) return { name: only[0], server: started(only[1], config) };
  if (only !== undefined)
    throw usage(
      "mcp",
      "several MCP servers of the config have this command",
      `name one of them: ${same.map(([one]) => one).join(", ")}`,
    );
  if (known.includes(name) || !McpServerName.safeParse(name).success)
    throw usage(
      "mcp",
      known.includes(name)
        ? `the config already has an MCP server ${visible(name)}`
        : `invalid name of an MCP server: ${visible(name)}`,
      "choose another `--name`: lower-case letters, digits, `_` and `-`",
    );
  return { name, server: sectionFor(words) };
}

/** A server of the config with the folder in which it starts, wherever this process was started. */
function started(server: McpServer, config: Config): McpServer {
  const cwd = serverStart(config, server.needs);
  return cwd === null ? server : { ...server, needs: { ...server.needs, cwd } };
}

/** The section of a server that is not in the config: it gets the access of calls without approval. */
function sectionFor(words: readonly string[]): McpServer {
  const read = McpServer.safeParse({ command: words });
  if (read.success) return read.data;
  throw new CofferdamError("USAGE", read.error.issues[0]?.message ?? "invalid command", {
    hint: "write the server's program and its arguments after `--`",
  });
}

function areSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, index) => word === b[index]);
}
