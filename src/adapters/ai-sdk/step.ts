import { randomUUID } from "node:crypto";
import { isSame, type MadeCall } from "./history.ts";

interface Noted {
  readonly call: MadeCall;
  readonly isMixed: boolean;
  /** The question to which somebody said yes elsewhere. */
  readonly approvalId: string | undefined;
}

/** The calls that a model makes at once. */
export class Step {
  /** What their questions have in common. It is nobody's but ours, as names that models give come back. */
  readonly groupId = randomUUID();
  readonly #noted = new Map<string, Noted>();

  /** Notes this call. True where its name stands for another one of the step as well. */
  hasOther(call: MadeCall): boolean {
    const noted = this.#noted.get(call.toolCallId) ?? { call, isMixed: false, approvalId: undefined };
    const isMixed = noted.isMixed || !isSame(noted.call, call);
    this.#noted.set(call.toolCallId, { ...noted, isMixed });
    return isMixed;
  }

  /** Somebody said yes to this call elsewhere, to the question with this id. */
  approve(call: MadeCall, approvalId: string): void {
    this.#noted.set(call.toolCallId, { call, isMixed: false, approvalId });
  }

  /** That question, once. */
  take(call: MadeCall): string | undefined {
    const noted = this.#noted.get(call.toolCallId);
    if (noted === undefined || noted.isMixed || !isSame(noted.call, call)) return undefined;
    this.#noted.set(call.toolCallId, { ...noted, approvalId: undefined });
    return noted.approvalId;
  }
}
