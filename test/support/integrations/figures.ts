import { once } from "node:events";
import { RunContext } from "@openai/agents";
import { z } from "zod";
import { cofferdamTools as aiSdkTools } from "../../../src/adapters/ai-sdk.ts";
import { cofferdamTools as langChainTools } from "../../../src/adapters/langchain.ts";
import { cofferdamTools as agentsTools } from "../../../src/adapters/openai-agents.ts";
import type { Supervisor } from "../../../src/index.ts";
import { serveMcp } from "../../../src/mcp/serve-stdio.ts";
import { connect } from "../mcp/clients.ts";
import { Lines } from "../mcp/lines.ts";

/** What one call takes by a session, and what each integration adds to it, in milliseconds at the median. */
export interface IntegrationFigures {
  readonly library: number;
  readonly onTop: Readonly<Record<string, number>>;
}

/** One call that nobody is asked about, made as a framework makes it: with its question whether somebody has to be. */
type Make = (run: number) => Promise<unknown>;

/**
 * Makes the same call by the library and by each integration, in turn, so that a drift of the machine meets all of
 * them. It measures what a framework asks of us, not the framework's own work.
 */
export async function integrationFigures(
  supervisor: Supervisor,
  tool: string,
  input: Record<string, unknown>,
  runs: number,
): Promise<IntegrationFigures> {
  const lines = new Lines();
  await using _service = serveMcp(supervisor, { input: lines.input, output: lines.output });
  const mcp = await spokenMcp(lines, tool, input);
  await using session = supervisor.session();
  const integrations: Readonly<Record<string, Make>> = {
    "MCP, over two streams": mcp,
    "AI SDK": aiSdk(supervisor, tool, input),
    "OpenAI Agents": agents(supervisor, tool, input),
    LangChain: langChain(supervisor, tool, input),
  };
  const names = Object.keys(integrations);
  const library: number[] = [];
  const onTop = new Map(names.map((name): [string, number[]] => [name, []]));
  for (let run = -Math.ceil(runs / 5); run < runs; run += 1) {
    for (const name of names) {
      // Beside each call by an integration one by the library: what others do to the machine meets both.
      const alone = await timed(() => session.call(tool, input));
      const through = await timed(() => integrations[name]?.(run));
      if (run < 0) continue;
      library.push(alone);
      onTop.get(name)?.push(through - alone);
    }
  }
  return {
    library: median(library),
    onTop: Object.fromEntries([...onTop].map(([name, times]) => [name, median(times)])),
  };
}

const CallLine = z.object({ method: z.literal("tools/call"), params: z.unknown() });

/** Has a client make the call once, and then makes it anew by the line that it wrote, to the end of the line that answers. */
async function spokenMcp(lines: Lines, tool: string, input: Record<string, unknown>): Promise<Make> {
  const client = await connect("current", lines);
  await client.call(tool, input);
  const [said] = lines.wire.flatMap(({ line }) => CallLine.safeParse(JSON.parse(line)).data ?? []);
  lines.output.removeAllListeners("data");
  return async (run) => {
    lines.input.write(`${JSON.stringify({ jsonrpc: "2.0", id: `figure-${run}`, ...said })}\n`);
    let answer = "";
    while (!answer.endsWith("\n")) answer += String((await once(lines.output, "data"))[0]);
    if (!answer.includes('"structuredContent"')) throw new Error(answer);
  };
}

function aiSdk(supervisor: Supervisor, tool: string, input: unknown): Make {
  const { tools, toolApproval } = aiSdkTools(supervisor);
  const own = tools[tool];
  return async (run) => {
    const toolCallId = `call_${run}`;
    const status = await toolApproval({ toolCall: { toolCallId, toolName: tool, input }, messages: [] });
    if (status !== undefined && status !== "approved") throw new Error("it was to be let pass");
    return own?.execute?.(input, { toolCallId, messages: [], context: {} });
  };
}

function agents(supervisor: Supervisor, tool: string, input: unknown): Make {
  const own = agentsTools(supervisor).find(({ name }) => name === tool);
  const context = new RunContext();
  return async (run) => {
    if ((await own?.needsApproval(context, input, `call_${run}`)) === true)
      throw new Error("it was to be let pass");
    return own?.invoke(context, JSON.stringify(input));
  };
}

function langChain(supervisor: Supervisor, tool: string, input: Record<string, unknown>): Make {
  const own = langChainTools(supervisor).find(({ name }) => name === tool);
  return async (run) => own?.invoke({ type: "tool_call", id: `call_${run}`, name: tool, args: input });
}

async function timed(work: () => Promise<unknown> | undefined): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function median(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
