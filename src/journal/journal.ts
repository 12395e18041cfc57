import {
  closeSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
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
 * event. A line that can't be written throws `SANDBOX_UNAVAILABLE`: what can't be recorded must not happen. What was
 * written of it is taken back, so that lines which can be written later are read.
 */
export class FileJournal implements Journal {
  readonly #file: AbsolutePath;
  #fd: number | null = null;
  #isClosed = false;

  constructor(folder: AbsolutePath, runId: string) {
    this.#file = joinPath(folder, `${runId}.jsonl`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  write(event: Event): void {
    if (this.#isClosed)
      throw new CofferdamError("SANDBOX_UNAVAILABLE", "the record is closed: its supervisor has ended", {
        hint: "make another supervisor",
      });
    try {
      this.#fd ??= openSync(this.#file, "ax", 0o600);
      appendLine(this.#fd, JSON.stringify(event));
    } catch (cause) {
      throw refused(this.#file, cause);
    }
  }

  [Symbol.dispose](): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
    this.#isClosed = true;
  }
}

/** One `write` may take a part of a line (write(2)): it goes on until all is written, or nothing of it stays. */
function appendLine(fd: number, line: string): void {
  const before = fstatSync(fd).size;
  try {
    writeFileSync(fd, `${line}\n`);
  } catch (cause) {
    ftruncateSync(fd, before);
    throw cause;
  }
}

function refused(file: AbsolutePath, cause: unknown): CofferdamError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
  return new CofferdamError("SANDBOX_UNAVAILABLE", `the record ${visible(file)} can't be written: ${code}`, {
    hint: "make room on that disk, and see that this user may write there",
    cause,
  });
}

/** The folder that journals stand in. */
export function journalFolder(stateFolder: AbsolutePath): AbsolutePath {
  return joinPath(stateFolder, "journal");
}

/** The ids of recorded runs, latest first. What is no plain file is no record. */
export function recordedRuns(folder: AbsolutePath): readonly string[] {
  const dated = readNames(folder).flatMap((name) => {
    const stats = lstatSync(joinPath(folder, name), { throwIfNoEntry: false });
    if (!name.endsWith(".jsonl") || stats?.isFile() !== true) return [];
    return [{ run: name.slice(0, -".jsonl".length), ms: stats.mtimeMs }];
  });
  return dated.sort((a, b) => b.ms - a.ms).map((one) => one.run);
}

/** What was recorded of one run. */
export interface Recorded {
  readonly events: readonly Event[];
  /** Why the record ends before its file does, or null: `cut off` when a supervisor died while it wrote the last line. */
  readonly problem: string | null;
}

/** The events of one run, up to the first line that is none. Throws `USAGE` when there is no such run. */
export function readRun(folder: AbsolutePath, runId: string): Recorded {
  const lines = readLines(folder, runId);
  const events: Event[] = [];
  for (const [index, line] of lines.entries()) {
    const read = Event.safeParse(parseLine(line));
    if (read.success) events.push(read.data);
    else return { events, problem: index === lines.length - 1 ? "cut off" : `line ${index + 1} is no event` };
  }
  return { events, problem: null };
}

function readNames(folder: AbsolutePath): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readLines(folder: AbsolutePath, runId: string): readonly string[] {
  if (!recordedRuns(folder).includes(runId)) {
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
