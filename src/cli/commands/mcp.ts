import { escapeInvisible, thrownText } from "../../errors.ts";
import { withPeers } from "../../supervisor/peer.ts";
import { createSupervisor } from "../../supervisor/supervisor.ts";
import { COMMON, chosen, readArguments, takeWords } from "../arguments.ts";
import { elsewhere } from "../askers.ts";
import { aborted, untilSignalled } from "../ending.ts";
import type { Print } from "../print.ts";

const OPTIONS = {
  ...COMMON,
  agent: { type: "string" },
  quiet: { type: "boolean" },
} as const;

/** Serves an MCP client the tools of the config, over standard input and output. See `cofferdam mcp --help`. */
export async function mcp(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("mcp", args, OPTIONS);
  takeWords("mcp", positionals, []);
  const { agent, quiet = false } = values;
  return untilSignalled(async ({ signal }) => {
    const { serveMcp } = await withPeers(
      () => import("../../mcp/serve-stdio.ts"),
      "@modelcontextprotocol/server",
    );
    await using supervisor = await createSupervisor({ ...chosen(values), startsInRoot: true });
    const { loaded } = supervisor.shared;
    const talk = (text: string): void => print.talk(print.talkInk.dim(`cofferdam: ${escapeInvisible(text)}`));
    if (!quiet) for (const note of loaded.notes) talk(note);
    await using service = serveMcp(supervisor, {
      handler: elsewhere(loaded.config.approval),
      ...(agent === undefined ? {} : { agent }),
      onError: (error) => talk(thrownText(error)),
    });
    await Promise.race([service.ended, aborted(signal)]);
    return 0;
  });
}
