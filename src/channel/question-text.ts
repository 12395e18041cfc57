import { isShownWhole } from "../policy/redactions.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { type ContentRows, contentRows, fieldRows, isShort, wholeFieldRows } from "./field-rows.ts";
import type { Ink } from "./ink.ts";
import type { Offers } from "./offers.ts";
import { askedFields, contentField, type Look, leftOutFields, reachFields } from "./request-text.ts";
import { GUTTER_COLUMNS, oneRow, ownRows } from "./rows.ts";
import { timeLeft } from "./time-left.ts";
import { columnsOf } from "./visible-unit.ts";

/** The columns and rows of a terminal. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** One question that waits for its answer. */
export interface Asked {
  readonly request: ApprovalRequest;
  readonly look: Look;
  /** The person has been through all pages of it. */
  readonly isSeen: boolean;
}

/** A question as it stands on the screen, and which answers it offers. */
export interface QuestionText extends Offers {
  readonly rows: readonly string[];
}

/** Nothing can be drawn in fewer columns. */
const FEWEST_COLUMNS = 20;
/** Where there is no room for more, so much of the content is shown: its label, two rows, and what is missing. */
const FEWEST_CONTENT_ROWS = 4;

/**
 * What a person reads before they answer: the list of all that waits, the question whose turn it is, and the keys. Rows
 * are at most as wide as the terminal; text of a request stands behind a gutter, words of ours never do.
 */
export function questionText(
  waiting: readonly Asked[],
  current: Asked,
  size: Size,
  now: number,
  ink: Ink,
): QuestionText {
  const width = widthOf(size);
  const asked = askedRows(current, width, now, ink);
  const session = sessionRows(current.request, width, ink);
  const room = size.columns < FEWEST_COLUMNS ? 0 : size.rows - 1;
  const draw = (list: readonly string[], offered: Offered): QuestionText => {
    const make = (mostContentRows: number, offersOnce: boolean): readonly string[] =>
      fitted(
        [
          ...list,
          ...(list.length === 0 ? [] : [""]),
          ...headlineRows(waiting, current, width, ink),
          ...asked.before,
          "",
          ...asked.content.cutTo(mostContentRows),
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
    const most = surplus <= 0 ? content : Math.max(FEWEST_CONTENT_ROWS, content - surplus);
    const isFit = make(most, true).length <= room;
    const offersOnce = isFit || current.isSeen;
    return {
      rows: make(most, offersOnce),
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

/** Which answers are offered besides no. */
interface Offered {
  readonly session: boolean;
  readonly all: boolean;
}

function widthOf({ columns }: Size): number {
  return Math.max(FEWEST_COLUMNS, columns);
}

/** The rows without the empty ones between them, where there are too many for the screen. */
function fitted(rows: readonly string[], size: Size): readonly string[] {
  return rows.length < size.rows ? rows : rows.filter((row) => row !== "");
}

/** What became of a question: words of ours, and which call it was; in one row, where there is room for it. */
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

/** What is asked, in parts; `isWhole` when nothing of it was hidden or cut. */
interface AskedRows {
  readonly before: readonly string[];
  readonly content: ContentRows;
  readonly behind: readonly string[];
  readonly isWhole: boolean;
}

function askedRows({ request, look }: Asked, width: number, now: number, ink: Ink): AskedRows {
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

/** What a yes for the session covers, whole; null when there is no such yes, or no room for it. */
function sessionRows({ covers }: ApprovalRequest, width: number, ink: Ink): readonly string[] | null {
  if (covers === null || !isShort(covers)) return null;
  return wholeFieldRows({ label: "[s] covers", text: covers, manner: "lines" }, width, ink);
}

function headlineRows(waiting: readonly Asked[], current: Asked, width: number, ink: Ink): readonly string[] {
  const place = `${waiting.indexOf(current) + 1} of ${waiting.length} waiting`;
  const words = waiting.length < 2 ? "cofferdam asks" : `cofferdam asks, ${place}`;
  return ownRows(`${words}: this call needs your yes`.split(" "), width, " ").map(ink.warn);
}

/** The others that wait, a row each: as many as digits can pick. */
function listRows(waiting: readonly Asked[], current: Asked, width: number, ink: Ink): readonly string[] {
  const MOST = 9;
  const others = waiting.slice(0, MOST).flatMap((one, index) => (one === current ? [] : [{ one, index }]));
  const rest = waiting.slice(MOST).filter((one) => one !== current).length;
  return [
    ...others.map(({ one, index }) => otherRow(one, index, width, ink)),
    ...(rest > 0 ? ownRows(["…", "and", `${rest}`, "more"], width, " ").map(ink.dim) : []),
  ];
}

/** The same with all that the others would do; null when they can't be shown whole, or not on this screen. */
function listRowsWhole(
  waiting: readonly Asked[],
  current: Asked,
  size: Size,
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

function otherRow({ request }: Asked, index: number, width: number, ink: Ink): string {
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
    "[v] view all",
    "[w] why",
    "[g] grants",
    ...(offersAll ? [`[A] yes to all ${count}`] : []),
    ...(count > 1 ? [`[N] no to all ${count}`, "[1-9] another"] : []),
  ];
  const oneByOne = count > 1 && !offersAll ? "look at them one by one: not all are on the screen, whole" : "";
  const tooSmall = offersOnce ? "" : "it does not fit on this screen: view all of it, then answer";
  return [
    ...ownRows(tooSmall.split(" "), width, " ").map(ink.warn),
    ...ownRows(oneByOne.split(" "), width, " ").map(ink.dim),
    ...ownRows(keys.flatMap(fitting(width)), width),
  ];
}

/** Keys whose words do not fit in a row stand in several. */
function fitting(width: number): (key: string) => readonly string[] {
  return (key) => ownRows(key.split(" "), width, " ");
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
