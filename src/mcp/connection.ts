import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import type { Broker } from "../approval/broker.ts";
import type { ApprovalHandler } from "../approval/handler.ts";
import { HANDLERS, handlersOf, isHandlers } from "../approval/handlers.ts";
import { waitOf } from "../approval/wait.ts";
import { type ElicitationResult, elicitationHandler, LOOK_MS } from "../channel/elicitation.ts";
import { type ElicitationForm, elicitationForm } from "../channel/elicitation-form.ts";
import { lookWithin } from "../channel/look.ts";
import { CofferdamError } from "../errors.ts";
import { RecentMap } from "../host/recent-map.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { OptionsOf } from "../supervisor/options.ts";
import type { Outcome } from "../supervisor/outcome.ts";
import type { Session } from "../supervisor/session.ts";
import { SESSION_OPTIONS, type SessionOptions } from "../supervisor/session-options.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";

/** How the calls of MCP clients are made, and who is asked about them. */
export interface McpOptions extends Omit<SessionOptions, "caller" | "client"> {
  /** Whether the client's own user is asked, by forms, where it has them. Default what the config says; over HTTP false. */
  readonly elicitation?: boolean;
}

/** How the same is checked when it comes from JavaScript. */
export const MCP_OPTIONS: OptionsOf<McpOptions> = SESSION_OPTIONS.omit({ caller: true, client: true }).extend(
  {
    handler: z.custom<object>(isHandlers, { error: HANDLERS }).optional(),
    elicitation: z.boolean({ error: "`true` or `false`" }).optional(),
  },
);

/** Asks the user of one client, while one of its calls is being made. */
export interface ClientAsker {
  /** Who answers there, as the record names them. */
  readonly by: string;
  readonly elicit: (form: ElicitationForm, signal: AbortSignal) => Promise<ElicitationResult>;
}

/** One client's calls: a session of their own, in which questions find back to the client that made the call. */
export class Connection implements AsyncDisposable {
  readonly session: Session;
  /** Whether forms are put to the client. */
  readonly elicits: boolean;
  /** Whether a call that nobody can be asked about at once ends as pending. */
  readonly suspends: boolean;
  /** Its client has looked which tools there are, or used one. */
  isUsed = false;
  readonly #broker: Broker;
  /** Whose connection it is, of several that share a supervisor. */
  readonly #client: string | null;
  /** Of calls whose client was told a no, how often. */
  readonly #noes = new RecentMap<string, number>(MAX_KNOWN_CALLS);
  /** Of calls that ended as pending, the question that their client waits for. */
  readonly #unanswered = new RecentMap<string, string>(MAX_KNOWN_CALLS);
  /** So many things are being done for its client. */
  #doing = 0;
  /** Of the calls that are being made, by their groups: who can be asked at their client. */
  readonly #askers = new Map<string, ClientAsker>();

  constructor(supervisor: Supervisor, options: McpOptions, client: string | null = null) {
    const { elicitation, handler, wait: given = {}, ...rest } = options;
    const { approval } = supervisor.shared.standing.config;
    this.#broker = supervisor.broker;
    this.#client = client;
    this.elicits = elicitation ?? approval.channels.elicitation;
    const wait = waitOf(given, approval);
    this.suspends = wait.style === "suspend";
    this.session = supervisor.session({
      ...rest,
      ...(client === null ? {} : { client }),
      caller: "agent",
      // A question whose answer is to come with the client's next try ends like one for which a call stands still.
      wait: { ...wait, style: "block" },
      handler: [...(this.elicits ? [this.#handler()] : []), ...handlersOf(handler)],
    });
  }

  /** Does something for its client, which is using it then. */
  async use<Value>(work: () => Value | Promise<Value>): Promise<Value> {
    this.isUsed = true;
    this.#doing += 1;
    try {
      return await work();
    } finally {
      this.#doing -= 1;
    }
  }

  /** Something is being done for its client. */
  get isBusy(): boolean {
    return this.#doing > 0;
  }

  /** Makes a call; questions about it are put to `asker` as well, where there is one. Throws what the call throws. */
  async call(tool: string, input: unknown, { asker, signal, approvalId }: CallFrom): Promise<Outcome> {
    const groupId = randomUUID();
    if (asker !== null) this.#askers.set(groupId, asker);
    try {
      return await this.session.call(tool, input, {
        groupId,
        signal,
        ...(approvalId === null ? {} : { approvalId }),
      });
    } finally {
      this.#askers.delete(groupId);
    }
  }

  /**
   * What a call is called that is made again until there is an answer: clients have no names for calls that outlive them. Once
   * its client was told a no, the same call is another one.
   */
  nameOf(tool: string, input: unknown): string {
    const whose = this.#client === null ? "" : ` of ${this.#client}`;
    return `mcp ${this.#noes.get(keyOf(tool, input)) ?? 0}${whose}`;
  }

  /** The client was told a no to this call. */
  isTold(tool: string, input: unknown): void {
    const key = keyOf(tool, input);
    this.#noes.set(key, (this.#noes.get(key) ?? 0) + 1);
    this.#unanswered.delete(key);
  }

  /** Which question the client waits for before it makes this call again; null when it waits for none any more. */
  waitFor(tool: string, input: unknown, approvalId: string | null): void {
    if (approvalId === null) this.#unanswered.delete(keyOf(tool, input));
    else this.#unanswered.set(keyOf(tool, input), approvalId);
  }

  /** Whether the client waits for an answer before it makes this call again. */
  isWaiting(tool: string, input: unknown): boolean {
    return this.#unanswered.has(keyOf(tool, input));
  }

  /** The questions that the client waits for, or waited for when it was last heard of them. */
  unanswered(): readonly string[] {
    return [...this.#unanswered.values()];
  }

  /** A question that is open, as a form; null when it is open no more. */
  async formFor(approvalId: string): Promise<ElicitationForm | null> {
    const stored = await this.#broker.find(approvalId);
    if (stored?.status !== "pending") return null;
    const present = async (): Promise<Presentation> => {
      const made = await this.#broker.present(approvalId);
      if (made === null) throw new CofferdamError("INTERNAL", "there is nothing to look at");
      return made;
    };
    return elicitationForm(stored.request, await lookWithin({ present }, LOOK_MS), Date.now());
  }

  /**
   * Ends it for good: its client does not come back. Questions that it left open are withdrawn, unless another connection waits
   * for the same answer.
   */
  async withdraw(reason: string, others: () => readonly Connection[]): Promise<void> {
    await this[Symbol.asyncDispose]();
    const own = new Set(this.unanswered());
    const theirs = new Set(others().flatMap((one) => one.unanswered()));
    for (const { approvalId, sessionId } of await this.#broker.pending()) {
      const isOwn = sessionId === this.session.sessionId || own.has(approvalId);
      if (isOwn && !theirs.has(approvalId)) await this.session.putAway(approvalId, reason);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session[Symbol.asyncDispose]();
  }

  /** Puts a question to the client whose call it is about; one about a host, to the client whose calls are being made. */
  #handler(): ApprovalHandler {
    return {
      requestApproval: async (request, asking) => {
        const own = request.groupId === null ? undefined : this.#askers.get(request.groupId);
        const asker = own ?? [...this.#askers.values()].at(-1);
        if (asker === undefined) {
          const hint = "use a client with elicitation, or open a channel under `approval.channels`";
          // Who made the call reads the reason alone.
          throw new CofferdamError("CHANNEL_CLOSED", `this MCP client can't ask its user: ${hint}`, { hint });
        }
        return elicitationHandler(asker).requestApproval(request, asking);
      },
    };
  }
}

/** Of so many different calls it is known what their client was told. */
const MAX_KNOWN_CALLS = 1_000;

function keyOf(tool: string, input: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify([tool, input]))
    .digest("hex");
}

/** From where a call comes. */
export interface CallFrom {
  /** Who can be asked at the client meanwhile; null where nobody can. */
  readonly asker: ClientAsker | null;
  readonly signal: AbortSignal;
  /** Of a question that was answered since; null without one. */
  readonly approvalId: string | null;
}
