import { isShownWhole } from "../policy/redactions.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import type { Ink } from "./ink.ts";
import {
  askedFields,
  contentField,
  type Field,
  type Look,
  leftOutFields,
  reachFields,
} from "./request-text.ts";
import { allRows, GUTTER_COLUMNS, oneRow, ownRows } from "./rows.ts";
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
}

/** A question as it stands on the screen, and which answers it offers. */
export interface QuestionText {
  readonly rows: readonly string[];
  /** A yes for the session can be given: what it covers is on the screen, whole. */
  readonly offersSession: boolean;
  /** All that waits can be answered by one yes: all of it is on the screen, whole. */
  readonly offersAll: boolean;
}

/** More than this is not shown at first. */
const AT_FIRST = { lines: 50, characters: 2000 } as const;
/** The same for a text under a short label. */
const FIELD_CHARACTERS = 400;
const LABEL_COLUMNS = 10;
/** Where labels and text have no room beside each other, labels get rows of their own. */
const NARROW = 48;
/** Nothing can be drawn in fewer columns. */
const FEWEST_COLUMNS = 20;

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
  const width = Math.max(FEWEST_COLUMNS, size.columns);
  const asked = askedRows(current, width, now, ink);
  const session = sessionRows(current.request, width, ink);
  const keysWith = (offersAll: boolean): readonly string[] =>
    keyRows(waiting.length, session !== null, offersAll, width, ink);
  const draw = (list: readonly string[], offersAll: boolean): readonly string[] => [
    ...list,
    ...(list.length === 0 ? [] : [""]),
    ...asked.rows,
    ...(session === null ? [] : ["", ...session]),
    "",
    ...keysWith(offersAll),
  ];
  const wholeList = waiting.length > 1 && asked.isWhole ? listRowsWhole(waiting, current, width, ink) : null;
  const whole = wholeList === null ? null : draw(wholeList, true);
  if (whole !== null && whole.length < size.rows)
    return { rows: whole, offersSession: session !== null, offersAll: true };
  const rows = draw(listRows(waiting, current, width, ink), false);
  return { rows, offersSession: session !== null, offersAll: false };
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

interface Rows {
  readonly rows: readonly string[];
  readonly isWhole: boolean;
}

function askedRows({ request, look }: Asked, width: number, now: number, ink: Ink): Rows {
  const asked = askedFields(request, look).map((field) => fieldRows(field, width, ink));
  const content = contentRows(contentField(request, look, ink), width, ink);
  const rest = [...leftOutFields(request), ...reachFields(request)].map((field) =>
    fieldRows(field, width, ink),
  );
  const isLookWhole = look.kind === "made" && look.presentation.fullContent === undefined;
  return {
    rows: [
      ...ownRows(["cofferdam asks:", "this call needs", "your yes"], width, " ").map(ink.warn),
      ...asked.flatMap((one) => one.rows),
      ...timeRows(request, width, now, ink),
      "",
      ...content.rows,
      "",
      ...rest.flatMap((one) => one.rows),
    ],
    isWhole:
      isShownWhole(request.redactions) &&
      (isLookWhole || look.kind === "failed") &&
      [...asked, content, ...rest].every((one) => one.isWhole),
  };
}

/** A text beside its label, or below it where there is little room. */
function fieldRows(field: Field, width: number, ink: Ink): Rows {
  const shown = field.text.length <= FIELD_CHARACTERS ? field.text : wholeStart(field.text, FIELD_CHARACTERS);
  const left = field.text.length - shown.length;
  const isNarrow = width < NARROW;
  const indent = isNarrow ? 0 : LABEL_COLUMNS;
  const rows = allRows({ ...field, text: shown }, width - indent, ink);
  const more = left === 0 ? [] : moreRows(`${left} more characters`, width, ink);
  const labels = isNarrow ? ownRows(field.label.split(" "), width, " ").map(ink.bold) : [];
  const beside = rows.map(
    (row, index) => `${ink.bold((isNarrow || index > 0 ? "" : field.label).padEnd(indent))}${row}`,
  );
  return { rows: [...labels, ...beside, ...more], isWhole: left === 0 };
}

function contentRows(field: Field, width: number, ink: Ink): Rows {
  const { shown, left } = cutContent(field.text);
  return {
    rows: [
      ...ownRows(field.label.split(" "), width, " ").map(ink.bold),
      ...allRows({ ...field, text: shown }, width, ink),
      ...(left === null ? [] : moreRows(left, width, ink)),
    ],
    isWhole: left === null,
  };
}

function timeRows({ expiresAt }: ApprovalRequest, width: number, now: number, ink: Ink): readonly string[] {
  if (expiresAt === null) return [];
  const minutes = Math.max(0, Math.ceil((expiresAt - now) / 60_000));
  const words = minutes === 1 ? "1 minute" : `${minutes} minutes`;
  return fieldRows({ label: "time left", text: words, manner: "line" }, width, ink).rows;
}

/** What a yes for the session covers, whole; null when there is no such yes, or no room for it. */
function sessionRows({ covers }: ApprovalRequest, width: number, ink: Ink): readonly string[] | null {
  if (covers === null || cutContent(covers).left !== null) return null;
  return [
    ...ownRows("[s] yes, for this session, to all of".split(" "), width, " ").map(ink.bold),
    ...allRows({ text: covers, manner: "lines" }, width, ink),
  ];
}

function headerRows(waiting: readonly Asked[], current: Asked, width: number, ink: Ink): readonly string[] {
  if (waiting.length < 2) return [];
  const words = `cofferdam: ${waiting.indexOf(current) + 1} of ${waiting.length} waiting`;
  return ownRows(words.split(" "), width, " ").map(ink.warn);
}

/** The others that wait, a row each: as many as digits can pick. */
function listRows(waiting: readonly Asked[], current: Asked, width: number, ink: Ink): readonly string[] {
  const MOST = 9;
  const others = waiting.slice(0, MOST).flatMap((one, index) => (one === current ? [] : [{ one, index }]));
  const rest = waiting.length - MOST;
  return [
    ...headerRows(waiting, current, width, ink),
    ...others.map(({ one, index }) => otherRow(one, index, width, ink)),
    ...(rest > 0 ? ownRows(["…", "and", `${rest}`, "more"], width, " ").map(ink.dim) : []),
  ];
}

/** The same with all that the others would do; null when one of them can't be shown whole. */
function listRowsWhole(
  waiting: readonly Asked[],
  current: Asked,
  width: number,
  ink: Ink,
): readonly string[] | null {
  const rows: string[] = [...headerRows(waiting, current, width, ink)];
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
  offersSession: boolean,
  offersAll: boolean,
  width: number,
  ink: Ink,
): readonly string[] {
  const keys = [
    "[y] yes, once",
    ...(offersSession ? ["[s] yes, for this session"] : []),
    "[n] no",
    "[v] view all",
    "[w] why",
    "[g] grants",
    ...(offersAll ? [`[A] yes to all ${count}`] : []),
    ...(count > 1 ? [`[N] no to all ${count}`, "[1-9] another"] : []),
  ];
  const oneByOne = count > 1 && !offersAll ? "look at them one by one: not all are on the screen, whole" : "";
  return [
    ...ownRows(oneByOne.split(" "), width, " ").map(ink.dim),
    ...ownRows(keys.flatMap(fitting(width)), width),
  ];
}

/** Keys whose words do not fit in a row stand in several. */
function fitting(width: number): (key: string) => readonly string[] {
  return (key) => ownRows(key.split(" "), width, " ");
}

function moreRows(left: string, width: number, ink: Ink): readonly string[] {
  return ownRows(`… ${left}: [v] shows all`.split(" "), width, " ").map(ink.dim);
}

/** The beginning of a content, and how much is left in words. */
function cutContent(text: string): { readonly shown: string; readonly left: string | null } {
  let end = wholeStart(text, AT_FIRST.characters).length;
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) {
    lines += 1;
    if (lines === AT_FIRST.lines) end = at;
  }
  if (end >= text.length) return { shown: text, left: null };
  const rest = text.slice(end);
  const more = rest.split("\n").length - 1;
  const left =
    more === 0 ? `${count(rest.length)} more characters` : `${count(more)} more line${more === 1 ? "" : "s"}`;
  return { shown: text.slice(0, end), left };
}

function count(of: number): string {
  return of.toLocaleString("en");
}

/** The first characters of a text, none of them cut in half. */
function wholeStart(text: string, most: number): string {
  const isInHalf = (text.codePointAt(most - 1) ?? 0) > 0xffff;
  return text.slice(0, isInHalf ? most - 1 : most);
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
