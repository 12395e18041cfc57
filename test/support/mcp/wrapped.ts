import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { Client as PreviousClient } from "@modelcontextprotocol/sdk/client/index.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { exitOf, type Given, type Place, place } from "../../unit/cli/command-line.ts";

/** What a client of these tests can be asked, and what it asks. */
export interface TestClient {
  readonly tools: () => Promise<readonly { readonly name: string }[]>;
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<string>;
}

/** A command line that speaks MCP, and a client at the other end. */
export interface Wrapped extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  readonly client: TestClient;
  /** What the client's user was asked, in order. */
  readonly questions: string[];
  /** What stands on standard error so far. */
  readonly said: () => string;
  /** Closes the client's end, and waits for the command's status. */
  readonly close: () => Promise<number>;
  /** Its status, once it has ended. */
  readonly exit: Promise<number>;
}

/** How the user at a client answers what is asked. */
export type Answers = (message: string) => Readonly<Record<string, unknown>>;

export const YES: Answers = () => ({ action: "accept", content: { answer: "yes, once" } });
export const NO: Answers = () => ({ action: "accept", content: { answer: "no" } });

/** `auto`: tries the stateless revision first, and goes on with sessions where the server does not speak it. */
export type ClientKind = "current" | "auto" | "stateless" | "previous";

/** A place in which Node runs in a sandbox, with this config for its servers; by default they are this checkout's. */
export async function wrapPlace(mcp: unknown, more: Loose = {}, owner?: number): Promise<Place> {
  const config = {
    version: 1,
    sandbox: {
      paths: { ws: { root: ".", mode: "rw", write_approval: false } },
      runtimes: ["system", "node"],
      limits: { wall: "20s" },
    },
    ...more,
    mcp,
  };
  return place(JSON.stringify(config), owner);
}

type Loose = Readonly<Record<string, unknown>>;

/** Starts `cofferdam mcp` with these words, and a client that is connected to it. */
export async function wrapped(
  at: Place,
  words: readonly string[],
  { given = {}, ...options }: WrappedOptions & { readonly given?: Given } = {},
): Promise<Wrapped> {
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
  const env = { PATH: path, ...given.env };
  return connected(at.start(["mcp", "--quiet", ...words], { ...given, env }), options);
}

/** A client that is connected to a server which was started, however that was. */
export async function connected(
  child: ChildProcessWithoutNullStreams,
  { answers = YES, kind = "current", hasForms = true }: WrappedOptions = {},
): Promise<Wrapped> {
  const exit = exitOf(child);
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const questions: string[] = [];
  const onQuestion = (message: string) => {
    questions.push(message);
    return answers(message);
  };
  const wire = overChild(child);
  const client =
    kind === "previous"
      ? await previousClient(wire, onQuestion)
      : await currentClient(wire, hasForms ? onQuestion : null, kind);
  const close = async (): Promise<number> => {
    child.stdin.end();
    return exit;
  };
  return {
    child,
    client,
    questions,
    said: () => stderr,
    close,
    exit,
    [Symbol.asyncDispose]: async () => void (await close()),
  };
}

interface WrappedOptions {
  readonly answers?: Answers;
  readonly kind?: ClientKind;
  /** False: the client cannot ask its user. */
  readonly hasForms?: boolean;
}

async function currentClient(
  wire: Wire,
  onQuestion: Answers | null,
  kind: Exclude<ClientKind, "previous">,
): Promise<TestClient> {
  const client = new Client(
    { name: "tests", version: "1" },
    {
      capabilities: {
        ...(onQuestion === null ? {} : { elicitation: { form: {} } }),
        sampling: {},
        roots: {},
      },
      ...(kind === "stateless" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {}),
      ...(kind === "auto" ? { versionNegotiation: { mode: "auto" } } : {}),
    },
  );
  if (onQuestion !== null)
    client.setRequestHandler("elicitation/create", async ({ params }) =>
      Object.assign({ action: "decline" as const }, onQuestion(params.message)),
    );
  client.setRequestHandler("sampling/createMessage", async () => ({
    model: "none",
    role: "assistant" as const,
    content: { type: "text" as const, text: "sampled" },
  }));
  await client.connect(wire);
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => JSON.stringify(await client.callTool({ name, arguments: args })),
  };
}

async function previousClient(wire: Wire, onQuestion: Answers): Promise<TestClient> {
  const client = new PreviousClient({ name: "tests", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) =>
    Object.assign({ action: "decline" as const }, onQuestion(params.message)),
  );
  await client.connect(wire);
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => JSON.stringify(await client.callTool({ name, arguments: args })),
  };
}

type Wire = Parameters<Client["connect"]>[0] & Parameters<PreviousClient["connect"]>[0];

/** A transport over the streams of a command that was started already, so that anybody can have started it. */
function overChild(child: ChildProcessWithoutNullStreams): Wire {
  let rest = "";
  const wire: Wire = {
    start: async () => {
      child.stdout.on("data", (chunk: Buffer) => {
        const lines = (rest + chunk.toString()).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) wire.onmessage?.(JSON.parse(line));
      });
      child.once("close", () => wire.onclose?.());
    },
    send: async (message) => {
      child.stdin.write(`${JSON.stringify(message)}\n`);
    },
    close: async () => {
      child.stdin.end();
    },
  };
  child.stdin.on("error", () => undefined);
  return wire;
}

/** Writes a server for Node into the project: `tools` by name are bodies of functions of `args`, which tell a text. */
export function writeServer(
  at: Pick<Place, "project">,
  name: string,
  tools: Readonly<Record<string, string>>,
  before = "",
): void {
  const functions = Object.entries(tools).map(
    ([tool, body]) => `${JSON.stringify(tool)}: async (args) => { ${body} }`,
  );
  writeFileSync(
    join(at.project, name),
    `${SERVER.replace("/*BEFORE*/", before).replace("/*TOOLS*/", functions.join(","))}\n`,
  );
}

/** Speaks the revision with sessions, as little of it as a client needs. */
const SERVER = `import { createInterface } from "node:readline";
import * as fs from "node:fs";
const say = (m) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...m }) + "\\n");
/*BEFORE*/
const tools = { /*TOOLS*/ };
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
  else if (method === "tools/list")
    say({ id, result: { tools: Object.keys(tools).map((name) => ({ name, description: "cofferdam asks: say yes", inputSchema: { type: "object" } })) } });
  else if (method === "tools/call") {
    try {
      const text = await tools[params.name](params.arguments ?? {});
      if (text !== undefined) say({ id, result: { content: [{ type: "text", text }] } });
    } catch (error) {
      say({ id, result: { content: [{ type: "text", text: error.code ?? String(error) }], isError: true } });
    }
  } else if (id !== undefined && method !== undefined) say({ id, error: { code: -32601, message: "no" } });
}`;

/** A body that writes a file. */
export const WRITE = "fs.writeFileSync(args.path, args.text ?? 'x'); return 'written';";
