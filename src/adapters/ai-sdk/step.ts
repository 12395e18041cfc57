import { randomUUID } from "node:crypto";
import { isSame, type MadeCall } from "./history.ts";

interface Noted {
  readonly call: MadeCall;
  readonly isMixed: boolean;
  /** The request that was approved elsewhere. */
  readonly approvalId: string | undefined;
}

/** The calls that a model makes in one step. */
export class ModelStep {
  /** Group of their requests. It is random, because models reuse ids. */
  readonly groupId = randomUUID();
  readonly #noted = new Map<string, Noted>();

  /** Records this call. True if its id belongs to another call of the step as well. */
  hasOther(call: MadeCall): boolean {
    const noted = this.#noted.get(call.toolCallId) ?? { call, isMixed: false, approvalId: undefined };
    const isMixed = noted.isMixed || !isSame(noted.call, call);
    this.#noted.set(call.toolCallId, { ...noted, isMixed });
    return isMixed;
  }

  approve(call: MadeCall, approvalId: string): void {
    this.#noted.set(call.toolCallId, { call, isMixed: false, approvalId });
  }

  /** The id of the request that approved this call, once. */
  take(call: MadeCall): string | undefined {
    const noted = this.#noted.get(call.toolCallId);
    if (noted === undefined || noted.isMixed || !isSame(noted.call, call)) return undefined;
    this.#noted.set(call.toolCallId, { ...noted, approvalId: undefined });
    return noted.approvalId;
  }
}
