import { CofferdamError, visible } from "../errors.ts";
import { Event } from "../event/event.ts";
import { namesIn } from "../host/names-in.ts";
import { statsOf } from "../host/nodes.ts";
import { codeOf } from "../host/system-error.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import { openedLine } from "./chain.ts";
import { linesOf } from "./lines.ts";

/** One file of a run's record; the first has the number 1. */
export interface Segment {
  readonly number: number;
  readonly file: AbsolutePath;
}

/** Where a file of a record stands: `RUN.jsonl`, `RUN.jsonl.000002`, …: `cat RUN.jsonl*` is the record in its order. */
export function segmentFile(folder: AbsolutePath, runId: string, number: number): AbsolutePath {
  const behind = number === 1 ? "" : `.${String(number).padStart(6, "0")}`;
  return joinPath(folder, `${runId}.jsonl${behind}`);
}

/** What stands in a folder of one run. */
export interface FiledRun {
  readonly run: string;
  /** In their order; there may be gaps. */
  readonly segments: readonly Segment[];
  /** When one of them was last written to, in milliseconds since 1970. */
  readonly writtenMs: number;
}

/** Every record in a folder, the one that was written to last first. What is no plain file is no record. */
export function filedRuns(folder: AbsolutePath): readonly FiledRun[] {
  const found = namesIn(folder).flatMap((name) => {
    const place = placeOf(name);
    const file = place === null ? null : joinPath(folder, name);
    const stats = file === null ? null : statsOf(file);
    if (place === null || file === null || stats?.isFile() !== true) return [];
    return [{ run: place.run, number: place.number, file, ms: stats.mtimeMs }];
  });
  return [...Map.groupBy(found, ({ run }) => run)]
    .map(([run, segments]) => ({
      run,
      segments: inOrder(segments),
      writtenMs: segments.reduce((latest, { ms }) => Math.max(latest, ms), 0),
    }))
    .sort((a, b) => b.writtenMs - a.writtenMs);
}

/** The ids of recorded runs, latest first. */
export function recordedRuns(folder: AbsolutePath): readonly string[] {
  return filedRuns(folder).map(({ run }) => run);
}

/** What was recorded of one run. */
export interface Recorded {
  readonly events: readonly Event[];
  /** Why the record ends before its files do, or null: `cut off` when a supervisor died while it wrote the last line. */
  readonly problem: string | null;
}

/**
 * The events of one run, up to the first line that is none, or is missing with its file. Whether anybody changed them is
 * another question: `verifyRun`. Throws `USAGE` when there is no such run.
 */
export function readRun(folder: AbsolutePath, runId: string): Recorded {
  return withSegments(folder, runId, (segments) => {
    const events: Event[] = [];
    const [first = { number: 1 }] = segments;
    for (const [index, { number, file }] of segments.entries()) {
      const expected = first.number + index;
      if (number !== expected) return { events, problem: `file ${expected} of it is missing` };
      const problem = readInto(events, file);
      if (problem === null) continue;
      const isCut = problem === CUT && index === segments.length - 1;
      return { events, problem: isCut || number === 1 ? problem : `${problem}, in file ${number} of it` };
    }
    return { events, problem: null };
  });
}

const CUT = "cut off";

/** Adds the events of a file; says why it ends before its end, or null. */
function readInto(events: Event[], file: AbsolutePath): string | null {
  let number = 0;
  try {
    for (const { bytes, kind } of linesOf(file)) {
      number += 1;
      if (kind === "cut") return CUT;
      const event = kind === "whole" ? eventIn(bytes) : null;
      if (event === null) return `line ${number} is no event`;
      events.push(event);
    }
    return null;
  } catch (cause) {
    if (isGone(cause)) throw cause;
    return `line ${number + 1} can't be read: ${codeOf(cause)}`;
  }
}

/** The event that a line says, with a hash or without; null when it says none. */
export function eventIn(line: Buffer): Event | null {
  const read = Event.safeParse(parsed(openedLine(line)?.text ?? line));
  return read.success ? read.data : null;
}

/** How often a record is looked up anew when files of it go while it is read. */
const TRIES = 5;

/**
 * Reads the files of one run, in their order. When one is removed meanwhile, as those that are too old are, it begins
 * again with what is left. Throws `USAGE` when there is no such run.
 */
export function withSegments<Read>(
  folder: AbsolutePath,
  runId: string,
  read: (segments: readonly Segment[]) => Read,
): Read {
  for (let tries = 1; ; tries += 1) {
    const segments = segmentsOf(folder, runId);
    if (segments.length === 0)
      throw new CofferdamError("USAGE", `there is no run ${visible(runId)}`, {
        hint: "run `cofferdam journal show` for the latest one",
      });
    try {
      return read(segments);
    } catch (cause) {
      if (!isGone(cause) || tries === TRIES) throw cause;
    }
  }
}

/** True for what is thrown of a file that is not there, or no more. */
export function isGone(cause: unknown): boolean {
  return codeOf(cause) === "ENOENT";
}

function segmentsOf(folder: AbsolutePath, runId: string): readonly Segment[] {
  return inOrder(
    namesIn(folder).flatMap((name) => {
      const place = placeOf(name);
      if (place?.run !== runId) return [];
      const file = joinPath(folder, name);
      return statsOf(file)?.isFile() === true ? [{ number: place.number, file }] : [];
    }),
  );
}

/** True for the name of a file of a record. */
export function isSegmentName(name: string): boolean {
  return placeOf(name) !== null;
}

/** Which file of which run has this name; null for any other name. No name can be read in two ways. */
function placeOf(name: string): { readonly run: string; readonly number: number } | null {
  const [, run, digits] = /^(.+)\.jsonl(?:\.(\d{6,15}))?$/.exec(name) ?? [];
  if (run === undefined) return null;
  const number = digits === undefined ? 1 : Number(digits);
  const isOurs = digits === undefined || (number > 1 && String(number).padStart(6, "0") === digits);
  return isOurs ? { run, number } : null;
}

function inOrder(segments: readonly Segment[]): readonly Segment[] {
  return segments.map(({ number, file }) => ({ number, file })).sort((a, b) => a.number - b.number);
}

function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text));
  } catch {
    return null;
  }
}
