import type { ApprovalRequest } from "../../policy/request.ts";
import { manyLines, oneLine, type Shown } from "../foreign-text.ts";
import { PLAIN } from "../ink.ts";
import {
  askedFields,
  contentField,
  type Field,
  type Look,
  leftOutFields,
  reachFields,
} from "../request-text.ts";
import { bold, type Line, plain, type StyledText, styledText, unitsOf } from "../styled-text.ts";
import { timeLeft } from "../time-left.ts";

/** A message holds so many UTF-16 units, and one at least (https://core.telegram.org/bots/api#sendmessage). */
const MOST_UNITS = 4096;
/** Where not all fits, so much is shown of a text in one row. */
const MOST_OF_A_ROW = 120;
/** A request of more characters than this can be seen whole elsewhere only. */
const MOST_IN_DOCUMENT = 100_000;

/** A question as it is put to a chat. */
export interface QuestionMessage extends StyledText {
  /** All of it, where the message leaves something out; sent before it. */
  readonly document: string | null;
  /** A yes can be given: all of it is in the message, or in the document. */
  readonly offersOnce: boolean;
  /** A yes for the session can be given: the message shows all, and with it what that covers. */
  readonly offersSession: boolean;
}

/**
 * The message that asks about a request. Words of ours stand at the beginning of each row, what comes from a tool or a
 * model behind a label of ours or behind a bar, made visible. Where something is left out, it says so.
 */
export function questionMessage(request: ApprovalRequest, look: Look, now: number): QuestionMessage {
  const head = [HEADLINE];
  const time = timeLines(request, now);
  const whole = wholeFields(request, look);
  const covers = coversLines(request.covers);
  const tail = [...time, HINT];
  const fits = (lines: readonly Line[]): boolean => unitsOf(lines) <= MOST_UNITS;

  const all = whole === null ? null : [...head, ...whole, ...(covers ?? []), ...tail];
  if (all !== null && fits(all))
    return { ...styledText(all), document: null, offersOnce: true, offersSession: covers !== null };
  const withoutSession = covers === null ? [] : [NOT_FOR_SESSION];
  const almost = whole === null ? null : [...head, ...whole, ...withoutSession, ...tail];
  if (almost !== null && fits(almost))
    return { ...styledText(almost), document: null, offersOnce: true, offersSession: false };

  const document = documentText(request, whole);
  const rest = document === null ? "" : ": all of it is in the document above";
  const foot = [...(document === null ? [NOT_HERE] : []), ...withoutSession, ...tail];
  const lines = fitted(request, look, head, foot, rest);
  return { ...styledText(lines), document, offersOnce: document !== null, offersSession: false };
}

/** What a question becomes when it is over: what came of it, and what was asked, as far as it fits. */
export function overMessage(request: ApprovalRequest, look: Look, outcome: readonly Line[]): StyledText {
  const whole = wholeFields(request, look);
  const all = whole === null ? null : [...outcome, [], ...whole];
  if (all !== null && unitsOf(all) <= MOST_UNITS) return styledText(all);
  return styledText(fitted(request, look, [...outcome, []], [], ""));
}

const HEADLINE: Line = [bold("cofferdam asks: this call needs your yes")];
const HINT: Line = [plain('To say why not, reply to this message: "no: …"')];
const NOT_FOR_SESSION: Line = [
  plain("Yes for the session is not offered: what it would cover is too long to be shown here."),
];
const NOT_HERE: Line = [
  plain("Yes is not offered: this is too long to be shown here. It can be answered where it is shown whole."),
];

/** Every field, none cut; null where that is more than any message or document holds. */
function wholeFields(request: ApprovalRequest, look: Look): readonly Line[] | null {
  const lines: Line[] = [];
  let left = MOST_IN_DOCUMENT;
  for (const field of fieldsOf(request, look)) {
    // What has more characters than there is room for need not be drawn to know that.
    if (field.text.length > left) return null;
    const { lines: drawn, isWhole } = drawnField(field, left, "");
    if (!isWhole) return null;
    left -= unitsOf(drawn);
    lines.push(...drawn);
  }
  return lines;
}

/** The fields, cut so that they fit with what stands before and behind them: the content has what the others leave. */
function fitted(
  request: ApprovalRequest,
  look: Look,
  head: readonly Line[],
  foot: readonly Line[],
  rest: string,
): readonly Line[] {
  const content = contentField(request, look, PLAIN);
  const before = askedFields(request, look).flatMap((field) => drawnField(field, MOST_OF_A_ROW, rest).lines);
  const behind = [...leftOutFields(request), ...reachFields(request)].flatMap(
    (field) => drawnField(field, MOST_OF_A_ROW, rest).lines,
  );
  const room = MOST_UNITS - unitsOf([...head, ...before, ...behind, ...foot]) - 1;
  const { lines } = manyLines(content.label, content.text, room, rest);
  return [...head, ...before, ...lines, ...behind, ...foot];
}

function fieldsOf(request: ApprovalRequest, look: Look): readonly Field[] {
  return [
    ...askedFields(request, look),
    contentField(request, look, PLAIN),
    ...leftOutFields(request),
    ...reachFields(request),
  ];
}

function drawnField({ label, text, manner }: Field, most: number, rest: string): Shown {
  return manner === "line" ? oneLine(label, text, most) : manyLines(label, text, most, rest);
}

/** What a yes for the session covers, whole; null where there is no such yes, or it is longer than any message. */
function coversLines(covers: string | null): readonly Line[] | null {
  if (covers === null || covers.length > MOST_UNITS) return null;
  const { lines, isWhole } = manyLines("for this session, yes covers", covers, MOST_UNITS, "");
  return isWhole ? lines : null;
}

function timeLines({ expiresAt }: ApprovalRequest, now: number): readonly Line[] {
  if (expiresAt === null) return [];
  return [[bold("time left:"), plain(` ${timeLeft(expiresAt, now)}, until ${timeText(expiresAt)}`)]];
}

/** A point in time, to the minute. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** All there is to see, as text; null where it is too long to be sent. */
function documentText(request: ApprovalRequest, whole: readonly Line[] | null): string | null {
  if (whole === null) return null;
  const covers = request.covers;
  const more =
    covers === null || covers.length > MOST_IN_DOCUMENT
      ? []
      : oneLine("a yes for this session would cover", covers, MOST_IN_DOCUMENT).lines;
  return `${styledText([...whole, ...more]).text}\n`;
}
