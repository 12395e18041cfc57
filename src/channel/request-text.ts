import { KEEP_TOOL } from "../policy/keep-tool.ts";
import type { Presentation } from "../policy/presentation.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { HighlightedLines } from "./highlighted-lines.ts";
import type { Ink } from "./ink.ts";
import { lineTintOf } from "./line-tint.ts";
import type { Drawn } from "./rows.ts";
import { notAscii } from "./visible-unit.ts";

/** Text of a request under a label, which is ours. */
export interface Field extends Drawn {
  readonly label: string;
}

/** What there is to look at: not yet made, made, or impossible to make. */
export type Look = { readonly kind: "awaited" | "failed" } | Made;

/** What there is to look at. */
export interface Made {
  readonly kind: "made";
  readonly presentation: Presentation;
  readonly highlighted: HighlightedLines;
}

/** What is asked, by whom and why. */
export function askedFields(request: ApprovalRequest, look: Look): readonly Field[] {
  const { tool, risk, agent, description, reason, project } = request;
  const about = look.kind === "made" ? (look.presentation.about ?? null) : null;
  const aboutLabel = look.kind === "made" && look.presentation.type === "command" ? "in" : "of";
  return [
    line("tool", tool),
    line("risk", risk ?? "not known"),
    ...optional("agent", agent),
    line("would do", description),
    line("because", reason),
    ...optional(aboutLabel, about),
    ...optional("project", project ?? null),
    ...optional("not ASCII", notAscii(lookAlikeText(request, look))),
  ];
}

/** What is looked at: the presentation, or the arguments for lack of one. */
export function contentField(request: ApprovalRequest, look: Look, ink: Ink): Field {
  switch (look.kind) {
    case "made":
      return presentationField(look, look.presentation.fullContent ?? look.presentation.content, ink);
    case "awaited":
      return lines("arguments", argumentsText(request));
    case "failed":
      return lines("what it would do could not be drawn; its arguments", argumentsText(request));
  }
}

/** What was left out of the arguments, and where it stood. */
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
    ...(isMore ? [line("left out", "more than is listed here")] : []),
  ];
}

/** What it could reach after a yes, in as few lines as a person can decide on. */
export function reachFields({ tool, granted }: ApprovalRequest): readonly Field[] {
  if (tool === KEEP_TOOL) return [];
  if (granted === null) return [line("reach", "it runs without walls of its own")];
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

/** All there is to see: what was asked, whole. */
export function viewFields(request: ApprovalRequest, look: Look, ink: Ink): readonly Field[] {
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
    ...(request.covers === null ? [] : [line("a yes for this session covers", request.covers)]),
  ];
}

/** Why it is asked: every rule that spoke, and the whole of what it could reach. */
export function whyFields(request: ApprovalRequest): readonly Field[] {
  return [...ruleFields(request), ...reachFields(request), ...boundFields(request)];
}

/** Every rule that spoke. */
export function ruleFields({ why }: ApprovalRequest): readonly Field[] {
  if (why.length === 0) return [line("rules", "none spoke")];
  return why.flatMap(({ layer, rule, action, reason }) => [
    line(`the ${layer} layer says ${action}`, rule),
    ...optional("because", reason),
  ]);
}

/** How far and how long it goes, and what binds it. */
export function boundFields({ granted, expiresAt, argsHash }: ApprovalRequest): readonly Field[] {
  return [
    ...list("limits", granted?.limits ?? []),
    ...(expiresAt === null ? [] : [line("expires at", new Date(expiresAt).toISOString())]),
    line("SHA-256 of what would run", argsHash),
  ];
}

/** The arguments as they may be shown, as JSON. */
export function argumentsText({ safeArgs }: ApprovalRequest): string {
  return JSON.stringify(safeArgs, null, 2);
}

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

/** Where letters that look like others would mislead: names, paths, commands, words of the tool. */
function lookAlikeText(request: ApprovalRequest, look: Look): string {
  const shown =
    look.kind !== "made" || look.presentation.type === "structured"
      ? [argumentsText(request)]
      : [
          look.presentation.about ?? "",
          look.presentation.type === "command" ? look.presentation.content : "",
        ];
  const { tool, agent, description, project } = request;
  return [tool, agent ?? "", description, project ?? "", ...shown].join(" ");
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
