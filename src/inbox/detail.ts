import { notAscii } from "../channel/visible-unit.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { pastOf } from "../policy/scope-choices.ts";
import { timeLeft } from "./clock.ts";
import { bounded, contentOf, type ShownContent, textBlock } from "./content.ts";
import type { RequestEnding } from "./desk.ts";
import { type ElementChild, element, foreign, say } from "./dom.ts";
import { factsOf, whoOf, whyOf } from "./facts.ts";
import { endOf } from "./seen.ts";
import { OUTCOMES, RISKS, SCOPES } from "./words.ts";

/** The content of a request, as far as it is loaded. */
export type DetailState =
  | { readonly kind: "awaited" | "none" | "lost" }
  | { readonly kind: "made"; readonly presentation: Presentation };

/** One request as it is drawn. */
export interface Detail {
  readonly nodes: readonly HTMLElement[];
  /** How much of the required content was seen; `awaited`: it is being drawn. */
  seen(): "awaited" | "part" | "whole";
  isCoverSeen(): boolean;
  /** The first end that was not seen; null if all were. */
  unseen(): HTMLElement | null;
  showAll(): boolean;
  tick(now: number): void;
}

/** The details of a request. `onSeen`: the content that is decided on was seen completely. */
export function detailOf(
  request: ApprovalRequest,
  look: DetailState,
  ending: RequestEnding | null,
  onSeen: () => void,
): Detail {
  const { tool, risk, agent, project, description, expiresAt, safeArgs, covers } = request;
  const time = element("p", { class: "time-left" });
  const short = (tag: "h2" | "p", name: string, ...words: readonly ElementChild[]): ShownContent =>
    bounded(element(tag, { class: name }, ...words), onSeen);
  const name = short("h2", "tool-name", foreign(tool, "code"));
  const words = short("p", "description", foreign(description, "prose"));
  const who = [
    ...(agent === null ? [] : [short("p", "agent", "asked by the agent ", foreign(agent, "code"))]),
    ...(project === undefined ? [] : [short("p", "agent", "in the project ", foreign(project, "code"))]),
  ];
  const notices = noticesOf(request, look).map((one) => short("p", "notice", ...one));
  const contents = contentsOf(request, look, onSeen);
  const all = [name, words, ...who, ...notices, ...contents];
  const coverEnd = endOf(() => true, onSeen);
  const head = element(
    "header",
    { class: "detail-head" },
    element(
      "div",
      { class: "title" },
      name.node,
      element(
        "span",
        { class: "risk", attributes: { "data-risk": risk ?? "unknown" } },
        RISKS[risk ?? "unknown"],
      ),
      ending === null ? time : null,
    ),
    words.node,
    ...who.map(({ node }) => node),
  );
  return {
    nodes: [
      ...(ending === null ? [] : [banner(ending)]),
      head,
      ...notices.map(({ node }) => node),
      ...contents.map(({ node }) => node),
      ...(covers === null || ending !== null ? [] : [coveredBy(request, covers, coverEnd.mark)]),
      factsOf(request),
      whyOf(request),
      ...(contents.length > 0 && look.kind !== "made"
        ? []
        : [
            folded(
              "Arguments",
              textBlock("As they may be shown", argumentsText(safeArgs), () => undefined).node,
            ),
          ]),
      whoOf(request),
    ],
    seen: () => {
      if (look.kind === "awaited") return "awaited";
      return all.every(({ end }) => end.isSeen()) ? "whole" : "part";
    },
    isCoverSeen: () => coverEnd.isSeen(),
    unseen: () => {
      const ends = [...all.map(({ end }) => end), coverEnd];
      return ends.find((end) => end.mark.isConnected && !end.isSeen())?.mark ?? null;
    },
    showAll: () => all.map((one) => one.showAll()).some((isMore) => isMore),
    tick: (now) => {
      if (expiresAt === null || ending !== null) return say(time, "");
      say(time, `${timeLeft(expiresAt, now)} left`);
      time.classList.toggle("soon", expiresAt - now < 60_000);
    },
  };
}

/** The content that is decided on: the presentation of the call, or its arguments. */
function contentsOf(
  { safeArgs }: ApprovalRequest,
  look: DetailState,
  onSeen: () => void,
): readonly ShownContent[] {
  switch (look.kind) {
    case "made":
      return [contentOf(look.presentation, onSeen)];
    case "awaited":
    case "none":
      return [textBlock("The arguments", argumentsText(safeArgs), onSeen)];
    case "lost":
      return [textBlock("The preview failed; its arguments", argumentsText(safeArgs), onSeen)];
  }
}

function noticesOf(request: ApprovalRequest, look: DetailState): readonly (readonly ElementChild[])[] {
  const { demandsPerson, redactions, granted } = request;
  const { hidden, cut, isMore } = redactions;
  const others = notAscii(lookAlikes(request, look));
  return [
    ...(demandsPerson ? [["Only a person can approve this call, and only once."]] : []),
    ...(granted !== null && granted.shortfall.length > 0
      ? [["Requested but not granted: ", foreign(granted.shortfall.join("; "), "code")]]
      : []),
    ...(others === null ? [] : [["Letters that may look like others: ", foreign(others, "code")]]),
    ...(hidden.length === 0
      ? []
      : [
          [
            "Hidden, as secrets: ",
            foreign(hidden.map(({ at, because }) => `${at} (by its ${because})`).join(", "), "code"),
          ],
        ]),
    ...(cut.length === 0
      ? []
      : [["Cut: ", foreign(cut.map(({ at, whole }) => `${at} (${whole})`).join(", "), "code")]]),
    ...(isMore ? [["More was left out than listed here."]] : []),
  ];
}

/** Texts in which confusable letters would mislead: names, paths, commands, words of the tool. */
function lookAlikes(request: ApprovalRequest, look: DetailState): string {
  const { tool, agent, project, description, safeArgs } = request;
  const { about = "", content = "", type } = look.kind === "made" ? look.presentation : {};
  const shown = look.kind !== "made" || type === "structured" ? argumentsText(safeArgs) : about;
  return [tool, agent ?? "", project ?? "", description, shown, type === "command" ? content : ""].join(" ");
}

function banner({ outcome, isForSession, by, note }: RequestEnding): HTMLElement {
  const whose = outcome === "expired" ? ": no answer in time" : " by ";
  return element(
    "p",
    { class: "banner", attributes: { "data-outcome": outcome } },
    element("strong", {}, OUTCOMES[outcome]),
    whose,
    outcome === "expired" ? null : foreign(by, "code"),
    isForSession ? ", for the session" : null,
    ...(note === null ? [] : [": ", foreign(note, "prose")]),
  );
}

function coveredBy(
  { offers = [], notOffered }: ApprovalRequest,
  covers: string,
  end: HTMLElement,
): HTMLElement {
  return element(
    "section",
    { class: "covers" },
    element("h3", {}, "Approval for this session covers"),
    element("p", {}, foreign(covers, "code")),
    ...offers.flatMap((offer) => [
      element("h3", {}, `Approval ${SCOPES[offer.scope]} covers`),
      element("p", {}, foreign(offer.covers, "code")),
      ...pastOf(offer).map((text) => element("p", { class: "past" }, foreign(text, "prose"))),
    ]),
    notOffered === undefined
      ? null
      : element("p", { class: "past" }, "Not for the project: ", foreign(notOffered, "prose")),
    end,
  );
}

function folded(title: string, ...content: readonly HTMLElement[]): HTMLElement {
  return element("details", { class: "folded" }, element("summary", {}, title), ...content);
}

function argumentsText(safeArgs: ApprovalRequest["safeArgs"]): string {
  return JSON.stringify(safeArgs, null, 2);
}
