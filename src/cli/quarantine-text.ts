import { columns, indented } from "../channel/columns.ts";
import type { Ink } from "../channel/ink.ts";
import { escapeInvisible, visible } from "../errors.ts";
import type { HeldContent, HeldEntry } from "../host/quarantine/content.ts";
import type { Settled } from "../host/quarantine/quarantine.ts";
import { isHeld, type QuarantineItem, type QuarantineRecord } from "../host/quarantine/record.ts";
import { printObeyed } from "../profile/executed.ts";
import { printSize } from "../profile/quantity.ts";

/** So much of an id names it. */
const SHORT = 8;
/** The most things of one record that are listed. */
const MAX_LISTED = 100;
/** So many lines of a file are shown, and so many characters of each. */
const MAX_LINES = 200;
const MAX_CHARACTERS = 500;

/** What is held, a row for each file, link or folder: of which call, since when, and which program obeys it. */
export function quarantineRows(records: readonly QuarantineRecord[], ink: Ink): readonly string[] {
  const rows = records.flatMap(({ id, takenAt, tool, items }) => {
    const held = items.filter(isHeld);
    const first = [id.slice(0, SHORT), timeOf(takenAt), tool];
    const more = held.length - MAX_LISTED;
    return [
      ...held.slice(0, MAX_LISTED).map(({ path, by }) => [...first, path, `for ${by}`]),
      ...(more > 0
        ? [[...first, `and ${more} more: \`cofferdam quarantine show ${id.slice(0, SHORT)}\``]]
        : []),
    ];
  });
  return columns(rows, [ink.bold]);
}

/** What a record is of. */
export function recordLine({ id, takenAt, tool, workspace }: QuarantineRecord, ink: Ink): string {
  const head = `${id}, taken ${timeOf(takenAt)} (UTC) after a call of ${tool} in ${visible(workspace)}`;
  return ink.bold(escapeInvisible(head));
}

/** What was done with each item, and what could not be. */
export function settledLines(done: string, settled: readonly Settled[], ink: Ink): readonly string[] {
  return settled.map(({ path, problem }) =>
    problem === null
      ? `${done}: ${visible(path)}`
      : `${ink.bad(`not ${done}`)}: ${visible(path)}: ${escapeInvisible(problem)}`,
  );
}

/** All there is to know of one item; `content` is what it holds, as far as that can be shown. */
export function itemLines(item: QuarantineItem, content: HeldContent | null, ink: Ink): readonly string[] {
  const { path, aside, problem } = item;
  return [
    visible(path),
    ...indented([
      escapeInvisible(printObeyed(item)),
      `${sizeOf(item)}; ${STATES[item.state]}`,
      ...(isHeld(item) && aside !== null ? [`it lies at ${visible(aside)}`] : []),
      ...(problem === null ? [] : [escapeInvisible(problem)]),
      ...(isHeld(item) ? indented(contentLines(content)).map(ink.dim) : []),
    ]),
  ];
}

const STATES: Readonly<Record<QuarantineItem["state"], string>> = {
  moving: "it was about to be taken",
  taken: "held",
  aside: "held in its folder, under another name",
  restoring: "it was about to be given back",
  kept: "given back",
  dropped: "removed",
  gone: "it is not there any more",
  live: "it could not be taken, and is where it was",
};

function sizeOf({ kind, files, bytes, digest }: QuarantineItem): string {
  if (kind === "link") return "a link";
  if (digest === null && kind !== "file") return kind === "folder" ? "a folder" : "no file";
  const size = printSize(bytes);
  return kind === "folder"
    ? `a folder with ${files} ${files === 1 ? "file" : "files"}, ${size}`
    : `a file of ${size}`;
}

function contentLines(content: HeldContent | null): readonly string[] {
  if (content === null) return ["(its content can't be shown)"];
  if (content.kind === "link") return [`it leads to ${visible(content.target)}`];
  if (content.kind === "folder") {
    const more = content.more === 0 ? [] : [`(and ${content.more} more)`];
    return [...content.entries.flatMap(entryLines), ...more];
  }
  const bytes = Buffer.from(content.bytes);
  if (bytes.includes(0)) return ["(it is no text)"];
  const lines = bytes.toString("utf8").trimEnd().split("\n");
  const shown = lines.slice(0, MAX_LINES).map((line) => escapeInvisible(line.slice(0, MAX_CHARACTERS)));
  return lines.length > MAX_LINES ? [...shown, `(and ${lines.length - MAX_LINES} more lines)`] : shown;
}

function entryLines({ name, content }: HeldEntry): readonly string[] {
  return [visible(name), ...(name.endsWith("/") ? [] : indented(contentLines(content)))];
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace("T", " ");
}
