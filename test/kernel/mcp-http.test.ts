import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BrokerHandler } from "../../src/approval/handlers.ts";
import { makeToken } from "../../src/http/approvers.ts";
import { serveApprovals } from "../../src/http/serve.ts";
import type { McpOptions } from "../../src/mcp/connection.ts";
import { mcpHttp } from "../../src/mcp/http.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place, type Settings } from "../support/battery/place.ts";
import { connect, type Filled, GENERATIONS, type Person } from "../support/mcp/clients.ts";
import { httpWay } from "../support/mcp/http-way.ts";

sandboxMustWork("MCP over HTTP");

const ASKS: Settings = { shell: { default: { allowed: true, approval: true } } };
const TOUCH = { argv: ["touch", "made"] };
const FORMS: McpOptions = { elicitation: true };
const YES: Filled = { action: "accept", content: { answer: "yes, once" } };

/** An endpoint, and the approvals behind the same door. */
async function standing(place: Place, more: McpOptions = {}, settings: Settings = ASKS) {
  const supervisor = await place.supervisor(settings);
  const tools = mcpHttp(supervisor, { handler: new BrokerHandler(), ...more });
  const [token, other] = [makeToken(), makeToken()];
  const clients = [
    { name: "agent", token },
    { name: "other", token: other },
  ];
  const server = await serveApprovals(supervisor.broker, {
    mounts: [{ path: "/mcp", clients, fetch: tools.fetch }],
  });
  const url = `${server.url}/mcp`;
  return {
    supervisor,
    server,
    url,
    token,
    way: httpWay(url, token),
    otherWay: httpWay(url, other),
    other,
    post: (body: unknown, headers: Record<string, string>) =>
      fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
        body: JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: async () => {
      await tools[Symbol.asyncDispose]();
      await server.close();
      await supervisor[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(unusable !== null)("MCP over HTTP", () => {
  it.each(GENERATIONS)("asks the client's user by a form, and runs after a yes: %s", async (generation) => {
    using place = new Place(CALLER);
    await using at = await standing(place, FORMS);
    const forms: string[] = [];
    const person: Person = ({ message }) => {
      forms.push(message);
      return YES;
    };
    await using client = await connect(generation, at.way, person);
    const progress: number[] = [];
    const result = await client.call("shell", TOUCH, { onProgress: (one) => progress.push(one) });
    expect(result.structuredContent).toMatchObject({ outcome: "done" });
    expect(existsSync(`${place.ws}/made`)).toBe(true);
    expect(forms).toHaveLength(1);
    expect(progress.length).toBeGreaterThan(0);
  });

  it.each(GENERATIONS)("waits for the inbox where the client has no forms: %s", async (generation) => {
    using place = new Place(CALLER);
    await using at = await standing(place);
    await using client = await connect(generation, at.way);
    const call = client.call("shell", TOUCH);
    await expect.poll(async () => (await at.supervisor.broker.pending()).length).toBe(1);
    await at.supervisor.broker.respondAll({}, { approved: true }, "ann");
    expect((await call).structuredContent).toMatchObject({ outcome: "done" });
  });

  it("keeps what one client of the older protocol was granted from another", async () => {
    using place = new Place(CALLER);
    await using at = await standing(place, FORMS);
    let asked = 0;
    const person: Person = () => {
      asked += 1;
      return { action: "accept", content: { answer: "yes, for this session" } };
    };
    await using one = await connect("previous", at.way, person);
    await one.call("shell", TOUCH);
    await one.call("shell", TOUCH);
    expect(asked).toBe(1);
    await using other = await connect("previous", at.way, person);
    await other.call("shell", TOUCH);
    expect(asked).toBe(2);
  });

  it.each(["current", "previous"] as const)(
    "puts no form to whoever sends the requests, where nobody said so: by its token nothing is answered (http.auth): %s",
    async (generation) => {
      using place = new Place(CALLER);
      await using at = await standing(place);
      let asked = 0;
      await using client = await connect(generation, at.way, () => {
        asked += 1;
        return YES;
      });
      const call = client.call("shell", TOUCH);
      await expect.poll(async () => (await at.supervisor.broker.pending()).length).toBe(1);
      await at.supervisor.broker.respondAll({}, { approved: false }, "ann");
      expect((await call).structuredContent).toMatchObject({ outcome: "denied" });
      expect(asked).toBe(0);
      expect(existsSync(`${place.ws}/made`)).toBe(false);
    },
  );

  it.each(["current", "previous"] as const)(
    "keeps what one client was granted, and its sessions, from another with a token of its own: %s",
    async (generation) => {
      using place = new Place(CALLER);
      await using at = await standing(place, FORMS);
      const asked: string[] = [];
      const person =
        (who: string): Person =>
        () => {
          asked.push(who);
          return { action: "accept", content: { answer: "yes, for this session" } };
        };
      await using alice = await connect(generation, at.way, person("alice"));
      await using bob = await connect(generation, at.otherWay, person("bob"));
      for (const client of [alice, alice, bob]) await client.call("shell", TOUCH);
      expect(asked).toEqual(["alice", "bob"]);
    },
  );

  it("takes no session of another's for its own", async () => {
    using place = new Place(CALLER);
    await using at = await standing(place);
    const begin = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    };
    const begun = await at.post(begin, { authorization: `Bearer ${at.token}` });
    const session = begun.headers.get("mcp-session-id") ?? "";
    expect(session).not.toBe("");
    const ping = (token: string) =>
      at.post(
        { jsonrpc: "2.0", id: 2, method: "ping" },
        { authorization: `Bearer ${token}`, "mcp-session-id": session },
      );
    expect((await ping(at.other)).status).toBe(404);
    expect((await ping(at.token)).status).toBe(200);
  });

  it("lets nobody in without its token, and nobody answer by it (http.auth)", async () => {
    using place = new Place(CALLER);
    await using at = await standing(place);
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const [approver] = at.server.approvers;
    const of = async (headers: Record<string, string>) => (await at.post(ping, headers)).status;
    expect(await of({})).toBe(401);
    expect(await of({ authorization: `Bearer ${makeToken()}` })).toBe(401);
    expect(await of({ authorization: `Bearer ${approver?.token}` })).toBe(401);
    expect(await of({ authorization: `Bearer ${at.token}` })).not.toBe(401);
    const list = (token: string) =>
      fetch(`${at.server.url}/approvals`, { headers: { authorization: `Bearer ${token}` } });
    expect((await list(at.token)).status).toBe(401);
    expect((await list(approver?.token ?? "")).status).toBe(200);
  });

  it("lets no page of another origin in, whatever name leads to it (http.auth)", async () => {
    using place = new Place(CALLER);
    await using at = await standing(place);
    const authorization = `Bearer ${at.token}`;
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect((await at.post(ping, { authorization, origin: "https://evil.example" })).status).toBe(403);
    expect((await at.post(ping, { authorization, origin: at.server.url })).status).not.toBe(403);
  });

  it("is refused where a token would answer as well, or the path is taken", async () => {
    using place = new Place(CALLER);
    await using supervisor = await place.supervisor(ASKS);
    await using tools = mcpHttp(supervisor);
    const token = makeToken();
    const mount = (path: string) => ({ path, clients: [{ name: "agent", token }], fetch: tools.fetch });
    const serve = (path: string, approver: string) =>
      serveApprovals(supervisor.broker, {
        mounts: [mount(path)],
        approvers: [{ name: "ann", token: approver }],
      });
    await expect(serve("/mcp", token)).rejects.toMatchObject({ code: "USAGE" });
    await expect(serve("/approvals", makeToken())).rejects.toMatchObject({ code: "USAGE" });
    await using server = await serve("/mcp", makeToken());
    expect(server.url).toMatch(/^http:/);
  });

  it("takes no body that is larger than any call, and leaves no session behind that was not begun", async () => {
    using place = new Place(CALLER);
    await using at = await standing(place);
    const authorization = `Bearer ${at.token}`;
    const large = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "x".repeat(5 * 1024 ** 2) },
    };
    expect((await at.post(large, { authorization })).status).toBe(413);
    const many = { ...large, params: { name: "a", arguments: Array.from({ length: 40_000 }, () => 1) } };
    const refused = await at.post(many, { authorization });
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("the message has more than 30000 values"),
    ]);
    expect((await at.post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, { authorization })).status).toBe(
      400,
    );
    expect(
      (await at.post({ jsonrpc: "2.0", id: 1, method: "ping" }, { authorization, "mcp-session-id": "x" }))
        .status,
    ).toBe(404);
  });
});
