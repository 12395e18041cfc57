import type { Asking, HandlerAnswer } from "../approval/handler.ts";
import { CofferdamError } from "../errors.ts";
import type { Grant } from "../policy/grant.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { ScopeChoice } from "../policy/scope-choices.ts";
import { PLAIN } from "./ink.ts";
import { type Key, type KeyAnswer, keyOf, pageKeyOf } from "./keys.ts";
import { isOffered, NO_OFFERS, type Offers } from "./offers.ts";
import { grantsPager, Pager, type Pages } from "./pager.ts";
import { TerminalQuestion } from "./question.ts";
import { echoRows, questionText } from "./question-text.ts";
import { viewFields, whyFields } from "./request-text.ts";
import { oneRow, ownRows } from "./rows.ts";
import { decisionOf, keyDecision, scopePages } from "./scope-pages.ts";
import { Stage } from "./stage.ts";
import type { Tty } from "./tty.ts";

/** Maximum wait for the preview before a request is drawn. */
const PATIENCE_MS = 100;
/** Requests that arrive within this time of each other are drawn together. */
const TOGETHER_MS = 20;
/** Maximum time until this process receives a signal to itself. */
const INTERRUPTED_MS = 50;
/** Maximum columns of a name; a longer one is cut. */
const NAME_COLUMNS = 16;

const NO_KEY = "no such key";
/** A request as last drawn, and everything on the screen with it. */
interface Drawn extends Offers {
  readonly questions: readonly TerminalQuestion[];
}

const NOTHING_DRAWN: Drawn = { questions: [], ...NO_OFFERS };

const WORDS = {
  once: "yes",
  session: "yes, for this session",
  no: "no",
} as const satisfies Record<KeyAnswer, string>;

/** One person at one terminal, from the first request until none is pending. Then the terminal is restored. */
export class TerminalSession {
  readonly #stage: Stage;
  readonly #person: string;
  readonly #ended: () => void;
  #waiting: readonly TerminalQuestion[] = [];
  #current: TerminalQuestion | null = null;
  #pages: Pages | null = null;
  #drawn: Drawn | null = null;
  #hasHint = false;
  /** Rows that stay, drawn when pages no longer cover the request. */
  #left: readonly string[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(
    tty: Tty,
    person: string,
    env: Readonly<Record<string, string | undefined>>,
    ended: () => void,
  ) {
    this.#person = person;
    this.#ended = ended;
    this.#stage = new Stage(tty, env, {
      pressed: (key) => this.#pressed(key),
      interrupted: () => this.#interrupt(),
      faded: () => this.#drawSoon(TOGETHER_MS),
      lost: (cause) => this.#lose(cause),
    });
  }

  ask(request: ApprovalRequest, asking: Asking): Promise<HandlerAnswer> {
    const question = new TerminalQuestion(request, asking, (one) => this.#withdraw(one));
    this.#waiting = [...this.#waiting, question];
    this.#stage.isNewGroup();
    if (this.#current === null) this.#turnTo(question);
    else this.#drawSoon(TOGETHER_MS);
    return question.answer;
  }

  #turnTo(question: TerminalQuestion | null, cause: "asked" | "by itself" = "asked"): void {
    this.#current = question;
    this.#pages = null;
    this.#stage.isNew(cause);
    if (question === null) {
      this.#end();
      return;
    }
    this.#drawSoon(question.look.kind === "awaited" ? PATIENCE_MS : TOGETHER_MS);
    question.lookAt(() => {
      if (this.#current !== question || this.#pages !== null) return;
      this.#stage.isNew(cause);
      this.#drawSoon(TOGETHER_MS);
    });
  }

  #pressed(typed: string): void {
    if (this.#current === null) return;
    if (this.#pages === null) this.#pressOnQuestion(keyOf(typed), this.#current);
    else this.#pressOnPage(typed, this.#pages, this.#current);
  }

  #pressOnQuestion(key: Key, current: TerminalQuestion): void {
    const { ink } = this.#stage;
    const drawn = this.#drawn ?? NOTHING_DRAWN;
    switch (key.kind) {
      case "answer":
        if (!isOffered(key.answer, drawn)) this.#hint();
        else this.#answer([current], key.answer);
        break;
      case "all":
        if (!this.#stage.isGroupArmed || (key.answer === "once" && !drawn.offersAll)) this.#hint();
        else
          this.#answer(
            drawn.questions.filter((one) => this.#waiting.includes(one)),
            key.answer,
          );
        break;
      case "view":
        this.#open({
          pager: new Pager(
            "cofferdam: the whole request",
            viewFields(current.request, current.look, ink),
            ink,
          ),
          grants: [],
          isAllOfIt: true,
        });
        break;
      case "why":
        this.#open({
          pager: new Pager("cofferdam: why this is asked", whyFields(current.request), ink),
          grants: [],
          isAllOfIt: false,
        });
        break;
      case "grants":
        this.#openGrants(current);
        break;
      case "scopes":
        // Keys that were typed before its text was there are no answers.
        this.#stage.isNew();
        this.#open(scopePages(current.request, drawn.offersOnce, ink));
        break;
      case "pick": {
        const other = drawn.questions[key.position];
        if (other === undefined || other === current || !this.#waiting.includes(other)) this.#hint();
        else this.#turnTo(other);
        break;
      }
      case "other":
        this.#hint();
    }
  }

  #pressOnPage(typed: string, { pager, grants, choices = [] }: Pages, current: TerminalQuestion): void {
    const key = pageKeyOf(typed);
    switch (key.kind) {
      case "turn":
        this.#draw(pager.turn(key.to) ?? "");
        break;
      case "leave":
        this.#pages = null;
        this.#stage.isNew();
        this.#draw();
        break;
      case "pick": {
        const [grant, choice] = [grants[key.position], choices[key.position]];
        if (grant !== undefined) this.#revoke(grant, current);
        else if (choice !== undefined && pager.isAtEnd) this.#choose(choice, current);
        else this.#draw(choice === undefined ? NO_KEY : "read to the last page first, then answer");
        break;
      }
      case "other":
        this.#draw(NO_KEY);
    }
  }

  #open(pages: Pages): void {
    this.#pages = pages;
    this.#draw();
  }

  #openGrants(current: TerminalQuestion): void {
    void current.asking
      .grants()
      .catch(() => null)
      .then((grants) => {
        if (this.#current !== current) return;
        const pager = grantsPager(grants, this.#stage.ink);
        this.#open({ pager, grants: grants ?? [], isAllOfIt: false });
      });
  }

  #revoke(grant: Grant, current: TerminalQuestion): void {
    // The list that is drawn then has other numbers, and shows whether it worked.
    this.#stage.isNew();
    void current.asking
      .revoke(grant.grantId, this.#person)
      .catch(() => false)
      .then(() => {
        if (this.#current === current && this.#pages !== null) this.#openGrants(current);
      });
  }

  #answer(questions: readonly TerminalQuestion[], answer: KeyAnswer): void {
    for (const question of questions) {
      this.#echo(question, answer);
      question.decide(keyDecision(answer, this.#person));
    }
    this.#turnTo(this.#waiting[0] ?? null);
  }

  #choose(choice: ScopeChoice, question: TerminalQuestion): void {
    this.#remove(question, `${choice.label}, by ${oneRow(this.#person, NAME_COLUMNS, PLAIN)}`);
    question.decide(decisionOf(choice, this.#person));
    this.#turnTo(this.#waiting[0] ?? null);
  }

  #echo(question: TerminalQuestion, answer: KeyAnswer): void {
    this.#remove(question, `${WORDS[answer]}, by ${oneRow(this.#person, NAME_COLUMNS, PLAIN)}`);
  }

  #withdraw(question: TerminalQuestion): void {
    const isCurrent = question === this.#current;
    if (isCurrent) this.#pages = null;
    this.#remove(question, "answered elsewhere, or canceled");
    question.fail(question.asking.signal.reason);
    if (isCurrent) this.#turnTo(this.#waiting[0] ?? null, "by itself");
    else this.#drawSoon(TOGETHER_MS);
  }

  /** Rejects everything, then interrupts the process as without us. Answers return after the signal's listeners. */
  #interrupt(): void {
    const all = this.#waiting;
    for (const question of all) this.#echo(question, "no");
    this.#turnTo(null);
    process.kill(process.pid, "SIGINT");
    setTimeout(() => {
      for (const question of all) question.decide(keyDecision("no", this.#person));
    }, INTERRUPTED_MS);
  }

  #lose(cause: unknown): void {
    const lost = new CofferdamError("CHANNEL_CLOSED", "the terminal was lost", { cause });
    for (const question of this.#waiting) question.fail(lost);
    this.#waiting = [];
    this.#turnTo(null);
  }

  #remove(question: TerminalQuestion, words: string): void {
    this.#waiting = this.#waiting.filter((one) => one !== question);
    this.#stage.isNewGroup();
    const { size, ink } = this.#stage;
    this.#left = [...this.#left, ...echoRows(words, question.request, size.columns, ink)];
    if (this.#pages === null) this.#leave();
  }

  #leave(): void {
    if (this.#left.length > 0) this.#stage.leave(this.#left, this.#stage.size);
    this.#left = [];
  }

  #drawSoon(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#draw(), ms);
  }

  /** The hint is for pages: why a key did nothing. */
  #draw(hint = ""): void {
    const current = this.#current;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (current === null) return;
    const { size, ink } = this.#stage;
    if (this.#pages !== null) {
      const { pager, isAllOfIt } = this.#pages;
      this.#stage.page(pager.rows(size, hint));
      if (isAllOfIt && pager.isAtEnd && current.look.kind !== "awaited") current.isSeen = true;
      return;
    }
    this.#leave();
    const text = questionText(this.#waiting, current, size, Date.now(), ink);
    this.#hasHint = false;
    this.#drawn = { ...text, questions: this.#waiting };
    this.#stage.show(text.rows, size);
  }

  #hint(): void {
    if (this.#hasHint) return;
    this.#hasHint = true;
    const words = `${NO_KEY}, or not active yet: see the keys above`.split(" ");
    this.#stage.add(ownRows(words, this.#stage.size.columns, " ").map(this.#stage.ink.dim));
  }

  #end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#leave();
    this.#stage.close();
    this.#ended();
  }
}
