import { columns, indented } from "../channel/columns.ts";
import type { Ink } from "../channel/ink.ts";
import { escapeInvisible, visible } from "../errors.ts";
import type { HeldContent, HeldEntry } from "../host/launch/quarantine/content.ts";
import type { Settled } from "../host/launch/quarantine/quarantine.ts";
import { isHeld, type QuarantineItem, type QuarantineRecord } from "../host/launch/quarantine/record.ts";
import { printObeyed } from "../profile/executed.ts";
import { printSize } from "../profile/quantity.ts";

const SHORT = 8;
const MAX_LISTED = 100;
/** Maximum number of lines of a file that are shown, and of characters of each. */
const MAX_LINES = 200;
const MAX_CHARACTERS = 500;

/** The items in quarantine, a row for each file, link or folder: its call, its time, and the program that obeys it. */
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

/** The origin of a record, in one line. */
export function recordLine({ id, takenAt, tool, workspace }: QuarantineRecord, ink: Ink): string {
  const head = `${id}, quarantined ${timeOf(takenAt)} (UTC) after a call of ${tool} in ${visible(workspace)}`;
  return ink.bold(escapeInvisible(head));
}

/** The result for each item, and its problem if there was one. */
export function settledLines(done: string, settled: readonly Settled[], ink: Ink): readonly string[] {
  return settled.map(({ path, problem }) =>
    problem === null
      ? `${done}: ${visible(path)}`
      : `${ink.bad(`not ${done}`)}: ${visible(path)}: ${escapeInvisible(problem)}`,
  );
}

/** All details of one item; `content` is its content, as far as it can be shown. */
export function itemLines(item: QuarantineItem, content: HeldContent | null, ink: Ink): readonly string[] {
  const { path, aside, problem } = item;
  return [
    visible(path),
    ...indented([
      escapeInvisible(printObeyed(item)),
      `${sizeOf(item)}; ${STATES[item.state]}`,
      ...(isHeld(item) && aside !== null ? [`it is at ${visible(aside)}`] : []),
      ...(problem === null ? [] : [escapeInvisible(problem)]),
      ...(isHeld(item) ? indented(contentLines(content)).map(ink.dim) : []),
    ]),
  ];
}

const STATES: Readonly<Record<QuarantineItem["state"], string>> = {
  moving: "being moved to the quarantine",
  taken: "in quarantine",
  aside: "renamed in its folder",
  restoring: "being restored",
  kept: "restored",
  dropped: "deleted",
  gone: "gone",
  live: "still in place: it could not be moved",
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
  if (content === null) return ["(content cannot be shown)"];
  if (content.kind === "link") return [`link to ${visible(content.target)}`];
  if (content.kind === "folder") {
    const more = content.more === 0 ? [] : [`(and ${content.more} more)`];
    return [...content.entries.flatMap(entryLines), ...more];
  }
  const bytes = Buffer.from(content.bytes);
  if (bytes.includes(0)) return ["(not a text)"];
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
