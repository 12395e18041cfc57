import type { ApprovalRequest } from "../policy/request.ts";
import type { Several } from "./api.ts";
import type { Arming } from "./arming.ts";
import type { Desk } from "./desk.ts";
import { button, fill, foreign, part, say } from "./dom.ts";

/** What a person can do with the request that they look at. */
export interface Acts {
  readonly onApprove: (scope: "once" | "session", note: string) => void;
  readonly onReject: (note: string) => void;
  readonly onReadOn: () => void;
  readonly onRejectAll: (filter: Several, note: string) => void;
}

/** What is known of the request that is looked at. */
export interface Subject {
  /** Null where nothing waits that is looked at. */
  readonly request: ApprovalRequest | null;
  /** How much of it was seen. */
  readonly seen: "awaited" | "part" | "whole";
  /** What a yes for the session covers was seen. */
  readonly isCoverSeen: boolean;
  /** An answer is on its way. */
  readonly isSending: boolean;
  readonly isLive: boolean;
}

/** The bar with a note, a yes and a no. It stands still while requests come and go. */
export class Actions {
  readonly #bar = part("actions", HTMLElement);
  readonly #note = part("note", HTMLTextAreaElement);
  readonly #approve = part("approve", HTMLButtonElement);
  readonly #session = part("session", HTMLButtonElement);
  readonly #reject = part("reject", HTMLButtonElement);
  readonly #several = part("several", HTMLElement);
  readonly #problem = part("problem", HTMLElement);
  readonly #allFirst = part("all-first", HTMLElement);
  readonly #unseen = part("unseen", HTMLElement);
  readonly #arming: Arming;
  readonly #acts: Acts;
  #isLive = false;
  /** The buttons that there are, and which of them are off. */
  #offered = "";

  constructor(arming: Arming, acts: Acts) {
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
    // Whatever comes, goes or grows in it may have moved a button to where another one was.
    new ResizeObserver(() => this.#arming.begin()).observe(this.#bar);
  }

  /** Says whether answers count by now. */
  showArmed(isArmed: boolean): void {
    this.#bar.dataset["armed"] = String(isArmed);
  }

  /** Approves this once, where that is offered. */
  approve(event?: UIEvent): void {
    if (!this.#approve.disabled && this.#arming.takes(event)) this.#acts.onApprove("once", this.#words());
  }

  /** The same for the session. */
  approveForSession(event?: UIEvent): void {
    const isOffered = this.#session.hidden === false && !this.#session.disabled;
    if (isOffered && this.#arming.takes(event)) this.#acts.onApprove("session", this.#words());
  }

  reject(event?: UIEvent): void {
    if (!this.#reject.disabled && this.#arming.takes(event)) this.#acts.onReject(this.#words());
  }

  /** Lets a person write why not. */
  startNote(): void {
    if (!this.#reject.disabled && this.#arming.takes()) this.#note.focus();
  }

  /** A note is for one request. */
  clearNote(): void {
    this.#note.value = "";
    this.#note.blur();
    this.#fit();
  }

  /** Says what went wrong with an answer; null for nothing. */
  tell(problem: string | null): void {
    this.#problem.hidden = problem === null;
    fill(this.#problem, problem === null ? null : foreign(problem, "prose"));
  }

  /** Draws what is offered now. */
  show(subject: Subject, desk: Desk): void {
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
      seen === "part" ? "You have not seen all of it." : "What the session covers is further down.",
    );
    this.#showSeveral(request, desk, isOff);
    this.#compare();
  }

  /** What is offered otherwise than before is to be looked at first. */
  #compare(): void {
    const buttons = [...this.#bar.querySelectorAll("button")].filter((one) => one.checkVisibility());
    const nameOf = ({ id, textContent }: HTMLButtonElement): string => id || textContent.replace(/\d+/, "");
    const offered = buttons.map((one) => `${nameOf(one)} ${one.disabled}`).join();
    if (offered !== this.#offered) this.#arming.begin();
    this.#offered = offered;
  }

  #showSeveral(request: ApprovalRequest, desk: Desk, isOff: boolean): void {
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

  #words(): string {
    return this.#note.value.trim();
  }

  /** As high as what is written, up to a bound that the style sets. */
  #fit(): void {
    this.#note.rows = Math.min(4, this.#note.value.split("\n").length);
  }
}
