import { escapeInvisible, thrownText } from "../../errors.ts";
import { aborted } from "../../host/pause.ts";
import { withPeers } from "../../session/peer.ts";
import { createSupervisor } from "../../session/supervisor.ts";
import { COMMON, chosen, parseWords, readArguments } from "../arguments.ts";
import { placesForClients, waitsForApprovals } from "../askers.ts";
import { untilSignalled } from "../ending.ts";
import type { Print } from "../print.ts";
import { protocolOutput, protocolTalk } from "../protocol-output.ts";
import { startNotes } from "../start-notes.ts";

const OPTIONS = { ...COMMON, agent: { type: "string" }, quiet: { type: "boolean" } } as const;

/** Speaks MCP over standard input and output. See `cofferdam mcp --help`. */
export async function mcp(args: readonly string[], print: Print): Promise<number> {
  const end = args.indexOf("--");
  if ((end < 0 ? args : args.slice(0, end)).includes("--wrap"))
    return (await import("./mcp-wrap.ts")).mcpWrap(args, print);
  return serve(args, print);
}

async function serve(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("mcp", args, OPTIONS);
  parseWords("mcp", positionals, []);
  const { agent, quiet = false } = values;
  return untilSignalled(async ({ signal }) => {
    const { serveMcp } = await withPeers(
      () => import("../../mcp/serve-stdio.ts"),
      "@modelcontextprotocol/server",
    );
    await using supervisor = await createSupervisor({ ...chosen(values), startsInRoot: true });
    const { loaded } = supervisor.shared;
    const [output, talkLine] = [protocolOutput(), protocolTalk()];
    const talk = (text: string): void => talkLine(print.talkInk.dim(`cofferdam: ${escapeInvisible(text)}`));
    for (const note of startNotes(supervisor.shared, quiet)) talk(note);
    using _changes = supervisor.onConfigChange(({ message }) => talk(message));
    const { approval } = loaded.config;
    if (!quiet) talk(placesForClients(approval));
    await using service = serveMcp(supervisor, {
      handler: waitsForApprovals(approval, talk),
      ...(agent === undefined ? {} : { agent }),
      output: output.stream,
      onError: (error) => talk(thrownText(error)),
    });
    await Promise.race([service.ended, aborted(AbortSignal.any([signal, output.broken]))]);
    return 0;
  });
}
