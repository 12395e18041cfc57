import type { Envelope } from "../approval/envelope.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { Actions } from "./actions.ts";
import type { AnswerWords, Api, Several } from "./api.ts";
import { AnswerArming } from "./arming.ts";
import { Clock } from "./clock.ts";
import { endingIn, endingOf, InboxState, type RequestEnding } from "./desk.ts";
import { type Detail, type DetailState, detailOf } from "./detail.ts";
import { fill, part, say } from "./dom.ts";
import { listen } from "./keys.ts";
import { RequestLists } from "./lists.ts";
import { News } from "./news.ts";
import { RequestNotifications } from "./notifications.ts";
import { readOn } from "./read-on.ts";
import { follow } from "./stream.ts";

const RETRY_MS = 1_500;

/** The page with a token: the pending requests, the request that is shown, and the answer to it. */
export class Inbox {
  readonly #api: Api;
  readonly #desk = new InboxState((request) => this.#notifications.tell(request, this.#desk));
  readonly #clock = new Clock();
  readonly #news = new News();
  readonly #notifications = new RequestNotifications((id) => this.#open(id));
  readonly #parts = {
    detail: part("detail", HTMLElement),
    empty: part("empty", HTMLElement),
    request: part("request", HTMLElement),
    scroll: part("scroll", HTMLElement),
    connection: part("connection", HTMLElement),
  };
  readonly #arming = new AnswerArming(
    () => this.#parts.detail.checkVisibility(),
    (isArmed) => this.#actions.showArmed(isArmed),
  );
  readonly #lists = new RequestLists({
    onChoose: (id) => this.#choose(id, "person"),
    onRevoke: (id) => void this.#revoke(id),
  });
  readonly #actions = new Actions(this.#arming, {
    onApprove: (scope, note) => void this.#answer({ approved: true, scope, ...said(note) }),
    onChoose: ({ yes }, note) =>
      void this.#answer(
        yes === null
          ? { approved: false, lasts: "session", ...said(note) }
          : { approved: true, ...yes, ...said(note) },
      ),
    onReject: (note) => void this.#answer({ approved: false, ...said(note) }),
    onReadOn: () => readOn(this.#detail, this.#parts.scroll),
    onRejectAll: (filter, note) => void this.#rejectAll(filter, note),
  });
  #chosen: string | null = null;
  #look: DetailState = { kind: "awaited" };
  #detail: Detail | null = null;
  #isSending = false;
  #isLive = false;
  #learning: Promise<void> = Promise.resolve();
  /** The request that the address names, until it is known. */
  #wanted: string | null;

  constructor(api: Api, wanted: string | null = null) {
    this.#api = api;
    this.#wanted = wanted;
    const help = part("help", HTMLDialogElement);
    const toggleHelp = (): void => (help.open ? help.close() : help.showModal());
    part("help-button", HTMLElement).addEventListener("click", toggleHelp);
    part("back", HTMLElement).addEventListener("click", () => this.#turnTo("lists"));
    listen({
      onStep: (by) => this.#step(by),
      onApprove: () => this.#actions.approve(),
      onApproveForSession: () => this.#actions.approveForSession(),
      onNote: () => this.#actions.startNote(),
      onReadOn: () => readOn(this.#detail, this.#parts.scroll),
      onHelp: toggleHelp,
    });
    setInterval(() => this.#tick(), 1_000);
  }

  /** Runs until the token is no longer accepted. */
  async run(): Promise<void> {
    this.#parts.connection.hidden = false;
    this.#draw();
    await follow(this.#api, {
      onSnapshot: ({ now, pending }) => {
        this.#clock.set(now);
        for (const id of this.#desk.replace(pending)) void this.#learn(id);
        void this.#loadGrants();
        this.#chooseIfNone();
        this.#draw();
      },
      onEvent: (event) => this.#handle(event),
      onConnection: (isLive) => {
        this.#isLive = isLive;
        this.#draw();
      },
    });
  }

  #handle(event: Envelope): void {
    const { approval_id: id, type } = event;
    if (type.startsWith("grant.")) void this.#loadGrants();
    if (id === null) return;
    if (type === "approval.requested") this.#learnInTurn(id);
    const ending = endingIn(event);
    if (ending !== null) this.#end(id, ending);
  }

  /** Fetches requests concurrently, and adds them in the order of their events. */
  #learnInTurn(id: string): void {
    const shown = this.#api.show(id);
    this.#learning = this.#learning.then(() => this.#learn(id, shown));
  }

  /** Fetches a request that is unknown, or whose ending is unknown. */
  async #learn(id: string, shown = this.#api.show(id)): Promise<void> {
    const reply = await shown;
    if (reply.kind === "refused") {
      if (reply.status === 404) this.#desk.forget(id);
      // No event will report it again.
      else setTimeout(() => void this.#learn(id), RETRY_MS);
    } else {
      const { request, now } = reply.data;
      this.#clock.set(now);
      this.#desk.add(request);
      const ending = endingOf(reply.data);
      if (ending !== null) this.#end(id, ending);
    }
    this.#chooseIfNone();
    this.#draw();
  }

  #end(id: string, ending: RequestEnding): void {
    const request = this.#desk.waiting.get(id);
    this.#desk.end(id, ending);
    this.#notifications.clear(id);
    // The answer to the person's own POST reports it.
    if (this.#isSending && id === this.#chosen) return;
    if (request !== undefined) this.#news.showEnding(request, ending);
    if (id === this.#chosen) this.#redraw();
    this.#draw();
  }

  /** Shows the request of a notification; one that is unknown here is no longer there. */
  #open(id: string): void {
    if (this.#desk.find(id) !== null) this.#choose(id, "person");
  }

  #chooseIfNone(): void {
    const [first] = this.#desk.waiting.keys();
    const wanted = this.#desk.waiting.has(this.#wanted ?? "") ? this.#wanted : null;
    const isKnown = this.#chosen !== null && this.#desk.find(this.#chosen) !== null;
    if (wanted !== null) this.#wanted = null;
    if (wanted !== null) this.#choose(wanted, "person");
    else if (!isKnown) this.#choose(first ?? null, "itself");
  }

  #choose(id: string | null, by: "person" | "itself"): void {
    if (by === "itself") this.#arming.beginUnasked();
    this.#chosen = id;
    this.#look = { kind: id !== null && this.#desk.waiting.has(id) ? "awaited" : "none" };
    this.#actions.clearNote();
    this.#actions.showProblem(null);
    this.#parts.scroll.scrollTop = 0;
    if (by === "person") this.#turnTo("request");
    else if (id === null) this.#turnTo("lists");
    this.#redraw();
    this.#draw();
    if (id === null) return;
    this.#lists.reveal(id);
    if (this.#look.kind === "awaited") void this.#lookAt(id);
  }

  async #lookAt(id: string): Promise<void> {
    const reply = await this.#api.show(id);
    if (id !== this.#chosen) return;
    if (reply.kind === "given") {
      const { presentation, isPresentationLost, now } = reply.data;
      this.#clock.set(now);
      this.#look =
        presentation !== null
          ? { kind: "made", presentation }
          : { kind: isPresentationLost ? "lost" : "none" };
    } else {
      this.#look = { kind: "lost" };
      this.#actions.showProblem(reply.message);
    }
    this.#redraw();
    this.#draw();
  }

  #step(by: 1 | -1): void {
    const ids = [...this.#desk.waiting.keys()];
    const at = ids.indexOf(this.#chosen ?? "");
    const next = ids[at === -1 ? 0 : Math.min(ids.length - 1, Math.max(0, at + by))];
    if (next !== undefined && next !== this.#chosen) this.#choose(next, "person");
  }

  async #answer(words: AnswerWords): Promise<void> {
    const id = this.#chosen;
    const request = id === null ? undefined : this.#desk.waiting.get(id);
    if (id === null || request === undefined || this.#isSending) return;
    const ids = [...this.#desk.waiting.keys()];
    const at = ids.indexOf(id);
    this.#setSending(true);
    const reply = await this.#api.answer(id, words);
    this.#setSending(false);
    if (reply.kind === "given") {
      const ending = endingOf({ ...reply.data, now: this.#clock.now() });
      if (ending !== null) {
        this.#desk.end(id, ending);
        this.#news.showEnding(request, ending);
      }
      if (this.#chosen === id) this.#goOn([...ids.slice(at + 1), ...ids.slice(0, at).toReversed()]);
      else this.#draw();
    } else {
      this.#actions.showProblem(reply.message);
      // Another person was first, or the time had run out.
      if (reply.status === 409 || reply.status === 410 || reply.status === 404) await this.#learn(id);
      this.#redraw();
    }
  }

  /** Selects the first of these that is still pending. */
  #goOn(ids: readonly string[]): void {
    this.#choose(ids.find((id) => this.#desk.waiting.has(id)) ?? null, "itself");
    this.#parts.request.focus({ preventScroll: true });
  }

  async #rejectAll(filter: Several, note: string): Promise<void> {
    if (this.#isSending) return;
    const meant = this.#desk.idsOf(filter);
    this.#setSending(true);
    const reply = await this.#api.rejectAll(filter, note);
    if (reply.kind === "refused") this.#actions.showProblem(reply.message);
    // Fetches each ending, also where another person was first.
    else await Promise.all(meant.map((id) => this.#learn(id)));
    this.#setSending(false);
    if (reply.kind === "given") this.#goOn([...this.#desk.waiting.keys()]);
  }

  async #revoke(grantId: string): Promise<void> {
    const reply = await this.#api.revoke(grantId);
    if (reply.kind === "refused" && reply.status !== 404) this.#news.showProblem(reply.message);
    await this.#loadGrants();
  }

  async #loadGrants(): Promise<void> {
    const reply = await this.#api.grants();
    if (reply.kind === "given") this.#lists.showGrants(reply.data);
  }

  #setSending(isSending: boolean): void {
    this.#isSending = isSending;
    this.#draw();
  }

  /** On a narrow screen there is room for one of the two. */
  #turnTo(view: "lists" | "request"): void {
    document.body.dataset["view"] = view;
    this.#arming.begin();
  }

  /** Draws the selected request again: it must be read again from now on. */
  #redraw(): void {
    const request = this.#chosen === null ? null : this.#desk.find(this.#chosen);
    const ending = this.#desk.decided.get(this.#chosen ?? "")?.ending ?? null;
    this.#detail = request === null ? null : detailOf(request, this.#look, ending, () => this.#draw());
    fill(this.#parts.detail, ...(this.#detail?.nodes ?? []));
    this.#arming.begin();
  }

  #draw(): void {
    const waiting = this.#chosenThatWaits();
    this.#lists.show(this.#desk, this.#chosen, this.#clock.now());
    this.#parts.detail.hidden = this.#detail === null;
    this.#parts.empty.hidden = this.#detail !== null;
    const seen = this.#detail?.seen() ?? "awaited";
    const isCoverSeen = this.#detail?.isCoverSeen() ?? false;
    const state = { seen, isCoverSeen, isSending: this.#isSending, isLive: this.#isLive };
    this.#actions.show({ request: waiting, ...state }, this.#desk);
    const { size } = this.#desk.waiting;
    document.title = size === 0 ? "Approvals" : `(${size}) Approvals`;
    say(this.#parts.connection, this.#isLive ? "live" : "offline, trying again");
    this.#parts.connection.dataset["live"] = String(this.#isLive);
    this.#tick();
  }

  #chosenThatWaits(): ApprovalRequest | null {
    return this.#desk.waiting.get(this.#chosen ?? "") ?? null;
  }

  #tick(): void {
    const now = this.#clock.now();
    this.#lists.tick(now);
    this.#detail?.tick(now);
  }
}

const said = (note: string): { readonly note?: string } => (note === "" ? {} : { note });
