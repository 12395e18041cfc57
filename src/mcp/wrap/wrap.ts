import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { ApprovalHandler } from "../../approval/handler.ts";
import { CofferdamError, visible } from "../../errors.ts";
import type { Appearances } from "../../host/appeared.ts";
import { hideInWords } from "../../policy/redact.ts";
import { quoted } from "../../shell/quote.ts";
import type { Held } from "../../supervisor/held.ts";
import type { HeldProgram } from "../../supervisor/held-program.ts";
import type { ProgramOutcome } from "../../supervisor/outcome.ts";
import type { Session } from "../../supervisor/session.ts";
import type { Supervisor } from "../../supervisor/supervisor.ts";
import type { McpServer } from "../../tool/mcp-settings.ts";
import { type Guard, layersOf } from "./gatekeeper.ts";
import { Gateway } from "./gateway.ts";
import type { WrappedServer } from "./server.ts";
import { ServerTalk } from "./server-talk.ts";

/** How long a server may take to end when it reads that its client is gone, in milliseconds. */
const GRACE_MS = 500;
/** So much that did not pass is written down of one server. */
const MOST_TOLD = 100;

/** Which server is wrapped, for whom, and who is asked. */
export interface WrapOptions {
  readonly supervisor: Supervisor;
  /** What rules and people know it by. */
  readonly name: string;
  readonly server: McpServer;
  /** Who is asked besides whoever sits at the client. */
  readonly handlers: readonly ApprovalHandler[];
  /** What the client says. */
  readonly input: Readable;
  /** Writes a line to the client; comes back once it has been taken. */
  readonly output: (line: string) => Promise<void>;
  /** Tells whoever looks. */
  readonly talk: (line: string) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** How it ended: the client went, the server did, or it was not let start. */
export type WrapEnd =
  | { readonly kind: "client-gone" }
  | { readonly kind: "server-gone"; readonly because: string }
  | { readonly kind: "not-started"; readonly outcome: ProgramOutcome };

/**
 * Runs an MCP server inside walls made from what it needs, and stands between it and a client until either goes. Throws what
 * kept the walls from standing, and `USAGE` for what the server needs and that there is not.
 */
export async function wrapServer(options: WrapOptions): Promise<WrapEnd> {
  const { supervisor, input, output, signal } = options;
  const run = new Run(options);
  const gateway = new Gateway({
    server: options.name,
    policy: options.server,
    wallMs: supervisor.shared.standing.onYes.profile.limits.wallMs ?? null,
    guard: (...use) => run.guard(...use),
    start: () => run.start(gateway),
    toClient: output,
    tell: (what, because) => run.tell(what, because),
  });
  const { elicitation } = supervisor.shared.standing.config.approval.channels;
  await using session = supervisor.session({
    handler: [...(elicitation ? [gateway.handler] : []), ...options.handlers],
    // Only this process can make the call, and the client waits for it.
    wait: { style: "block" },
  });
  run.session = session;
  const onAbort = (): void => void input.destroy();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const isClientGone = await Promise.race([
    readAll(input, gateway).then(() => true),
    gateway.over.then(() => false),
  ]);
  signal.removeEventListener("abort", onAbort);
  gateway.end("the client is gone");
  input.destroy();
  await run.end();
  return isClientGone ? { kind: "client-gone" } : run.ending(await gateway.over);
}

async function readAll(input: Readable, gateway: Gateway): Promise<void> {
  try {
    for await (const chunk of input) await gateway.takeFromClient(bytesOf(chunk));
  } catch {
    // A client that is gone in the middle of a message is gone.
  }
}

function bytesOf(chunk: unknown): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
}

/** The server's side of it: its start, its calls, and how it ended. */
class Run {
  session: Session | null = null;
  readonly #options: WrapOptions;
  readonly #layers;
  readonly #talk: ServerTalk;
  #held: Held | null = null;
  #stopped: ProgramOutcome | null = null;
  #failure: unknown = null;
  #told = 0;

  constructor(options: WrapOptions) {
    const { name, server, supervisor, talk } = options;
    this.#options = options;
    this.#layers = layersOf(name, server);
    this.#talk = new ServerTalk(name, talk, () => supervisor.shared.host.now());
  }

  readonly guard: Guard = async (tool, args, { signal, groupId }) => {
    const held = this.#held;
    const around = { further: this.#layers, ...(held === null ? {} : { granted: held.granted }) };
    const group = groupId === null ? {} : { groupId };
    const outcome = await this.#open.guard([tool], around).call(tool.name, args, { signal, ...group });
    // The server goes on, and what it made is not to be live until it ends.
    if (held !== null) this.#tellAppeared(await held.settle());
    return outcome;
  };

  async start(gateway: Gateway): Promise<WrappedServer | string> {
    try {
      const held = await this.#open.hold(programOf(this.#options), {
        signal: this.#options.signal,
        sinks: {
          stdout: (chunk) => gateway.takeFromServer(chunk),
          stderr: (chunk) => this.#talk.take(chunk),
        },
      });
      if (held.kind !== "held") {
        this.#stopped = held;
        return "reason" in held ? held.reason : endedWords(held);
      }
      this.#held = held;
      held.ended.then(
        (outcome) => gateway.end(endedWords(outcome)),
        () => gateway.end("its walls did not hold"),
      );
      const { input, profile, changes } = held;
      const write = (line: string): Promise<void> =>
        new Promise((resolve) => input.write(line, () => resolve()));
      return { profile, changes, write };
    } catch (cause) {
      this.#failure = cause;
      throw cause;
    }
  }

  /** What did not pass is told whoever looks, and written down. */
  tell(what: string, because: string): void {
    const { name, talk, supervisor } = this.#options;
    this.#told += 1;
    if (this.#told > MOST_TOLD) return;
    supervisor.shared.recorder.write(this.#open.sessionId, null, {
      type: "mcp.refused",
      server: name,
      what,
      because,
    });
    talk(`left out ${what} of the MCP server ${name}: ${because}`);
  }

  #tellAppeared({ found, unknown }: Appearances): void {
    const { name, talk } = this.#options;
    const server = `the MCP server ${name}`;
    for (const { path, obeyedBy, fate } of found) {
      const made = `${server} made ${visible(path)}, which ${obeyedBy?.by ?? "other programs"} would obey`;
      if (fate.kind === "quarantined") talk(`${made}: it was taken away`);
      if (fate.kind === "live") talk(`${made}, and it could not be taken away: ${fate.problem}; remove it`);
    }
    if (unknown !== null) talk(`what ${server} made is not known: ${unknown}`);
  }

  /** It has a moment to end by itself, once its client is gone; then nothing of it is left. */
  async end(): Promise<void> {
    const held = this.#held;
    held?.input.end();
    if (held !== null) await Promise.race([held.ended.catch(() => undefined), pause(GRACE_MS)]);
    await held?.[Symbol.asyncDispose]();
    // What it made after its last call was seen to by now.
    const outcome = await held?.ended.catch(() => undefined);
    if (outcome !== undefined && "receipt" in outcome) this.#tellAppeared(outcome.receipt.appeared);
    this.#talk.end();
  }

  /** How it ended, where it was not the client that went. Throws what kept it from starting. */
  ending(because: string): WrapEnd {
    if (this.#failure !== null) throw this.#failure;
    return this.#stopped === null
      ? { kind: "server-gone", because }
      : { kind: "not-started", outcome: this.#stopped };
  }

  get #open(): Session {
    if (this.session !== null) return this.session;
    throw new CofferdamError("INTERNAL", "a server was wrapped before its session began");
  }
}

function programOf({ name, server: { command, needs } }: WrapOptions): HeldProgram {
  const { write_on_start: asksToStart, ...own } = needs;
  const line = quoted(hideInWords(command));
  return {
    name,
    command,
    needs: own,
    asksToStart,
    description: `start the MCP server ${name}, for as long as its client is there: run ${line}`,
  };
}

/** How a program ended, in words. */
function endedWords(outcome: ProgramOutcome): string {
  if (!("receipt" in outcome)) return outcome.reason;
  const { limitsReached, uncovered } = outcome.receipt;
  const reached = limitsReached.length === 0 ? "" : `, at its limit of ${limitsReached.join(" and ")}`;
  const seen = uncovered.length === 0 ? "" : ", because what was hidden from it could be read";
  return `it ended with status ${outcome.code}${reached}${seen}`;
}
