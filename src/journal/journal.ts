import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { CofferdamError, visible } from "../errors.ts";
import { Event } from "../event/event.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";

/** Where events go. An event is written before the effect that it announces. */
export interface Journal extends Disposable {
  write(event: Event): void;
}

/** Keeps events in memory, for tests and for callers that store them elsewhere. */
export class MemoryJournal implements Journal {
  readonly events: Event[] = [];

  write(event: Event): void {
    this.events.push(event);
  }

  [Symbol.dispose](): void {
    this.events.length = 0;
  }
}

/**
 * Appends events to one file per run, one JSON line each, readable by the caller alone. The file is made by the first
 * event. A line that can't be written throws: what can't be recorded must not happen.
 */
export class FileJournal implements Journal {
  readonly #file: AbsolutePath;
  #fd: number | null = null;

  constructor(folder: AbsolutePath, runId: string) {
    this.#file = joinPath(folder, `${runId}.jsonl`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  write(event: Event): void {
    this.#fd ??= openSync(this.#file, "ax", 0o600);
    // One `write` may take a part of a line (write(2)); this goes on until it is whole, or throws.
    writeFileSync(this.#fd, `${JSON.stringify(event)}\n`);
  }

  [Symbol.dispose](): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }
}

/** The folder that journals stand in. */
export function journalFolder(stateFolder: AbsolutePath): AbsolutePath {
  return joinPath(stateFolder, "journal");
}

/** The ids of recorded runs, latest first. */
export function recordedRuns(folder: AbsolutePath): readonly string[] {
  const names = readNames(folder).filter((name) => name.endsWith(".jsonl"));
  const dated = names.map((name) => ({
    run: name.slice(0, -".jsonl".length),
    ms: statSync(joinPath(folder, name)).mtimeMs,
  }));
  return dated.sort((a, b) => b.ms - a.ms).map((one) => one.run);
}

/** The events of one run. Throws `USAGE` when there is no such run or a line is no event. */
export function readRun(folder: AbsolutePath, runId: string): readonly Event[] {
  const lines = readLines(folder, runId);
  return lines.map((line, index) => {
    const read = Event.safeParse(parseLine(line));
    if (read.success) return read.data;
    throw new CofferdamError("USAGE", `line ${index + 1} of run ${visible(runId)} is no event`, {
      hint: "the journal was changed or cut off",
    });
  });
}

function readNames(folder: AbsolutePath): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readLines(folder: AbsolutePath, runId: string): readonly string[] {
  if (!readNames(folder).includes(`${runId}.jsonl`)) {
    throw new CofferdamError("USAGE", `there is no run ${visible(runId)}`, {
      hint: "run `cofferdam journal show` for the latest one",
    });
  }
  return readFileSync(joinPath(folder, `${runId}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
