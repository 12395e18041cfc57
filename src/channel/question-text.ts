import { isShownWhole } from "../policy/redactions.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { type ContentRows, contentRows, fieldRows, isShort, wholeFieldRows } from "./field-rows.ts";
import type { Ink } from "./ink.ts";
import type { Offers } from "./offers.ts";
import { askedFields, contentField, leftOutFields, type PreviewState, reachFields } from "./request-text.ts";
import { GUTTER_COLUMNS, oneRow, ownRows } from "./rows.ts";
import { timeLeft } from "./time-left.ts";
import { columnsOf } from "./visible-unit.ts";

/** The columns and rows of a terminal. */
export interface TextSize {
  readonly columns: number;
  readonly rows: number;
}

/** One pending request. */
export interface TerminalRequest {
  readonly request: ApprovalRequest;
  readonly look: PreviewState;
  /** True if the person has been through all its pages. */
  readonly isSeen: boolean;
}

/** A request as drawn on the screen, and the answers that it offers. */
export interface QuestionText extends Offers {
  readonly rows: readonly string[];
}

const FEWEST_COLUMNS = 20;
/** Minimum of content rows: the label, two rows, and the note about the rest. */
const FEWEST_CONTENT_ROWS = 4;

/**
 * The text before an answer: the list of pending requests, the current request, and the keys. No row is wider than the
 * terminal. Text of a request follows a gutter; our own words never do.
 */
export function questionText(
  waiting: readonly TerminalRequest[],
  current: TerminalRequest,
  size: TextSize,
  now: number,
  ink: Ink,
): QuestionText {
  const width = widthOf(size);
  const asked = askedRows(current, width, now, ink);
  const session = sessionRows(current.request, width, ink);
  const room = size.columns < FEWEST_COLUMNS ? 0 : size.rows - 1;
  const draw = (list: readonly string[], offered: Offered): QuestionText => {
    const make = (maxContentRows: number, offersOnce: boolean): readonly string[] =>
      fitted(
        [
          ...list,
          ...(list.length === 0 ? [] : [""]),
          ...headlineRows(waiting, current, width, ink),
          ...asked.before,
          "",
          ...asked.content.cutTo(maxContentRows),
          "",
          ...asked.behind,
          ...(offered.session ? (session ?? []) : []),
          "",
          ...keyRows(waiting.length, { ...offered, once: offersOnce }, width, ink),
        ],
        size,
      );
    const content = asked.content.rows.length;
    const surplus = make(content, true).length - room;
    const max = surplus <= 0 ? content : Math.max(FEWEST_CONTENT_ROWS, content - surplus);
    const isFit = make(max, true).length <= room;
    const offersOnce = isFit || current.isSeen;
    return {
      rows: make(max, offersOnce),
      offersOnce,
      offersSession: offered.session && isFit,
      offersAll: offered.all && isFit && surplus <= 0,
    };
  };
  const wholeList = waiting.length > 1 && asked.isWhole ? listRowsWhole(waiting, current, size, ink) : null;
  const whole = wholeList === null ? null : draw(wholeList, { session: session !== null, all: true });
  if (whole?.offersAll === true) return whole;
  const list = listRows(waiting, current, width, ink);
  const withSession = draw(list, { session: session !== null, all: false });
  return withSession.offersSession ? withSession : draw(list, { session: false, all: false });
}

interface Offered {
  readonly session: boolean;
  readonly all: boolean;
}

function widthOf({ columns }: TextSize): number {
  return Math.max(FEWEST_COLUMNS, columns);
}

/** The rows, without empty rows if there are too many for the screen. */
function fitted(rows: readonly string[], size: TextSize): readonly string[] {
  return rows.length < size.rows ? rows : rows.filter((row) => row !== "");
}

/** The outcome of a request: our words and the call's name, in one row if there is room. */
export function echoRows(
  words: string,
  { tool, description }: ApprovalRequest,
  columns: number,
  ink: Ink,
): readonly string[] {
  const width = Math.max(FEWEST_COLUMNS, columns);
  const text = `${tool} ${firstLine(description)}`;
  const ours = `${words}: `;
  const room = width - columnsOf(ours);
  if (room >= FEWEST_COLUMNS) return [`${ink.bold(ours)}${oneRow(text, room, ink)}`];
  return [
    ...ownRows(ours.trimEnd().split(" "), width, " ").map(ink.bold),
    `${ink.dim("│ ")}${oneRow(text, width - GUTTER_COLUMNS, ink)}`,
  ];
}

/** The request in parts. `isWhole` is true if nothing was hidden or cut. */
interface AskedRows {
  readonly before: readonly string[];
  readonly content: ContentRows;
  readonly behind: readonly string[];
  readonly isWhole: boolean;
}

function askedRows({ request, look }: TerminalRequest, width: number, now: number, ink: Ink): AskedRows {
  const asked = askedFields(request, look).map((field) => fieldRows(field, width, ink));
  const content = contentRows(contentField(request, look, ink), width, ink);
  const rest = [...leftOutFields(request), ...reachFields(request)].map((field) =>
    fieldRows(field, width, ink),
  );
  const isLookWhole = look.kind === "made" && look.presentation.fullContent === undefined;
  return {
    before: [...asked.flatMap((one) => one.rows), ...timeRows(request, width, now, ink)],
    content,
    behind: rest.flatMap((one) => one.rows),
    isWhole:
      isShownWhole(request.redactions) &&
      (isLookWhole || look.kind === "failed") &&
      [...asked, content, ...rest].every((one) => one.isWhole),
  };
}

function timeRows({ expiresAt }: ApprovalRequest, width: number, now: number, ink: Ink): readonly string[] {
  if (expiresAt === null) return [];
  const text = timeLeft(expiresAt, now);
  return fieldRows({ label: "time left", text, manner: "line" }, width, ink).rows;
}

/** The whole text of a session approval; null if none is offered or it does not fit. */
function sessionRows({ covers }: ApprovalRequest, width: number, ink: Ink): readonly string[] | null {
  if (covers === null || !isShort(covers)) return null;
  return wholeFieldRows({ label: "[s] covers", text: covers, manner: "lines" }, width, ink);
}

function headlineRows(
  waiting: readonly TerminalRequest[],
  current: TerminalRequest,
  width: number,
  ink: Ink,
): readonly string[] {
  const place = `${waiting.indexOf(current) + 1} of ${waiting.length} waiting`;
  const words = waiting.length < 2 ? "cofferdam asks" : `cofferdam asks, ${place}`;
  return ownRows(`${words}: this call needs your approval`.split(" "), width, " ").map(ink.warn);
}

/** The other pending requests, one row each: as many as digits can pick. */
function listRows(
  waiting: readonly TerminalRequest[],
  current: TerminalRequest,
  width: number,
  ink: Ink,
): readonly string[] {
  const MOST = 9;
  const others = waiting.slice(0, MOST).flatMap((one, index) => (one === current ? [] : [{ one, index }]));
  const rest = waiting.slice(MOST).filter((one) => one !== current).length;
  return [
    ...others.map(({ one, index }) => otherRow(one, index, width, ink)),
    ...(rest > 0 ? ownRows(["…", "and", `${rest}`, "more"], width, " ").map(ink.dim) : []),
  ];
}

/** The list with everything the other calls would do; null if they cannot be shown whole on this screen. */
function listRowsWhole(
  waiting: readonly TerminalRequest[],
  current: TerminalRequest,
  size: TextSize,
  ink: Ink,
): readonly string[] | null {
  const width = widthOf(size);
  const rows: string[] = [];
  for (const [index, one] of waiting.entries()) {
    if (one === current) continue;
    const { request } = one;
    const asked = askedFields(request, one.look).map((field) => fieldRows(field, width, ink));
    const content = contentRows(contentField(request, one.look, ink), width, ink);
    const isSameReach = request.granted?.digest === current.request.granted?.digest;
    const reach = isSameReach ? [] : reachFields(request).map((field) => fieldRows(field, width, ink));
    const parts = [...asked, content, ...reach];
    const isCut = one.look.kind === "made" && one.look.presentation.fullContent !== undefined;
    if (isCut || !isShownWhole(request.redactions) || !parts.every((part) => part.isWhole)) return null;
    if (rows.length >= size.rows) return null;
    rows.push(otherRow(one, index, width, ink), ...parts.flatMap((part) => part.rows));
  }
  return rows;
}

function otherRow({ request }: TerminalRequest, index: number, width: number, ink: Ink): string {
  const label = `${index + 1}`.padEnd(2);
  const room = width - label.length - GUTTER_COLUMNS;
  const text = oneRow(`${request.tool}: ${firstLine(request.description)}`, room, ink);
  return `${ink.bold(label)}${ink.dim("│ ")}${text}`;
}

function keyRows(
  count: number,
  { once: offersOnce, session: offersSession, all: offersAll }: Offered & { readonly once: boolean },
  width: number,
  ink: Ink,
): readonly string[] {
  const keys = [
    ...(offersOnce ? ["[y] yes, once"] : []),
    ...(offersSession ? ["[s] yes, for this session"] : []),
    "[n] no",
    "[m] more answers",
    "[v] view all",
    "[w] why",
    "[g] grants",
    ...(offersAll ? [`[A] yes to all ${count}`] : []),
    ...(count > 1 ? [`[N] no to all ${count}`, "[1-9] another"] : []),
  ];
  const oneByOne = count > 1 && !offersAll ? "answer them one by one: not all of them fit on the screen" : "";
  const tooSmall = offersOnce ? "" : "it does not fit on this screen: press v to view all of it, then answer";
  return [
    ...ownRows(tooSmall.split(" "), width, " ").map(ink.warn),
    ...ownRows(oneByOne.split(" "), width, " ").map(ink.dim),
    ...ownRows(
      keys.flatMap((key) => ownRows(key.split(" "), width, " ")),
      width,
    ),
  ];
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
