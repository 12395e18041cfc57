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
  const { tool, description, risk, expiresAt } = request;
  const time = element("span", { class: "time" });
  const chip = element(
    "span",
    { class: "risk", attributes: { "data-risk": risk ?? "unknown" } },
    RISKS[risk ?? "unknown"],
  );
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
      whoOf(request),
      whereOf(request),
      request.earlier === undefined
        ? null
        : element("span", { class: "who" }, "asked again: the call changed"),
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

/** The characters of an id that tell sessions apart. */
const SHORT = 8;

/** Several agents and sessions may ask for the same. */
function whoOf({ agent, sessionId }: ApprovalRequest): HTMLElement {
  return element(
    "span",
    { class: "who" },
    ...(agent === null ? [] : ["by ", foreign(agent, "code"), ", "]),
    "session ",
    foreign(sessionId.slice(0, SHORT), "code"),
  );
}

/** One inbox holds the requests of all projects. A call may start in another folder than its project's. */
function whereOf({ project, folder }: ApprovalRequest): HTMLElement | null {
  if (project === undefined) return null;
  const isElsewhere = folder !== undefined && folder !== project && !folder.startsWith(`${project}/`);
  const places = isElsewhere ? [project, ", starts in ", folder] : [folder ?? project];
  return element(
    "span",
    { class: "who" },
    "in ",
    ...places.map((text, at) => (at === 1 ? text : foreign(text, "code"))),
  );
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
