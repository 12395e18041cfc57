import type { ApprovalRequest } from "../policy/request.ts";
import { timeAgo, timeLeft } from "./clock.ts";
import type { ClosedRequest } from "./desk.ts";
import { button, element, foreign, say } from "./dom.ts";
import { OUTCOMES, RISKS } from "./words.ts";

/** One request in a list. */
export interface Card {
  readonly item: HTMLLIElement;
  /** Marks it as the request that is shown. */
  choose(isChosen: boolean): void;
  tick(now: number): void;
}

/** A pending request. `onChoose`: the person selects it. */
export function waitingCard(request: ApprovalRequest, onChoose: () => void): Card {
  const { tool, description, agent, risk, expiresAt } = request;
  const time = element("span", { class: "time" });
  const chip = element(
    "span",
    { class: "risk", attributes: { "data-risk": risk ?? "unknown" } },
    RISKS[risk ?? "unknown"],
  );
  const who = agent === null ? null : element("span", { class: "who" }, "by ", foreign(agent, "code"));
  const open = button(
    [
      element(
        "span",
        { class: "card-head" },
        element("span", { class: "tool" }, foreign(tool, "code")),
        chip,
        time,
      ),
      element("span", { class: "what" }, foreign(firstLine(description), "prose")),
      who,
      whereOf(request),
    ],
    { class: "card" },
    onChoose,
  );
  return card(open, (now) => {
    say(time, expiresAt === null ? "" : timeLeft(expiresAt, now));
    time.classList.toggle("soon", expiresAt !== null && expiresAt - now < 60_000);
  });
}

export function decidedCard({ request, ending }: ClosedRequest, onChoose: () => void): Card {
  const time = element("span", { class: "time" });
  const open = button(
    [
      element(
        "span",
        { class: "card-head" },
        element(
          "span",
          { class: "outcome", attributes: { "data-outcome": ending.outcome } },
          OUTCOMES[ending.outcome],
        ),
        element("span", { class: "tool" }, foreign(request.tool, "code")),
        time,
      ),
      element(
        "span",
        { class: "what" },
        ...(ending.outcome === "expired"
          ? []
          : ["by ", foreign(ending.by, "code"), ending.isForSession ? ", for the session" : null]),
        ...(ending.note === null ? [] : [": ", foreign(firstLine(ending.note), "prose")]),
      ),
      whereOf(request),
    ],
    { class: "card" },
    onChoose,
  );
  return card(open, (now) => say(time, timeAgo(ending.at, now)));
}

/** One inbox holds the requests of all projects. */
function whereOf({ project }: ApprovalRequest): HTMLElement | null {
  return project === undefined ? null : element("span", { class: "who" }, "in ", foreign(project, "code"));
}

function card(open: HTMLButtonElement, tick: (now: number) => void): Card {
  return {
    item: element("li", {}, open),
    choose: (isChosen) => {
      if (isChosen) open.setAttribute("aria-current", "true");
      else open.removeAttribute("aria-current");
    },
    tick,
  };
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
