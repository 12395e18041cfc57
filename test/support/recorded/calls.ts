import { PassThrough } from "node:stream";
import { vi } from "vitest";
import { createSupervisor, defineTool, type Session, type Supervisor } from "../../../src/index.ts";
import { wrapServer } from "../../../src/mcp/wrap/wrap.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { McpServer } from "../../../src/tool/mcp-settings.ts";
import { Asked, Written } from "../approval/asked.ts";
import { CALLER } from "../battery/people.ts";
import { Place, type Settings } from "../battery/place.ts";
import { StablePrinter } from "./stable.ts";

/** The kinds of tools whose calls are recorded. */
export const KINDS = ["program", "file", "function", "wrapped"] as const;
export type Kind = (typeof KINDS)[number];

/** The ways that a call can go. */
export const SITUATIONS = [
  "allow",
  "deny",
  "ask-yes",
  "ask-session",
  "ask-no",
  "edited",
  "edited-to-denied",
  "cancelled",
  "nobody",
  "fails",
] as const;
export type Situation = (typeof SITUATIONS)[number];

/** The tool of each kind, its input, an input that a person puts in its place, one that is denied, and one that fails. */
const CALLS = {
  program: {
    tool: "shell",
    input: { argv: ["touch", "made"] },
    edited: { argv: ["touch", "other"] },
    denied: { argv: ["rm", "made"] },
    failing: { argv: ["no-such-program"] },
  },
  file: {
    tool: "write_file",
    input: { path: "made.txt", content: "a line\n" },
    edited: { path: "made.txt", content: "another line\n" },
    denied: { path: "../outside/made.txt", content: "" },
    failing: { path: "no/such/folder/made.txt", content: "" },
  },
  function: {
    tool: "deploy",
    input: { env: "staging" },
    edited: { env: "test" },
    denied: { env: "production" },
    failing: { env: "broken" },
  },
  wrapped: {
    tool: "write",
    input: { path: "made" },
    edited: { path: "other" },
    denied: { path: "denied" },
    failing: { path: "no/such/folder/made" },
  },
} as const;

const WAIT = { timeout: 60_000, interval: 5 };

const ACTION = { allow: "allow", deny: "deny" } as const;

function settingsFor(kind: Kind, situation: Situation, ws: string): Settings {
  const action = situation === "allow" || situation === "deny" ? ACTION[situation] : "ask";
  const rules =
    kind === "file"
      ? [{ pattern: "write_file", action }]
      : [
          { pattern: "deploy", args: { env: "production" }, action: "deny" },
          { pattern: "deploy", action },
        ];
  const root = { root: ws, mode: "rw", write_approval: kind !== "wrapped" && action === "ask" };
  return {
    sandbox: { paths: { ws: root }, runtimes: kind === "wrapped" ? ["system", "node"] : ["system"] },
    shell: {
      default: { allowed: true, approval: action === "ask" },
      rules: [
        { pattern: "rm", allowed: false },
        {
          pattern: "touch",
          allowed: action !== "deny",
          ...(action === "deny" ? {} : { approval: action === "ask" }),
        },
      ],
    },
    approval: { rules },
  };
}

const deploy = defineTool({
  name: "deploy",
  run: ({ input }) => {
    if (JSON.stringify(input).includes("broken")) throw new Error("the deployment is broken");
    return { deployed: input };
  },
});

/** A place with a supervisor whose record is kept, and everything of it as stable text. */
class Recording implements AsyncDisposable {
  readonly place = new Place(CALLER);
  readonly journal = new Written();
  readonly lines: string[] = [];
  readonly #printer = new StablePrinter([
    [this.place.top, "<place>"],
    [process.execPath, "<node>"],
  ]);
  #supervisor: Supervisor | null = null;
  #shown = 0;

  async supervisor(settings: Settings): Promise<Supervisor> {
    this.#supervisor = await createSupervisor({
      config: this.place.config(settings),
      cwd: knownPath(this.place.ws),
      host: this.place.host(),
      journal: this.journal,
    });
    return this.#supervisor;
  }

  /** Adds what came of a call, and each event since the last one. */
  tell(what: string, outcome: unknown): void {
    for (const event of this.journal.events.slice(this.#shown)) this.lines.push(this.#printer.print(event));
    this.#shown = this.journal.events.length;
    this.lines.push(`${what}: ${this.#printer.print(outcome)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#supervisor?.[Symbol.asyncDispose]();
    this.place[Symbol.dispose]();
  }
}

/** A handler that answers as the situation wants. */
function handlerFor(kind: Kind, situation: Situation, cancel: () => void): Asked | null {
  switch (situation) {
    case "nobody":
      return null;
    case "ask-no":
      return new Asked(() => ({ approved: false, by: "ann", note: "not today" }));
    case "edited":
      return new Asked(() => ({
        status: "approved",
        scope: "once",
        by: "ann",
        editedInput: CALLS[kind].edited,
      }));
    case "edited-to-denied":
      return new Asked(() => ({
        status: "approved",
        scope: "once",
        by: "ann",
        editedInput: CALLS[kind].denied,
      }));
    case "ask-session":
      return new Asked(() => ({ status: "approved", scope: "session", by: "ann" }));
    case "cancelled":
      return new Asked((_, { signal }) => {
        cancel();
        return new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve({ status: "pending" })),
        );
      });
    default:
      return new Asked(() => ({ approved: true, by: "ann" }));
  }
}

/** Makes the call of a kind in one situation; its events, then its outcome, as text. */
export async function recordedCall(kind: Kind, situation: Situation): Promise<string> {
  await using recording = new Recording();
  const supervisor = await recording.supervisor(settingsFor(kind, situation, recording.place.ws));
  const { tool } = CALLS[kind];
  const input = situation === "fails" ? CALLS[kind].failing : CALLS[kind].input;
  const stop = new AbortController();
  const handler = handlerFor(kind, situation, () => stop.abort(new Error("the caller went away")));
  if (kind === "wrapped") {
    await wrappedCall(supervisor, recording, handler, situation, { tool, input }, stop);
    return recording.lines.join("\n");
  }
  const session = supervisor.session({ tools: [deploy], ...(handler === null ? {} : { handler }) });
  const calls = situation === "ask-session" ? 2 : 1;
  for (let made = 0; made < calls; made += 1)
    recording.tell("outcome", await settled(session.call(tool, input, { signal: stop.signal })));
  return recording.lines.join("\n");
}

/** Asks about a call without making it, then makes it with the answer, as text. */
export async function recordedAsk(kind: Exclude<Kind, "wrapped">, situation: Situation): Promise<string> {
  await using recording = new Recording();
  const supervisor = await recording.supervisor(settingsFor(kind, situation, recording.place.ws));
  const { tool } = CALLS[kind];
  const input = situation === "fails" ? CALLS[kind].failing : CALLS[kind].input;
  const session = supervisor.session({ tools: [deploy] });
  const answer = await settled(session.ask(tool, input, { toolCallId: "call-1" }));
  recording.tell("ask", answer);
  await answerAndRun(recording, session, answer, situation);
  return recording.lines.join("\n");
}

/** Leaves a call pending, answers it, and resumes it, as text. */
export async function recordedResume(kind: Exclude<Kind, "wrapped">, situation: Situation): Promise<string> {
  await using recording = new Recording();
  const supervisor = await recording.supervisor(settingsFor(kind, situation, recording.place.ws));
  const { tool } = CALLS[kind];
  const input = situation === "fails" ? CALLS[kind].failing : CALLS[kind].input;
  const session = supervisor.session({ tools: [deploy], wait: { style: "suspend" } });
  const outcome = await settled(session.call(tool, input));
  recording.tell("outcome", outcome);
  await answerAndRun(recording, session, outcome, situation);
  return recording.lines.join("\n");
}

async function answerAndRun(
  recording: Recording,
  session: Session,
  outcome: unknown,
  situation: Situation,
): Promise<void> {
  if (typeof outcome !== "object" || outcome === null || !("approvalId" in outcome)) return;
  const approvalId = String(outcome.approvalId);
  recording.tell("resumed early", await settled(session.resume(approvalId)));
  const answer = situation === "ask-no" ? { approved: false, note: "not today" } : { approved: true };
  recording.tell("answered", await settled(session.respond(approvalId, answer, "ann")));
  recording.tell("resumed", await settled(session.resume(approvalId)));
  recording.tell("resumed again", await settled(session.resume(approvalId)));
}

/** The outcome, or the error that the call threw. */
async function settled(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
    return { threw: code, message: error instanceof Error ? error.message : String(error) };
  }
}

async function wrappedCall(
  supervisor: Supervisor,
  recording: Recording,
  handler: Asked | null,
  situation: Situation,
  { tool, input }: { readonly tool: string; readonly input: unknown },
  stop: AbortController,
): Promise<void> {
  recording.place.file("ws/server.mjs", SERVER);
  const action = situation === "allow" || situation === "deny" ? ACTION[situation] : "ask";
  const server = McpServer.parse({
    command: ["node", "server.mjs"],
    rules: [
      { pattern: "*", args: { path: "denied" }, action: "deny" },
      { pattern: "*", action },
    ],
  });
  const client = new PassThrough();
  const answered = Promise.withResolvers<unknown>();
  const say = (message: object): void =>
    void client.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  stop.signal.addEventListener("abort", () => {
    say({ method: "notifications/cancelled", params: { requestId: 2, reason: "gone" } });
    // The protocol has no answer to a cancelled request: the call has ended when its record says so.
    void vi
      .waitUntil(() => recording.journal.of("call.ended").length > 0, WAIT)
      .then(() => answered.resolve("none"));
  });
  const ended = wrapServer({
    supervisor,
    name: "fs",
    server,
    handlers: handler === null ? [] : [handler],
    input: client,
    output: async (line) => {
      const message: unknown = JSON.parse(line);
      if (typeof message === "object" && message !== null && "id" in message && message.id === 2)
        answered.resolve(message);
    },
    talk: () => undefined,
    signal: new AbortController().signal,
  });
  const info = { name: "recorded", version: "1" };
  say({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: info },
  });
  say({ method: "notifications/initialized" });
  say({ id: 2, method: "tools/call", params: { name: tool, arguments: input } });
  recording.tell("answer", await answered.promise);
  client.end();
  await ended;
}

const SERVER = `import { createInterface } from "node:readline";
import { writeFileSync } from "node:fs";
const say = (m) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...m }) + "\\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
  else if (method === "tools/call") {
    try {
      writeFileSync(params.arguments.path, "x");
      say({ id, result: { content: [{ type: "text", text: "written" }] } });
    } catch (error) {
      say({ id, result: { content: [{ type: "text", text: error.code }], isError: true } });
    }
  }
}
`;
