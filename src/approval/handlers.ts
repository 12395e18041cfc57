import type { ApprovalRequest } from "../policy/request.ts";
import { approved, rejected } from "./factories.ts";
import { type Answer, type ApprovalHandler, type Asking, HANDLER } from "./handler.ts";
import { readDecision } from "./read-decision.ts";

/** Approves everything, unless a person must answer. Calls that a rule denies never reach it. */
export class AutoApproveHandler implements ApprovalHandler {
  async requestApproval({ demandsPerson }: ApprovalRequest): Promise<Answer> {
    return demandsPerson ? rejected("auto", "this call needs a person's approval") : approved("auto");
  }
}

/** Rejects everything. */
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
    return rejected("nobody", "a callback handler stores no answers");
  }
}

/**
 * For a web page or a chat that follows the broker's events: it answers through `resolve`, or the broker's `respond`.
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
   * Answers a request that waits here. False if none waits under this id: it was answered, or never sent. Throws
   * `USAGE` for an invalid answer: then the request still waits.
   */
  resolve(approvalId: string, answer: Answer, by: string = HANDLER): boolean {
    const decision = readDecision(answer, by);
    const waiting = this.#waiting.get(approvalId);
    this.#waiting.delete(approvalId);
    waiting?.(decision);
    return waiting !== undefined;
  }
}

/** One handler, a list of which the first answer counts, or a function. */
export type Handlers = ApprovalHandler | ApprovalCallback | readonly ApprovalHandler[];

/** The same in words, for messages. */
export const HANDLERS = "a handler, a list of handlers, or a function that answers `{ approved, by }`";

/** True for a value that `Handlers` allows; for callers without types. */
export function isHandlers(given: unknown): boolean {
  if (typeof given === "function") return true;
  return Array.isArray(given) ? given.every(isHandler) : isHandler(given);
}

/** The handlers as a list. */
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
