import { type ServeMcpOptions, serveMcp } from "../../../src/mcp/serve-stdio.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { createSupervisor } from "../../../src/session/supervisor.ts";
import type { Place, Settings } from "../battery/place.ts";
import { connect, type Generation, type McpTestClient, type Person } from "./clients.ts";
import { Lines } from "./lines.ts";

/** Whom a client is served by, and who sits at it. */
export interface Serving {
  readonly place: Place;
  readonly settings?: Settings;
  readonly generation?: Generation;
  readonly person?: Person;
  readonly options?: Omit<ServeMcpOptions, "input" | "output">;
}

/** A client, what went over its wire, and the supervisor behind it, until the work is done. */
export async function served<Value>(
  { place, settings = {}, generation = "current", person, options = {} }: Serving,
  work: (at: {
    readonly client: McpTestClient;
    readonly lines: Lines;
    readonly supervisor: Awaited<ReturnType<typeof createSupervisor>>;
  }) => Promise<Value>,
): Promise<Value> {
  await using supervisor = await createSupervisor({
    config: place.config(settings),
    cwd: knownPath(place.ws),
    host: place.host(),
  });
  const lines = new Lines();
  await using _service = serveMcp(supervisor, { ...options, input: lines.input, output: lines.output });
  await using client = await connect(generation, lines, person ?? null);
  return await work({ client, lines, supervisor });
}
