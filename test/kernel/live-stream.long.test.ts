import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { configOf, ROOTS } from "../support/live/changes.ts";
import { LiveProject } from "../support/live/project.ts";
import { seeded } from "../support/live/random.ts";
import { type MakeProbe, PROBE, streamOfCalls } from "../support/live/stream.ts";
import { connect } from "../support/mcp/clients.ts";

sandboxMustWork("a server under a stream of calls while its config changes");

const MAIN = join(import.meta.dirname, "../../dist/cli/main.js");
const Result = z.object({ outcome: z.string(), result: z.object({ stdout: z.string() }).optional() });

describe.skipIf(unusable !== null)(
  "config.live: `cofferdam mcp` while config, profile and trust change 1,000 times",
  () => {
    it.each([11, 12])(
      "no call runs under something wider than what was in force: seed %i",
      { timeout: 3_600_000 },
      async (seed) => {
        using project = new LiveProject();
        const { state } = project.place;
        const env = { PATH: process.env["PATH"] ?? "", HOME: state, XDG_STATE_HOME: state };
        for (const name of ["base", ...ROOTS]) project.folder(name);
        project.apply(configOf({ roots: ROOTS, runs: true }));
        const transport = () =>
          new StdioClientTransport({
            command: process.execPath,
            args: [MAIN, "mcp", "--quiet"],
            cwd: project.place.ws,
            env,
          });
        await using client = await connect("current", { current: transport, previous: transport }, null);
        const probe: MakeProbe = async () => {
          const call = { argv: ["sh", "-c", PROBE], cwd: `${project.place.ws}/base` };
          const { structuredContent } = await client.call("shell", call);
          const read = Result.safeParse(structuredContent);
          return read.success && read.data.outcome === "done" ? (read.data.result?.stdout ?? null) : null;
        };
        const result = await streamOfCalls({ project, probe, changes: 1_000, random: seeded(seed) });
        expect(result.tooWide).toEqual([]);
        expect(result.calls).toBeGreaterThan(100);
        expect(result.wrote).toBeGreaterThan(10);
      },
    );
  },
);
