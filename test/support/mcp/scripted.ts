import { vi } from "vitest";
import { createGate, type GateSettings, type ToolGate } from "../../../src/call/create-gate.ts";
import { ClientOutput } from "../../../src/mcp/wrap/client-output.ts";
import { ClientRequests } from "../../../src/mcp/wrap/client-requests.ts";
import { ElicitationBridge } from "../../../src/mcp/wrap/elicitation-bridge.ts";
import { Gateway } from "../../../src/mcp/wrap/gateway.ts";
import { layersOf } from "../../../src/mcp/wrap/rule-layers.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { normalProfile } from "../../../src/profile/profile.ts";
import { McpServer } from "../../../src/tool/mcp-settings.ts";
import { Asked, Written } from "../approval/asked.ts";

/** A message as tests look at it. */
export type Loose = Readonly<Record<string, unknown>>;

/** What a scripted gateway is made from; without a handler the client is asked. */
export interface Script {
  readonly section?: Readonly<Record<string, unknown>>;
  readonly approval?: GateSettings["approval"];
  readonly asked?: Asked | null;
  readonly wallMs?: number | null;
  /** Folders that the server can read. */
  readonly reads?: readonly string[];
  readonly changes?: () => readonly string[];
  readonly start?: () => Promise<string | null>;
  /** What the server says to what it reads; null to say nothing. */
  readonly server?: (message: Loose) => Loose | readonly Loose[] | null;
  /** What a slow client does before it has taken a line. */
  readonly taking?: () => Promise<void>;
  /** What a slow server does before it has read a line. */
  readonly reading?: () => Promise<void>;
}

/** A gateway between a client and a server that are scripts: what either saw, and what was told, asked and written. */
export class Scripted implements Disposable {
  readonly clientSaw: Loose[] = [];
  readonly serverSaw: Loose[] = [];
  /** The lines that the server read, as they are. */
  readonly serverLines: string[] = [];
  readonly told: string[] = [];
  readonly journal = new Written();
  readonly asked: Asked;
  readonly gateway: Gateway;
  readonly #gate: ToolGate;
  over: string | null = null;

  constructor({ section = {}, approval, asked, wallMs = null, ...script }: Script = {}) {
    const policy = McpServer.parse({ command: ["srv"], ...section });
    const layers = layersOf("fs", policy);
    this.asked = asked ?? new Asked(() => ({ approved: true, by: "ann" }));
    const profile = normalProfile({
      files: (script.reads ?? []).map((path) => ({ path: knownPath(path), access: "read", suffixes: "any" })),
    });
    const client = new ClientOutput(async (line) => {
      await script.taking?.();
      this.clientSaw.push(parsed(line));
    });
    const requests = new ClientRequests(client);
    const bridge = new ElicitationBridge(client, requests);
    const gate = createGate({
      ...(approval === undefined ? {} : { approval }),
      handler: asked === null ? bridge.handler : this.asked,
      journal: this.journal,
    });
    this.#gate = gate;
    const read = async (line: string, done: () => void): Promise<void> => {
      await script.reading?.();
      this.serverLines.push(line);
      const message = parsed(line);
      this.serverSaw.push(message);
      const says = script.server?.(message) ?? null;
      for (const one of says === null ? [] : [says].flat()) this.server(one);
      done();
    };
    this.gateway = new Gateway({
      server: "fs",
      policy,
      wallMs,
      client,
      requests,
      bridge,
      callTool: (tool, args, { signal, groupId }) =>
        gate
          .guard([tool], { further: layers })
          .call(tool.name, args, { signal, ...(groupId === null ? {} : { groupId }) }),
      start: async () => {
        const reason = (await script.start?.()) ?? null;
        if (reason !== null) return { kind: "denied", code: "APPROVAL_DENIED", reason, hint: "" };
        const changes = script.changes ?? (() => []);
        return { kind: "resident", profile, changes, input: { write: read } };
      },
      report: (what, because) => this.told.push(`${what}: ${because}`),
    });
    void this.gateway.ended.then((because) => (this.over = because));
  }

  /** The client says something: a message, or the text of a line. */
  client(message: Loose | string): void {
    void this.gateway.readClient(lineOf(message));
  }

  /** The server says something. */
  server(message: Loose | string): void {
    void this.gateway.readServer(lineOf(message));
  }

  /** The client asks, and waits for the answer. */
  async ask(id: string | number, method: string, params?: Loose): Promise<Loose> {
    this.client({ id, method, ...(params === undefined ? {} : { params }) });
    return this.answer(id);
  }

  answer(id: unknown): Promise<Loose> {
    return vi.waitUntil(() => this.clientSaw.find((one) => one["id"] === id && !("method" in one)), SOON);
  }

  /** What the client is asked by a method, once it is. */
  request(method: string): Promise<Loose> {
    return vi.waitUntil(() => this.clientSaw.find((one) => one["method"] === method), SOON);
  }

  /** What the server reads of a method, once it does. */
  reaches(method: string): Promise<Loose> {
    return vi.waitUntil(() => this.serverSaw.find((one) => one["method"] === method), SOON);
  }

  /** Begins a session of the client's, with what it says that it can do. */
  async initialize(capabilities: Loose = {}): Promise<Loose> {
    const clientInfo = { name: "tester", version: "1" };
    const answer = await this.ask("init", "initialize", {
      protocolVersion: "2025-11-25",
      capabilities,
      clientInfo,
    });
    this.client({ method: "notifications/initialized" });
    return answer;
  }

  call(id: string | number, name: string, args?: unknown): Promise<Loose> {
    return this.ask(id, "tools/call", { name, ...(args === undefined ? {} : { arguments: args }) });
  }

  [Symbol.dispose](): void {
    this.gateway.end("the test is over");
    this.#gate[Symbol.dispose]();
  }
}

const SOON = { timeout: 3_000, interval: 5 };

function lineOf(message: Loose | string): Buffer {
  return Buffer.from(
    typeof message === "string" ? message : `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`,
  );
}

function parsed(line: string): Loose {
  const message: unknown = JSON.parse(line);
  return Object.assign({}, message);
}

/** A server that does as it is told: it lists these tools and answers calls with their arguments. */
export function plainServer(tools: readonly unknown[] = []): (message: Loose) => Loose | null {
  return ({ id, method, params }) => {
    if (id === undefined || method === undefined) return null;
    switch (method) {
      case "initialize":
        return { id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: {} } };
      case "tools/list":
        return { id, result: { tools } };
      case "tools/call":
        return { id, result: { content: [{ type: "text", text: JSON.stringify(params) }] } };
      default:
        return { id, result: { echo: method, params } };
    }
  };
}

/** The text of a result of a tool. */
export function textOf(answer: Loose): string {
  const result: unknown = answer["result"] ?? answer["error"];
  return JSON.stringify(result);
}
