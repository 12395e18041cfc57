import type { ApprovalResult } from "../../../src/approval/factories.ts";
import type { Answer, ApprovalHandler, Asking } from "../../../src/approval/handler.ts";
import type { Event } from "../../../src/event/event.ts";
import { MemoryJournal } from "../../../src/journal/journal.ts";
import type { ApprovalRequest } from "../../../src/policy/request.ts";

/** Somebody who answers, and remembers every question that they were asked. */
export class Asked implements ApprovalHandler {
  readonly requests: ApprovalRequest[] = [];
  readonly #answer: (request: ApprovalRequest, asking: Asking) => unknown;

  constructor(answer: (request: ApprovalRequest, asking: Asking) => unknown = () => ({ approved: true })) {
    this.#answer = answer;
  }

  /** What was asked, in the order of asking. */
  get tools(): readonly string[] {
    return this.requests.map(({ tool }) => tool);
  }

  async requestApproval(request: ApprovalRequest, asking: Asking): Promise<Answer> {
    this.requests.push(request);
    return untyped(await this.#answer(request, asking));
  }
}

/** An answer as JavaScript gives one: nothing has checked it. */
function untyped(given: unknown): Answer {
  const box: { answer: Answer | ApprovalResult } = { answer: { status: "pending" } };
  return Object.assign(box, { answer: given }).answer;
}

/** A journal, and what stands in it. */
export class Written extends MemoryJournal {
  /** The events of one type. */
  of<Type extends Event["type"]>(type: Type): readonly Extract<Event, { readonly type: Type }>[] {
    return this.events.filter(
      (event): event is Extract<Event, { readonly type: Type }> => event.type === type,
    );
  }

  /** The types of the events, in order. */
  get types(): readonly string[] {
    return this.events.map(({ type }) => type);
  }
}
