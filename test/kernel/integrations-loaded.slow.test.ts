import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };

const CHECKOUT = join(import.meta.dirname, "../..");
const Entry = z.object({ default: z.string() });

/** The packages that are loaded by one entry of ours, as it is built. */
async function loadedBy(subpath: string): Promise<readonly string[]> {
  const entries: Readonly<Record<string, unknown>> = manifest.exports;
  const file = join(CHECKOUT, Entry.parse(entries[subpath]).default);
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(CHECKOUT, "test/support/integrations/loaded.ts"),
    file,
  ]);
  return stdout.trim().split("\n");
}

const OPTIONAL = Object.keys(manifest.peerDependencies);

/** What each integration needs of what not everybody has: what it loads when it is imported, and nothing of the others'. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  "./ai-sdk": ["ai"],
  "./http": ["@hono/node-server", "hono"],
  "./langchain": ["@langchain/core"],
  "./mcp": ["@modelcontextprotocol/server"],
  "./openai-agents": ["@openai/agents"],
};

describe("who imports an integration pays for it, and nobody else", () => {
  test("cofferdam alone loads no package of any integration", async () => {
    const loaded = await loadedBy(".");
    expect(loaded).toContain("zod");
    expect(loaded.filter((name) => OPTIONAL.includes(name))).toEqual([]);
  });

  test.each(Object.entries(NEEDS))("%s of it loads its own", async (subpath, own) => {
    expect((await loadedBy(subpath)).filter((name) => OPTIONAL.includes(name))).toEqual(own);
  });
});
