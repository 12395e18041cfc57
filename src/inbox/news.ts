import type { ApprovalRequest } from "../policy/request.ts";
import type { Ending } from "./desk.ts";
import { type Child, element, fill, foreign, part } from "./dom.ts";
import { OUTCOMES } from "./words.ts";

/** How long something that happened is told. */
const TOLD_MS = 6_000;

/** What happened last, for a while, in a line of its own. */
export class News {
  readonly #line = part("news", HTMLElement);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** A request is over. */
  tellEnding({ tool }: ApprovalRequest, { outcome, isForSession, by }: Ending): void {
    this.#show(
      outcome,
      element("strong", {}, OUTCOMES[outcome]),
      " ",
      foreign(tool, "code"),
      ...(outcome === "expired" ? [": nobody answered in time"] : [" by ", foreign(by, "code")]),
      isForSession ? ", for the session" : null,
    );
  }

  /** Something that the server said. */
  tell(words: string): void {
    this.#show("problem", foreign(words, "prose"));
  }

  #show(kind: string, ...words: readonly Child[]): void {
    fill(this.#line, ...words);
    this.#line.dataset["kind"] = kind;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => fill(this.#line), TOLD_MS);
  }
}
