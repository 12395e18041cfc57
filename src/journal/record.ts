import { CofferdamError, visible } from "../errors.ts";
import { Event } from "../event/event.ts";
import { namesIn } from "../host/look/names-in.ts";
import { statsOf } from "../host/look/nodes.ts";
import { orNull } from "../host/or-null.ts";
import { codeOf } from "../host/system-error.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import { openedLine } from "./chain.ts";
import { linesOf } from "./lines.ts";

/** One file of a run's record; the first has the number 1. */
export interface RecordSegment {
  readonly number: number;
  readonly file: AbsolutePath;
}

/** The path of a record's file: `RUN.jsonl`, `RUN.jsonl.000002`, …: `cat RUN.jsonl*` is the record in its order. */
export function segmentFile(folder: AbsolutePath, runId: string, number: number): AbsolutePath {
  const behind = number === 1 ? "" : `.${String(number).padStart(6, "0")}`;
  return joinPath(folder, `${runId}.jsonl${behind}`);
}

/** The files of one run in a folder. */
export interface FiledRun {
  readonly run: string;
  /** In order; there may be gaps. */
  readonly segments: readonly RecordSegment[];
  /** Time of the last write to one of them, in milliseconds since 1970. */
  readonly writtenMs: number;
}

/** Every record in a folder, the last written first. Only plain files count. */
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

/** The record of one run. */
export interface Recorded {
  readonly events: readonly Event[];
  /** Why the record ends before its files do, or null: `cut off` if a supervisor died while writing the last line. */
  readonly problem: string | null;
}

/** The events of one run up to the first bad line; `verifyRun` checks changes. Throws `USAGE` for an unknown run. */
export function readRun(folder: AbsolutePath, runId: string): Recorded {
  return withSegments(folder, runId, (segments) => {
    const events: Event[] = [];
    const [first = { number: 1 }] = segments;
    for (const [index, { number, file }] of segments.entries()) {
      const expected = first.number + index;
      if (number !== expected) return { events, problem: `file ${expected} of the record is missing` };
      const problem = readInto(events, file);
      if (problem === null) continue;
      const isCut = problem === CUT && index === segments.length - 1;
      return {
        events,
        problem: isCut || number === 1 ? problem : `${problem}, in file ${number} of the record`,
      };
    }
    return { events, problem: null };
  });
}

const CUT = "cut off";

/** Adds the events of a file; returns the reason if it ends early, or null. */
function readInto(events: Event[], file: AbsolutePath): string | null {
  let number = 0;
  try {
    for (const { bytes, kind } of linesOf(file)) {
      number += 1;
      if (kind === "cut") return CUT;
      const event = kind === "whole" ? eventIn(bytes) : null;
      if (event === null) return `line ${number} is not an event`;
      events.push(event);
    }
    return null;
  } catch (cause) {
    if (isGone(cause)) throw cause;
    return `line ${number + 1} can't be read: ${codeOf(cause)}`;
  }
}

/** The event in a line, with a hash or without; null for an invalid line. */
export function eventIn(line: Buffer): Event | null {
  const read = Event.safeParse(parsed(openedLine(line)?.text ?? line));
  return read.success ? read.data : null;
}

const TRIES = 5;

/** Reads the files of a run in order; begins again if one is removed for its age. Throws `USAGE` for an unknown run. */
export function withSegments<Read>(
  folder: AbsolutePath,
  runId: string,
  read: (segments: readonly RecordSegment[]) => Read,
): Read {
  for (let tries = 1; ; tries += 1) {
    const segments = segmentsOf(folder, runId);
    if (segments.length === 0)
      throw new CofferdamError("USAGE", `no run has the id ${visible(runId)}`, {
        hint: "run `cofferdam journal show` for the latest run",
      });
    try {
      return read(segments);
    } catch (cause) {
      if (!isGone(cause) || tries === TRIES) throw cause;
    }
  }
}

/** True for the error of a file that does not exist, or no longer. */
export function isGone(cause: unknown): boolean {
  return codeOf(cause) === "ENOENT";
}

function segmentsOf(folder: AbsolutePath, runId: string): readonly RecordSegment[] {
  return inOrder(
    namesIn(folder).flatMap((name) => {
      const place = placeOf(name);
      if (place?.run !== runId) return [];
      const file = joinPath(folder, name);
      return statsOf(file)?.isFile() === true ? [{ number: place.number, file }] : [];
    }),
  );
}

/** True for the name of a record's file. */
export function isSegmentName(name: string): boolean {
  return placeOf(name) !== null;
}

/** The run and the number in a file's name; null for any other name. No name is ambiguous. */
function placeOf(name: string): { readonly run: string; readonly number: number } | null {
  const [, run, digits] = /^(.+)\.jsonl(?:\.(\d{6,15}))?$/.exec(name) ?? [];
  if (run === undefined) return null;
  const number = digits === undefined ? 1 : Number(digits);
  const isOurs = digits === undefined || (number > 1 && String(number).padStart(6, "0") === digits);
  return isOurs ? { run, number } : null;
}

function inOrder(segments: readonly RecordSegment[]): readonly RecordSegment[] {
  return segments.map(({ number, file }) => ({ number, file })).sort((a, b) => a.number - b.number);
}

function parsed(text: Buffer): unknown {
  return orNull((): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text)));
}
