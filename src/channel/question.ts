import type { Asking, HandlerAnswer } from "../approval/handler.ts";
import type { Decision } from "../policy/decision.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { highlightedLines } from "./highlighted-lines.ts";
import type { Asked } from "./question-text.ts";
import type { Look } from "./request-text.ts";

/** A question of the terminal's, from when it is asked until it is settled. */
export class Question implements Asked {
  readonly request: ApprovalRequest;
  readonly asking: Asking;
  readonly answer: Promise<HandlerAnswer>;
  readonly #answer = Promise.withResolvers<HandlerAnswer>();
  readonly #onAbort: () => void;
  #look: Look = { kind: "awaited" };
  #isLookedAt = false;
  isSeen = false;

  /** `withdrawn` is told when the question is answered elsewhere, or given up. */
  constructor(request: ApprovalRequest, asking: Asking, withdrawn: (question: Question) => void) {
    this.request = request;
    this.asking = asking;
    this.answer = this.#answer.promise;
    this.#onAbort = () => withdrawn(this);
    asking.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  get look(): Look {
    return this.#look;
  }

  /** Has made what there is to look at, once; `done` is called when there is more to see than before. */
  lookAt(done: () => void): void {
    if (this.#isLookedAt) return;
    this.#isLookedAt = true;
    void this.#present().then((look) => {
      this.#look = look;
      done();
    });
  }

  decide(decision: Decision): void {
    this.#settled();
    this.#answer.resolve(decision);
  }

  fail(reason: unknown): void {
    this.#settled();
    this.#answer.reject(reason);
  }

  async #present(): Promise<Look> {
    try {
      const presentation = await this.asking.present();
      return { kind: "made", presentation, highlighted: await highlightedLines(presentation) };
    } catch {
      // The screen says so, and shows the arguments.
      return { kind: "failed" };
    }
  }

  #settled(): void {
    this.asking.signal.removeEventListener("abort", this.#onAbort);
  }
}
