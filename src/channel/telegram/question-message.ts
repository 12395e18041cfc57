import type { ApprovalRequest } from "../../policy/request.ts";
import type { ScopeChoice } from "../../policy/scope-choices.ts";
import { type ForeignText, manyLines, oneLine } from "../foreign-text.ts";
import { PLAIN } from "../ink.ts";
import {
  askedFields,
  contentField,
  type Field,
  leftOutFields,
  offerFields,
  type PreviewState,
  reachFields,
  TOO_LONG_HERE,
} from "../request-text.ts";
import { fewChoices } from "../scope-pages.ts";
import { bold, plain, type StyledLine, type StyledText, styledText, unitsOf } from "../styled-text.ts";
import { timeLeft } from "../time-left.ts";

/** Maximum of UTF-16 units in a message; the minimum is one (https://core.telegram.org/bots/api#sendmessage). */
const MAX_UNITS = 4096;
/** Maximum length of a text in one row if the whole message does not fit. */
const MAX_ROW_LENGTH = 120;
/** A request with more characters can only be seen whole elsewhere. */
const MAX_IN_DOCUMENT = 100_000;

/** A request as a message to a chat. */
export interface QuestionMessage extends StyledText {
  /** The whole request, if the message leaves something out. It is sent first. */
  readonly document: string | null;
  /** The call can be approved: the message or the document shows all of it. */
  readonly offersOnce: boolean;
  /** The session can be approved: the message shows the whole request and what the approval covers. */
  readonly offersSession: boolean;
  /** The answers for more than this call: the message shows the whole text of each. */
  readonly choices: readonly ScopeChoice[];
}

/**
 * The message that asks about a request. Our words begin each row. Text from a tool or a model is made visible and
 * follows a label or a bar of ours. The message says if something is left out.
 */
export function questionMessage(request: ApprovalRequest, look: PreviewState, now: number): QuestionMessage {
  const head = [HEADLINE];
  const time = timeLines(request, now);
  const whole = wholeFields(request, look);
  const covers = coversLines(request.covers);
  const tail = [...time, HINT];
  const fits = (lines: readonly StyledLine[]): boolean => unitsOf(lines) <= MAX_UNITS;

  const offers = covers === null ? null : offersLines(request);
  const most =
    whole === null || offers === null ? null : [...head, ...whole, ...(covers ?? []), ...offers, ...tail];
  const choices = fewChoices(request);
  if (most !== null && choices.length > 0 && fits(most))
    return { ...styledText(most), document: null, offersOnce: true, offersSession: true, choices };
  const all = whole === null ? null : [...head, ...whole, ...(covers ?? []), ...tail];
  if (all !== null && fits(all))
    return {
      ...styledText(all),
      document: null,
      offersOnce: true,
      offersSession: covers !== null,
      choices: [],
    };
  const withoutSession = covers === null ? [] : [NOT_FOR_SESSION];
  const almost = whole === null ? null : [...head, ...whole, ...withoutSession, ...tail];
  if (almost !== null && fits(almost))
    return { ...styledText(almost), document: null, offersOnce: true, offersSession: false, choices: [] };

  const document = documentText(request, whole);
  const rest = document === null ? "" : ": all of it is in the document above";
  const foot = [...(document === null ? [[plain(TOO_LONG_HERE)]] : []), ...withoutSession, ...tail];
  const lines = fitted(request, look, head, foot, rest);
  return { ...styledText(lines), document, offersOnce: document !== null, offersSession: false, choices: [] };
}

/** The message of a settled request: its outcome, and as much of the request as fits. */
export function overMessage(
  request: ApprovalRequest,
  look: PreviewState,
  outcome: readonly StyledLine[],
): StyledText {
  const whole = wholeFields(request, look);
  const all = whole === null ? null : [...outcome, [], ...whole];
  if (all !== null && unitsOf(all) <= MAX_UNITS) return styledText(all);
  return styledText(fitted(request, look, [...outcome, []], [], ""));
}

const HEADLINE: StyledLine = [bold("cofferdam asks: this call needs your approval")];
const HINT: StyledLine = [plain('To reject with a reason, reply to this message: "no: …"')];
const NOT_FOR_SESSION: StyledLine = [
  plain("You can't approve this for the session here, because its scope is too long to be shown."),
];

/** All fields, none cut; null if no message or document can hold them. */
function wholeFields(request: ApprovalRequest, look: PreviewState): readonly StyledLine[] | null {
  const lines: StyledLine[] = [];
  let left = MAX_IN_DOCUMENT;
  for (const field of fieldsOf(request, look)) {
    // A text with more characters than there is room for need not be drawn.
    if (field.text.length > left) return null;
    const { lines: drawn, isWhole } = drawnField(field, left, "");
    if (!isWhole) return null;
    left -= unitsOf(drawn);
    lines.push(...drawn);
  }
  return lines;
}

/** The fields, cut to fit with the lines before and after them. The content gets the room that the others leave. */
function fitted(
  request: ApprovalRequest,
  look: PreviewState,
  head: readonly StyledLine[],
  foot: readonly StyledLine[],
  rest: string,
): readonly StyledLine[] {
  const content = contentField(request, look, PLAIN);
  const before = askedFields(request, look).flatMap((field) => drawnField(field, MAX_ROW_LENGTH, rest).lines);
  const behind = [...leftOutFields(request), ...reachFields(request)].flatMap(
    (field) => drawnField(field, MAX_ROW_LENGTH, rest).lines,
  );
  const room = MAX_UNITS - unitsOf([...head, ...before, ...behind, ...foot]) - 1;
  const { lines } = manyLines(content.label, content.text, room, rest);
  return [...head, ...before, ...lines, ...behind, ...foot];
}

function fieldsOf(request: ApprovalRequest, look: PreviewState): readonly Field[] {
  return [
    ...askedFields(request, look),
    contentField(request, look, PLAIN),
    ...leftOutFields(request),
    ...reachFields(request),
  ];
}

function drawnField({ label, text, manner }: Field, max: number, rest: string): ForeignText {
  return manner === "line" ? oneLine(label, text, max) : manyLines(label, text, max, rest);
}

/** The whole text of a session approval; null if none is offered or no message can hold it. */
function coversLines(covers: string | null): readonly StyledLine[] | null {
  if (covers === null || covers.length > MAX_UNITS) return null;
  const { lines, isWhole } = manyLines("approval for this session covers", covers, MAX_UNITS, "");
  return isWhole ? lines : null;
}

/** The whole text of the approvals for more than this call; null if no message can hold it. */
function offersLines(request: ApprovalRequest): readonly StyledLine[] | null {
  const drawn = offerFields(request).map((field) => drawnField(field, MAX_UNITS, ""));
  return drawn.every(({ isWhole }) => isWhole) ? drawn.flatMap(({ lines }) => lines) : null;
}

function timeLines({ expiresAt }: ApprovalRequest, now: number): readonly StyledLine[] {
  if (expiresAt === null) return [];
  return [[bold("time left:"), plain(` ${timeLeft(expiresAt, now)}, until ${timeText(expiresAt)}`)]];
}

/** A point in time, to the minute. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** The whole request as text; null if it is too long to be sent. */
function documentText(request: ApprovalRequest, whole: readonly StyledLine[] | null): string | null {
  if (whole === null) return null;
  const covers = request.covers;
  const more =
    covers === null || covers.length > MAX_IN_DOCUMENT
      ? []
      : oneLine("approval for this session would cover", covers, MAX_IN_DOCUMENT).lines;
  return `${styledText([...whole, ...more]).text}\n`;
}
