import type { Asking, HandlerAnswer } from "../approval/handler.ts";
import type { Decision } from "../policy/decision.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { highlightedLines } from "./highlighted-lines.ts";
import type { TerminalRequest } from "./question-text.ts";
import type { PreviewState } from "./request-text.ts";

/** A request at the terminal, from asking until it is settled. */
export class TerminalQuestion implements TerminalRequest {
  readonly request: ApprovalRequest;
  readonly asking: Asking;
  readonly answer: Promise<HandlerAnswer>;
  readonly #answer = Promise.withResolvers<HandlerAnswer>();
  readonly #onAbort: () => void;
  #look: PreviewState = { kind: "awaited" };
  #isLookedAt = false;
  isSeen = false;

  /** `withdrawn` is called when the request is answered elsewhere or aborted. */
  constructor(request: ApprovalRequest, asking: Asking, withdrawn: (question: TerminalQuestion) => void) {
    this.request = request;
    this.asking = asking;
    this.answer = this.#answer.promise;
    this.#onAbort = () => withdrawn(this);
    asking.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  get look(): PreviewState {
    return this.#look;
  }

  /** Makes the preview, once; `done` is called when there is more to see than before. */
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

  async #present(): Promise<PreviewState> {
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
