import type { ApprovalRequest } from "../policy/request.ts";
import { type ScopeChoice, scopeChoices } from "../policy/scope-choices.ts";
import type { Several } from "./api.ts";
import type { AnswerArming } from "./arming.ts";
import type { InboxState } from "./desk.ts";
import { button, fill, foreign, part, say } from "./dom.ts";

/** The actions on the request that is shown. */
export interface Acts {
  readonly onApprove: (scope: "once" | "session", note: string) => void;
  readonly onChoose: (choice: ScopeChoice, note: string) => void;
  readonly onReject: (note: string) => void;
  readonly onReadOn: () => void;
  readonly onRejectAll: (filter: Several, note: string) => void;
}

/** The state of the request that is shown. */
export interface ViewedRequest {
  /** Null if no pending request is shown. */
  readonly request: ApprovalRequest | null;
  /** How much of it was seen. */
  readonly seen: "awaited" | "part" | "whole";
  /** True if the scope of an approval for the session was seen. */
  readonly isCoverSeen: boolean;
  readonly isSending: boolean;
  readonly isLive: boolean;
}

/** The bar with a note, approve and reject. It does not move while requests come and go. */
export class Actions {
  readonly #bar = part("actions", HTMLElement);
  readonly #note = part("note", HTMLTextAreaElement);
  readonly #approve = part("approve", HTMLButtonElement);
  readonly #session = part("session", HTMLButtonElement);
  readonly #reject = part("reject", HTMLButtonElement);
  readonly #several = part("several", HTMLElement);
  readonly #more = part("more", HTMLElement);
  readonly #choices = part("choices", HTMLElement);
  readonly #problem = part("problem", HTMLElement);
  readonly #allFirst = part("all-first", HTMLElement);
  readonly #unseen = part("unseen", HTMLElement);
  readonly #arming: AnswerArming;
  readonly #acts: Acts;
  #isLive = false;
  /** The visible buttons, and which of them are disabled. */
  #offered = "";

  constructor(arming: AnswerArming, acts: Acts) {
    this.#arming = arming;
    this.#acts = acts;
    this.#approve.addEventListener("click", (event) => this.approve(event));
    this.#session.addEventListener("click", (event) => this.approveForSession(event));
    this.#reject.addEventListener("click", (event) => this.reject(event));
    part("read-on", HTMLButtonElement).addEventListener("click", () => this.#acts.onReadOn());
    this.#note.addEventListener("input", () => this.#fit());
    this.#note.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.reject(event);
    });
    // A change of its size may have moved a button to the place of another one.
    new ResizeObserver(() => this.#arming.begin()).observe(this.#bar);
  }

  showArmed(isArmed: boolean): void {
    this.#bar.dataset["armed"] = String(isArmed);
  }

  approve(event?: UIEvent): void {
    if (!this.#approve.disabled && this.#arming.takes(event)) this.#acts.onApprove("once", this.#words());
  }

  approveForSession(event?: UIEvent): void {
    const isOffered = this.#session.hidden === false && !this.#session.disabled;
    if (isOffered && this.#arming.takes(event)) this.#acts.onApprove("session", this.#words());
  }

  reject(event?: UIEvent): void {
    if (!this.#reject.disabled && this.#arming.takes(event)) this.#acts.onReject(this.#words());
  }

  startNote(): void {
    if (!this.#reject.disabled && this.#arming.takes()) this.#note.focus();
  }

  /** Clears the note: it is for one request. */
  clearNote(): void {
    this.#note.value = "";
    this.#note.blur();
    this.#fit();
  }

  /** Shows the problem with an answer; null for none. */
  showProblem(problem: string | null): void {
    this.#problem.hidden = problem === null;
    fill(this.#problem, problem === null ? null : foreign(problem, "prose"));
  }

  show(subject: ViewedRequest, desk: InboxState): void {
    const { request, seen, isCoverSeen, isSending, isLive } = subject;
    this.#isLive = isLive;
    this.#bar.hidden = request === null;
    if (request === null) return;
    const isOff = isSending || !isLive;
    this.#approve.disabled = isOff || seen !== "whole";
    const isForSession = request.covers !== null && !request.demandsPerson;
    this.#session.disabled = isOff || seen !== "whole" || !isCoverSeen;
    this.#session.hidden = !isForSession;
    this.#reject.disabled = isOff;
    this.#allFirst.hidden = seen === "awaited" || (seen === "whole" && (isCoverSeen || !isForSession));
    this.#allFirst.dataset["seen"] = seen;
    say(
      this.#unseen,
      seen === "part" ? "You have not seen all of it." : "The scope for the session is further down.",
    );
    this.#showSeveral(request, desk, isOff);
    this.#showChoices(request, isOff, isOff || seen !== "whole" || !isCoverSeen);
    this.#compare();
  }

  /** Buttons that changed must be read before an answer counts. */
  #compare(): void {
    const buttons = [...this.#bar.querySelectorAll("button")].filter((one) => one.checkVisibility());
    const nameOf = ({ id, textContent }: HTMLButtonElement): string => id || textContent.replace(/\d+/, "");
    const offered = buttons.map((one) => `${nameOf(one)} ${one.disabled}`).join();
    if (offered !== this.#offered) this.#arming.begin();
    this.#offered = offered;
  }

  #showSeveral(request: ApprovalRequest, desk: InboxState, isOff: boolean): void {
    const { group, run } = desk.beside(request);
    const { groupId, runId } = request;
    const make = (words: string, filter: Several): HTMLButtonElement => {
      const made = button([words], { class: "quiet" }, (event) => {
        if (this.#isLive && this.#arming.takes(event)) this.#acts.onRejectAll(filter, this.#words());
      });
      made.disabled = isOff;
      return made;
    };
    fill(
      this.#several,
      group > 1 && groupId !== null ? make(`Reject all ${group} of this turn`, { runId, groupId }) : null,
      run > 1 && run !== group ? make(`Reject all ${run} of this run`, { runId }) : null,
    );
  }

  #showChoices(request: ApprovalRequest, isOff: boolean, isYesOff: boolean): void {
    const choices = scopeChoices(request);
    this.#more.hidden = choices.length === 0;
    fill(
      this.#choices,
      ...choices.map((choice) => {
        const made = button(
          [choice.label],
          { class: choice.yes === null ? "no" : "yes-session" },
          (event) => {
            if (this.#isLive && this.#arming.takes(event)) this.#acts.onChoose(choice, this.#words());
          },
        );
        made.disabled = choice.yes === null ? isOff : isYesOff;
        return made;
      }),
    );
  }

  #words(): string {
    return this.#note.value.trim();
  }

  /** Grows with the text, up to the maximum of the style sheet. */
  #fit(): void {
    this.#note.rows = Math.min(4, this.#note.value.split("\n").length);
  }
}
