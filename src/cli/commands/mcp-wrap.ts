import type { Config } from "../../config/config.ts";
import { CofferdamError, visible } from "../../errors.ts";
import { createSupervisor } from "../../supervisor/supervisor.ts";
import { McpServer, McpServerName } from "../../tool/mcp-settings.ts";
import { COMMON, chosen, readArguments, suggestion, usage } from "../arguments.ts";
import { waitsElsewhere } from "../askers.ts";
import { type Ending, untilSignalled } from "../ending.ts";
import { tellThree } from "../failure.ts";
import { exitOf } from "../outcome-text.ts";
import type { Print } from "../print.ts";
import { protocolOutput, protocolTalk } from "../protocol-output.ts";
import { tellStart } from "../start-notes.ts";

const { json: _, ...OURS } = COMMON;
const OPTIONS = {
  ...OURS,
  wrap: { type: "boolean" },
  name: { type: "string" },
  quiet: { type: "boolean" },
} as const;

/** The name of a server that nobody named. */
const UNNAMED = "wrapped";
/** The exit status where the server went before its client. */
const SERVER_GONE = 1;

/**
 * Runs an MCP server inside walls and stands between it and the client on standard input and output: `--wrap NAME` one of the
 * config, `--wrap -- WORDS…` one by its words.
 */
export async function mcpWrap(args: readonly string[], print: Print): Promise<number> {
  const end = args.indexOf("--");
  const [own, words] = end < 0 ? [args, null] : [args.slice(0, end), args.slice(end + 1)];
  const { values, positionals } = readArguments("mcp", own, OPTIONS);
  const [named, extra] = positionals;
  if (extra !== undefined || (named !== undefined && words !== null))
    throw usage("mcp", `${visible(extra ?? named ?? "")} is one word too many for \`mcp --wrap\``);
  if (named === undefined && (words === null || words.length === 0))
    throw usage("mcp", "`mcp --wrap` needs the name of a server, or `--` and its words");
  if (named !== undefined && values.name !== undefined)
    throw usage("mcp", "a server of the config has its name already", "leave out `--name`");
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
  ending: Ending,
  print: Print,
): Promise<number> {
  await using supervisor = await createSupervisor(options);
  const { loaded } = supervisor.shared;
  const { dim } = print.talkInk;
  const { name, server } = serverFor(wanted, loaded.config);
  tellStart(supervisor.shared, print, { quiet: isQuiet });
  const [output, talk] = [protocolOutput(), protocolTalk()];
  const { wrapServer } = await import("../../mcp/wrap/wrap.ts");
  const end = await wrapServer({
    supervisor,
    name,
    server,
    handlers: waitsElsewhere(loaded.config.approval),
    input: process.stdin,
    output: output.write,
    talk: (line) => talk(dim(line)),
    signal: AbortSignal.any([ending.signal, output.broken]),
  });
  switch (end.kind) {
    case "client-gone":
      return 0;
    case "server-gone":
      tellThree(print, `the MCP server ${name} is gone: ${end.because}`, null, "start it anew");
      return SERVER_GONE;
    case "not-started": {
      const { outcome } = end;
      if ("reason" in outcome)
        tellThree(print, `the MCP server ${name} was not started: ${outcome.reason}`, null, outcome.hint);
      return exitOf(outcome);
    }
  }
}

/** The server that is meant, and what it gets: that of the config with this name or these words, else words alone. */
function serverFor(
  { named, words, name = UNNAMED }: Wanted,
  { mcp }: Config,
): {
  readonly name: string;
  readonly server: McpServer;
} {
  const known = Object.keys(mcp.servers);
  if (named !== undefined) {
    const server = Object.hasOwn(mcp.servers, named) ? mcp.servers[named] : undefined;
    if (server !== undefined) return { name: named, server };
    throw usage(
      "mcp",
      `the config has no MCP server ${visible(named)}`,
      suggestion(named, known) ?? "list it under `mcp.servers`, or write its words behind `--`",
    );
  }
  const same = Object.entries(mcp.servers).filter(([, { command }]) => areSame(command, words));
  const [only, ...others] = same;
  if (only !== undefined && others.length === 0) return { name: only[0], server: only[1] };
  if (only !== undefined)
    throw usage(
      "mcp",
      "several MCP servers of the config have these words",
      `name one of them: ${same.map(([one]) => one).join(", ")}`,
    );
  if (known.includes(name) || !McpServerName.safeParse(name).success)
    throw usage(
      "mcp",
      known.includes(name)
        ? `${visible(name)} is another MCP server of the config`
        : `${visible(name)} can't be the name of an MCP server`,
      "choose another `--name`: lower-case letters, digits, `_` and `-`",
    );
  return { name, server: sectionFor(words) };
}

/** What applies to a server that the config does not list: what calls get unasked, and no more. */
function sectionFor(words: readonly string[]): McpServer {
  const read = McpServer.safeParse({ command: words });
  if (read.success) return read.data;
  throw new CofferdamError("USAGE", read.error.issues[0]?.message ?? "these are no words of a command", {
    hint: "write the server's program and its words behind `--`",
  });
}

function areSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, index) => word === b[index]);
}
