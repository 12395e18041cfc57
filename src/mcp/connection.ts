import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import type { Broker } from "../approval/broker.ts";
import type { ApprovalHandler } from "../approval/handler.ts";
import { HANDLERS, handlersOf, isHandlers } from "../approval/handlers.ts";
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
export interface McpOptions extends Omit<SessionOptions, "caller"> {
  /** Whether the client's own user is asked, by forms, where it has them. Default what the config says; over HTTP false. */
  readonly elicitation?: boolean;
}

/** How the same is checked when it comes from JavaScript. */
export const MCP_OPTIONS: OptionsOf<McpOptions> = SESSION_OPTIONS.omit({ caller: true }).extend({
  handler: z.custom<object>(isHandlers, { error: HANDLERS }).optional(),
  elicitation: z.boolean({ error: "`true` or `false`" }).optional(),
});

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
  readonly #broker: Broker;
  /** Of calls whose client was told a no, how often. */
  readonly #noes = new RecentMap<string, number>(MOST_NOES);
  /** Of the calls that are being made, by their groups: who can be asked at their client. */
  readonly #askers = new Map<string, ClientAsker>();

  constructor(supervisor: Supervisor, { elicitation, handler, wait = {}, ...rest }: McpOptions) {
    const { approval } = supervisor.shared.standing.config;
    this.#broker = supervisor.broker;
    this.elicits = elicitation ?? approval.channels.elicitation;
    this.suspends = (wait.style ?? approval.wait) === "suspend";
    // A question whose answer is to come with the client's next try ends like one for which a call stands still.
    const { onTimeout = approval.on_timeout ?? (this.suspends ? "wait" : "error") } = wait;
    this.session = supervisor.session({
      ...rest,
      caller: "agent",
      wait: { ...wait, onTimeout, style: "block" },
      handler: [...(this.elicits ? [this.#handler()] : []), ...handlersOf(handler)],
    });
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
    return `mcp ${this.#noes.get(keyOf(tool, input)) ?? 0}`;
  }

  /** The client was told a no to this call. */
  isTold(tool: string, input: unknown): void {
    const key = keyOf(tool, input);
    this.#noes.set(key, (this.#noes.get(key) ?? 0) + 1);
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session[Symbol.asyncDispose]();
  }

  /** Puts a question to the client whose call it is about; one about a host, to the client whose calls are being made. */
  #handler(): ApprovalHandler {
    return {
      requestApproval: async (request, asking) => {
        const own = request.groupId === null ? undefined : this.#askers.get(request.groupId);
        const asker = own ?? [...this.#askers.values()].at(-1);
        if (asker === undefined)
          throw new CofferdamError("CHANNEL_CLOSED", "this MCP client can't ask its user", {
            hint: "use a client with elicitation, or open a channel under `approval.channels`",
          });
        return elicitationHandler(asker).requestApproval(request, asking);
      },
    };
  }
}

/** Of so many different calls it is known how often their client was told a no. */
const MOST_NOES = 1_000;

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
