import type { ApprovalRequest } from "../policy/request.ts";
import { approved, rejected } from "./factories.ts";
import type { Answer, ApprovalHandler, Asking } from "./handler.ts";
import { readDecision } from "./read-decision.ts";

/** Says yes, except where a person is demanded; what a rule denies never reaches it. */
export class AutoApproveHandler implements ApprovalHandler {
  async requestApproval({ demandsPerson }: ApprovalRequest): Promise<Answer> {
    return demandsPerson ? rejected("auto", "a person is demanded for this call") : approved("auto");
  }
}

/** Says no to everything. */
export class AlwaysDenyHandler implements ApprovalHandler {
  readonly #reason: string;

  constructor(reason = "Always denied") {
    this.#reason = reason;
  }

  async requestApproval(): Promise<Answer> {
    return rejected("auto", this.#reason);
  }
}

/** A function that answers. */
export type ApprovalCallback = (request: ApprovalRequest, asking: Asking) => Answer | Promise<Answer>;

/** Asks a function. */
export class CallbackHandler implements ApprovalHandler {
  readonly #callback: ApprovalCallback;

  constructor(callback: ApprovalCallback) {
    this.#callback = callback;
  }

  async requestApproval(request: ApprovalRequest, asking: Asking): Promise<Answer> {
    return this.#callback(request, asking);
  }

  async checkApproval(): Promise<Answer> {
    return rejected("nobody", "a callback keeps nothing that could be asked for later");
  }
}

/**
 * Leaves the answer to whoever follows the broker's events: a web page, a chat. Their answer comes back through `resolve`,
 * or through the broker's own `respond`.
 */
export class BrokerHandler implements ApprovalHandler {
  readonly #waiting = new Map<string, (answer: Answer) => void>();

  requestApproval({ approvalId }: ApprovalRequest, { signal }: Asking): Promise<Answer> {
    return new Promise((resolve) => {
      const forget = (): void => {
        this.#waiting.delete(approvalId);
        resolve({ status: "pending" });
      };
      this.#waiting.set(approvalId, (answer) => {
        signal.removeEventListener("abort", forget);
        resolve(answer);
      });
      signal.addEventListener("abort", forget, { once: true });
      if (signal.aborted) forget();
    });
  }

  /**
   * Answers a request that waits here. False when none does under this id: it was answered, or never asked. Throws
   * `USAGE` for what is no decision: then the request waits on.
   */
  resolve(approvalId: string, answer: Answer, by = "the handler"): boolean {
    const decision = readDecision(answer, by);
    const waiting = this.#waiting.get(approvalId);
    this.#waiting.delete(approvalId);
    waiting?.(decision);
    return waiting !== undefined;
  }
}

/** Who is asked: one handler or several, of which the first answer counts, or a function. */
export type Handlers = ApprovalHandler | ApprovalCallback | readonly ApprovalHandler[];

/** What that is, in words. */
export const HANDLERS = "a handler, a list of handlers, or a function that answers `{ approved, by }`";

/** True for what can be asked, when it comes from JavaScript. */
export function isHandlers(given: unknown): boolean {
  if (typeof given === "function") return true;
  return Array.isArray(given) ? given.every(isHandler) : isHandler(given);
}

/** What was given as handlers, as a list of them. */
export function handlersOf(given: Handlers | undefined): readonly ApprovalHandler[] {
  if (given === undefined) return [];
  if (typeof given === "function") return [new CallbackHandler(given)];
  return isList(given) ? given : [given];
}

function isList(given: ApprovalHandler | readonly ApprovalHandler[]): given is readonly ApprovalHandler[] {
  return Array.isArray(given);
}

function isHandler(given: unknown): boolean {
  const isObject = typeof given === "object" && given !== null;
  return isObject && "requestApproval" in given && typeof given.requestApproval === "function";
}
