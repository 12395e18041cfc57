import { KEEP_TOOL } from "../policy/keep-tool.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { reviewInWords } from "../policy/review-words.ts";
import { placeOfRule } from "../policy/rule-hit.ts";
import { pastOf } from "../policy/scope-choices.ts";
import type { ScopeOffer } from "../policy/scope-offer.ts";
import type { HighlightedLines } from "./highlighted-lines.ts";
import type { Ink } from "./ink.ts";
import { lineTintOf } from "./line-tint.ts";
import type { Drawn } from "./rows.ts";
import { notAscii } from "./visible-unit.ts";

/** Text of a request under a label of ours. */
export interface Field extends Drawn {
  readonly label: string;
}

/** State of the preview: not yet made, made, or failed. */
export type PreviewState = { readonly kind: "awaited" | "failed" } | Made;

/** A preview that was made. */
export interface Made {
  readonly kind: "made";
  readonly presentation: Presentation;
  readonly highlighted: HighlightedLines;
}

/** The call, its caller and the reason. */
export function askedFields(request: ApprovalRequest, look: PreviewState): readonly Field[] {
  const { tool, risk, agent, description, reason, project } = request;
  const about = look.kind === "made" ? (look.presentation.about ?? null) : null;
  const aboutLabel = look.kind === "made" && look.presentation.type === "command" ? "in" : "of";
  return [
    line("tool", tool),
    line("risk", risk ?? "unknown"),
    ...optional("agent", agent),
    line("would do", description),
    line("because", reason),
    ...optional("review", request.review === undefined ? null : reviewInWords(request.review)),
    ...optional(aboutLabel, about),
    ...optional("project", project ?? null),
    ...optional("not ASCII", notAscii(lookAlikeText(request, look))),
  ];
}

/** The content to look at: the presentation, or the arguments without one. */
export function contentField(request: ApprovalRequest, look: PreviewState, ink: Ink): Field {
  switch (look.kind) {
    case "made":
      return presentationField(look, look.presentation.fullContent ?? look.presentation.content, ink);
    case "awaited":
      return lines("arguments", argumentsText(request));
    case "failed":
      return lines("preview failed; its arguments", argumentsText(request));
  }
}

/** The parts left out of the arguments, and their positions. */
export function leftOutFields({ redactions }: ApprovalRequest): readonly Field[] {
  const { hidden, cut, isMore } = redactions;
  return [
    ...list(
      "hidden",
      hidden.map(({ at, because }) => `${at} (a secret, by its ${because})`),
    ),
    ...list(
      "cut",
      cut.map(({ at, whole }) => `${at} (${whole})`),
    ),
    ...(isMore ? [line("left out", "more than listed here")] : []),
  ];
}

/** The access of the call after an approval, in as few lines as a person can decide on. */
export function reachFields({ tool, granted }: ApprovalRequest): readonly Field[] {
  if (tool === KEEP_TOOL) return [];
  if (granted === null) return [line("reach", "it runs without a sandbox")];
  const runtimes = granted.runtimes.length === 0 ? [] : [`the runtimes ${granted.runtimes.join(", ")}`];
  const reads = [...granted.read, ...runtimes].join(", ") || "nothing else";
  return [
    line("can write", granted.write.length === 0 ? "nothing" : granted.write.join(", ")),
    line("can read", reads),
    line("network", granted.network),
    ...list(
      "devices",
      (granted.devices ?? []).map((may) => `it may ${may}`),
    ),
    ...list("not given", granted.shortfall),
  ];
}

/** Everything there is to see: the whole request. */
export function viewFields(request: ApprovalRequest, look: PreviewState, ink: Ink): readonly Field[] {
  const made =
    look.kind === "made"
      ? [presentationField(look, look.presentation.fullContent ?? look.presentation.content, ink)]
      : [];
  return [
    ...askedFields(request, look),
    ...made,
    lines("arguments", argumentsText(request)),
    ...leftOutFields(request),
    ...reachFields(request),
    ...(request.covers === null ? [] : [line("approval for this session covers", request.covers)]),
    ...offerFields(request),
  ];
}

/** The approvals for more than this call, each with what it covers and would have let pass before. */
export function offerFields({ offers = [], notOffered }: ApprovalRequest): readonly Field[] {
  return [
    ...offers.flatMap((offer) => [
      line(`approval ${OFFER_WORDS[offer.scope]} covers`, offer.covers),
      ...pastOf(offer).map((text) => line("it", text)),
    ]),
    ...optional("not for the project", notOffered ?? null),
  ];
}

const OFFER_WORDS = {
  similar: "of similar calls",
  project: "for this project",
} as const satisfies Record<ScopeOffer["scope"], string>;

/** The reasons for asking: every rule that matched, and the whole access. */
export function whyFields(request: ApprovalRequest): readonly Field[] {
  return [...ruleFields(request), ...reachFields(request), ...boundFields(request)];
}

/** Every rule that matched. */
export function ruleFields({ why, tool }: ApprovalRequest): readonly Field[] {
  if (why.length === 0) return [line("rules", "none matched")];
  return why.flatMap((hit) => [
    line(`${hit.action}, by ${placeOfRule(hit, tool)}`, hit.rule),
    ...optional("because", hit.reason),
  ]);
}

/** The limits of the call, its deadline and its digest. */
export function boundFields({ granted, expiresAt, argsHash }: ApprovalRequest): readonly Field[] {
  return [
    ...list("limits", granted?.limits ?? []),
    ...(expiresAt === null ? [] : [line("expires at", new Date(expiresAt).toISOString())]),
    line("SHA-256 of the call", argsHash),
  ];
}

/** The displayable arguments, as JSON. */
export function argumentsText({ safeArgs }: ApprovalRequest): string {
  return JSON.stringify(safeArgs, null, 2);
}

/** The reply to an approval of a request that a channel could not show. */
export const TOO_LONG_HERE =
  "You can't approve this here, because it is too long to be shown. Approve it where all of it is shown.";

const CONTENT_LABELS = {
  text: "what it would do",
  diff: "the change",
  file_content: "the content",
  command: "the command",
  structured: "what it would do",
} as const satisfies Record<Presentation["type"], string>;

function presentationField({ presentation, highlighted }: Made, text: string, ink: Ink): Field {
  const tint = lineTintOf(presentation, highlighted, ink);
  return { ...lines(CONTENT_LABELS[presentation.type], text), ...(tint === null ? {} : { tint }) };
}

/** Marks the cut of a description, and resembles no letter. */
const CUT_MARK = /…/g;

/** Texts in which look-alike letters would mislead: names, paths, commands, words of the tool. */
function lookAlikeText(request: ApprovalRequest, look: PreviewState): string {
  const shown =
    look.kind !== "made" || look.presentation.type === "structured"
      ? [argumentsText(request)]
      : [
          look.presentation.about ?? "",
          look.presentation.type === "command" ? look.presentation.content : "",
        ];
  const { tool, agent, description, project } = request;
  return [tool, agent ?? "", description.replace(CUT_MARK, ""), project ?? "", ...shown].join(" ");
}

function line(label: string, text: string): Field {
  return { label, text, manner: "line" };
}

function lines(label: string, text: string): Field {
  return { label, text, manner: "lines" };
}

function optional(label: string, text: string | null): readonly Field[] {
  return text === null ? [] : [line(label, text)];
}

function list(label: string, texts: readonly string[]): readonly Field[] {
  return texts.length === 0 ? [] : [line(label, texts.join(", "))];
}
