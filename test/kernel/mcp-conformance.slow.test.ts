import { describe, expect, it } from "vitest";
import { z } from "zod";
import { makeToken } from "../../src/http/approvers.ts";
import { serveApprovals } from "../../src/http/serve.ts";
import { defineTool } from "../../src/index.ts";
import { mcpHttp } from "../../src/mcp/http.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { runModule, withToken } from "../support/mcp/programs.ts";
import { SCENARIOS } from "../support/mcp/scenarios.ts";

sandboxMustWork("the protocol's conformance suite");

const SUITE = "@modelcontextprotocol/conformance/dist/index.js";
const APPLY = Object.keys(SCENARIOS).filter((name) => SCENARIOS[name] === "applies");

const Address = z.object({ street: z.string(), city: z.string() }).meta({ id: "address" });

/** What the suite asks of a server: its tools, by name, as functions of a host. */
const tools = [
  defineTool({
    name: "test_simple_text",
    risk: "read_only",
    run: () => "This is a simple text response for testing.",
  }),
  defineTool({
    name: "test_error_handling",
    risk: "read_only",
    run: () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  }),
  defineTool({
    name: "test_tool_with_progress",
    risk: "read_only",
    run: () => new Promise((resolve) => setTimeout(() => resolve("done"), 2_500)),
  }),
  // It is asked about, as every tool that changes something: that is the question to the client.
  defineTool({ name: "test_elicitation", risk: "write", run: () => "done" }),
  defineTool({
    name: "json_schema_2020_12_tool",
    risk: "read_only",
    input: z.strictObject({ name: z.string().optional(), address: Address.optional() }),
    run: () => "done",
  }),
];

describe.skipIf(unusable !== null)("the protocol's conformance suite", () => {
  it("has no scenario for servers that we say nothing about", async () => {
    using place = new Place(CALLER);
    const { out } = await runModule([SUITE, "list"], { cwd: place.ws });
    const [, servers = ""] = /Server scenarios[^\n]*\n([\s\S]*?)\n\n/.exec(out) ?? [];
    const names = [...servers.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
    expect(names.toSorted()).toEqual(Object.keys(SCENARIOS).toSorted());
  });

  it("fails where they are not: what is said to pass is looked at", async () => {
    using place = new Place(CALLER);
    await using supervisor = await place.supervisor();
    const token = makeToken();
    await using door = await withToken(token);
    await using endpoint = mcpHttp(supervisor);
    await using server = await serveApprovals(supervisor.broker, {
      hosts: [door.host],
      mounts: [{ path: "/mcp", clients: [{ name: "suite", token }], fetch: endpoint.fetch }],
    });
    door.leadsTo(server.url);
    const words = [SUITE, "server", "--scenario", "prompts-list", "--url", `http://${door.host}/mcp`];
    expect((await runModule(words, { cwd: place.ws })).status).not.toBe(0);
  });

  it("passes where its scenarios are about what we have, through the door that everybody comes in by", async () => {
    using place = new Place(CALLER);
    await using supervisor = await place.supervisor();
    const token = makeToken();
    await using door = await withToken(token);
    await using endpoint = mcpHttp(supervisor, { tools, elicitation: true });
    await using server = await serveApprovals(supervisor.broker, {
      hosts: [door.host],
      mounts: [{ path: "/mcp", clients: [{ name: "suite", token }], fetch: endpoint.fetch }],
    });
    door.leadsTo(server.url);
    const results = await Promise.all(
      APPLY.map(async (name) => {
        const words = [SUITE, "server", "--scenario", name, "--url", `http://${door.host}/mcp`];
        const { status, out } = await runModule(words, { cwd: place.ws });
        return { name, status, failed: status === 0 ? "" : out.slice(-2_000) };
      }),
    );
    expect(results).toEqual(APPLY.map((name) => ({ name, status: 0, failed: "" })));
  });
});
