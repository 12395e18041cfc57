import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import type { Broker } from "../approval/broker.ts";
import type { ApprovalHandler } from "../approval/handler.ts";
import { HANDLERS, handlersOf, isHandlers } from "../approval/handlers.ts";
import { waitOf } from "../approval/wait.ts";
import type { CallOptions } from "../call/call-options.ts";
import { SESSION_OPTIONS, type SessionOptions } from "../call/session-options.ts";
import { type ElicitationResult, elicitationHandler, LOOK_MS } from "../channel/elicitation.ts";
import { type ElicitationForm, elicitationForm } from "../channel/elicitation-form.ts";
import { lookWithin } from "../channel/look.ts";
import type { Outcome } from "../decide/outcome.ts";
import { CofferdamError } from "../errors.ts";
import { RecentMap } from "../host/recent-map.ts";
import { flag, type OptionsOf } from "../policy/options.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { Session } from "../session/session.ts";
import type { Supervisor } from "../session/supervisor.ts";

/** Options for the calls of MCP clients and for their approval requests. */
export interface McpOptions extends Omit<SessionOptions, "caller" | "client"> {
  /** Whether approval requests go to the client's user by forms. Default: the config; false over HTTP. */
  readonly elicitation?: boolean;
}

/** The schema of `McpOptions`, for callers in JavaScript. */
export const MCP_OPTIONS: OptionsOf<McpOptions> = SESSION_OPTIONS.omit({ caller: true, client: true }).extend(
  {
    handler: z.custom<object>(isHandlers, { error: HANDLERS }).optional(),
    elicitation: flag().optional(),
  },
);

/** Asks the user of one client while one of its calls runs. */
export interface ClientAsker {
  /** The name under which the user's decisions are recorded. */
  readonly by: string;
  readonly elicit: (form: ElicitationForm, signal: AbortSignal) => Promise<ElicitationResult>;
}

/** Maximum number of different calls whose reported answers are remembered. */
const MAX_KNOWN_CALLS = 1_000;

/** The calls of one client, in a session of their own. Approval requests go to the client that made the call. */
export class McpConnection implements AsyncDisposable {
  readonly session: Session;
  /** The name of its agent; null without one. */
  readonly agent: string | null;
  /** Whether approval requests go to the client by elicitation. */
  readonly elicits: boolean;
  /** Whether a call ends as pending if no approver can be asked immediately. */
  readonly suspends: boolean;
  /** The approval ids that the client waits for, or waited for when it was last active, by `callKey`. */
  readonly awaited = new RecentMap<string, string>(MAX_KNOWN_CALLS);
  isUsed = false;
  readonly #broker: Broker;
  /** The client's name, if several clients share a supervisor. */
  readonly #client: string | null;
  /** The number of rejections reported to the client, by `callKey`. */
  readonly #rejections = new RecentMap<string, number>(MAX_KNOWN_CALLS);
  /** The number of operations that run for the client. */
  operations = 0;
  /** The asker at the client, by group id of the running call. */
  readonly #askers = new Map<string, ClientAsker>();
  /** Calls of clients without forms, by group id: each is told that it waits. */
  readonly #told = new Map<string, (approvalId: string) => void>();

  constructor(supervisor: Supervisor, options: McpOptions, client: string | null = null) {
    const { elicitation, handler, wait: given = {}, ...rest } = options;
    const { approval } = supervisor.shared.policy.config;
    this.agent = rest.agent ?? null;
    this.#broker = supervisor.broker;
    this.#client = client;
    this.elicits = elicitation ?? approval.channels.elicitation;
    const wait = waitOf(given, approval);
    this.suspends = wait.style === "suspend";
    this.session = supervisor.session({
      ...rest,
      ...(client === null ? {} : { client }),
      caller: "agent",
      // A request that the client's retry answers ends like one that blocks its call.
      wait: { ...wait, style: "block" },
      handler: [...(this.elicits ? [this.#handler] : []), ...handlersOf(handler)],
    });
  }

  async use<Value>(work: () => Value | Promise<Value>): Promise<Value> {
    this.isUsed = true;
    this.operations += 1;
    try {
      return await work();
    } finally {
      this.operations -= 1;
    }
  }

  /** Makes a call. Approval requests also go to `asker`, if there is one. Throws what the call throws. */
  async call(
    tool: string,
    input: unknown,
    { asker, onRequest, ...options }: ClientCallOptions,
  ): Promise<Outcome> {
    const groupId = randomUUID();
    if (asker !== undefined) this.#askers.set(groupId, asker);
    if (onRequest !== undefined) this.#told.set(groupId, onRequest);
    try {
      return await this.session.call(tool, input, { ...options, groupId });
    } finally {
      this.#askers.delete(groupId);
      this.#told.delete(groupId);
    }
  }

  /** The stable id of a repeated call: MCP ids do not outlive a call. After a reported rejection it is a new id. */
  callIdOf(key: string): string {
    return `mcp ${this.#rejections.get(key) ?? 0}${this.#client === null ? "" : ` of ${this.#client}`}`;
  }

  /** Records that a rejection of this call was reported to the client. */
  countRejection(key: string): void {
    this.#rejections.set(key, (this.#rejections.get(key) ?? 0) + 1);
    this.awaited.delete(key);
  }

  /** The form of an open request, or null if it is no longer open. */
  async formFor(approvalId: string): Promise<ElicitationForm | null> {
    const stored = await this.#broker.find(approvalId);
    if (stored?.status !== "pending") return null;
    const present = async (): Promise<Presentation> => {
      const presentation = await this.#broker.present(approvalId);
      if (presentation === null) throw new CofferdamError("INTERNAL", "the request has no preview");
      return presentation;
    };
    return elicitationForm(stored.request, await lookWithin({ present }, LOOK_MS), Date.now());
  }

  /** Ends the connection permanently. Withdraws its open requests, unless another connection waits for the answer. */
  async withdraw(reason: string, others: () => readonly McpConnection[]): Promise<void> {
    await this[Symbol.asyncDispose]();
    const own = new Set(this.awaited.values());
    const theirs = new Set(others().flatMap(({ awaited }) => [...awaited.values()]));
    for (const { approvalId, sessionId } of await this.#broker.pending()) {
      const isOwn = sessionId === this.session.sessionId || own.has(approvalId);
      if (isOwn && !theirs.has(approvalId)) await this.session.dismiss(approvalId, reason);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session[Symbol.asyncDispose]();
  }

  /** Sends a request to the client that made the call. A request about a host goes to the client with running calls. */
  readonly #handler: ApprovalHandler = {
    requestApproval: async (request, asking) => {
      const own = request.groupId === null ? undefined : this.#askers.get(request.groupId);
      const asker = own ?? [...this.#askers.values()].at(-1);
      if (asker !== undefined) return elicitationHandler(asker).requestApproval(request, asking);
      if (request.groupId !== null) this.#told.get(request.groupId)?.(request.approvalId);
      const hint = "use a client with elicitation, or open a channel under `approval.channels`";
      // The caller only sees the reason, so the hint is part of it.
      throw new CofferdamError("CHANNEL_CLOSED", `this MCP client can't ask its user: ${hint}`, { hint });
    },
  };
}

/** A key of the same call, also if a client repeats it. */
export function callKey(tool: string, input: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify([tool, input]))
    .digest("hex");
}

export interface ClientCallOptions extends Pick<CallOptions, "approvalId" | "signal"> {
  /** Asks the client's user while the call runs. */
  readonly asker?: ClientAsker;
  /** Called for each request of a call whose client has no forms. */
  readonly onRequest?: (approvalId: string) => void;
}
