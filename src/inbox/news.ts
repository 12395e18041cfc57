import type { ApprovalRequest } from "../policy/request.ts";
import type { RequestEnding } from "./desk.ts";
import { type ElementChild, element, fill, foreign, part } from "./dom.ts";
import { OUTCOMES } from "./words.ts";

/** Time that a message is shown. */
const TOLD_MS = 6_000;

/** The last event, shown for a while in a line of its own. */
export class News {
  readonly #line = part("news", HTMLElement);
  #timer: ReturnType<typeof setTimeout> | undefined;

  showEnding({ tool }: ApprovalRequest, { outcome, isForSession, by }: RequestEnding): void {
    this.#show(
      outcome,
      element("strong", {}, OUTCOMES[outcome]),
      " ",
      foreign(tool, "code"),
      ...(outcome === "expired" ? [": no answer in time"] : [" by ", foreign(by, "code")]),
      isForSession ? ", for the session" : null,
    );
  }

  showProblem(words: string): void {
    this.#show("problem", foreign(words, "prose"));
  }

  #show(kind: string, ...words: readonly ElementChild[]): void {
    fill(this.#line, ...words);
    this.#line.dataset["kind"] = kind;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => fill(this.#line), TOLD_MS);
  }
}
