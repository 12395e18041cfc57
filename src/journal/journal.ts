import { mkdirSync } from "node:fs";
import { CofferdamError, visible } from "../errors.ts";
import type { Event } from "../event/event.ts";
import { codeOf } from "../host/system-error.ts";
import { jsonText } from "../policy/spelled-out.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import { chainStart, sealedLine } from "./chain.ts";
import { segmentFile } from "./record.ts";
import { OpenSegment } from "./segment.ts";

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

/** How a `FileJournal` writes; everything has a default. */
export interface JournalOptions {
  /** The event that comes when a file has so many bytes begins another one; 64 MiB where it is left out. */
  readonly segmentBytes?: number;
  /** Called when a file has ended and the next was begun: the time to remove what is too old. Throws nothing. */
  readonly afterSegment?: () => void;
}

const SEGMENT_BYTES = 64 * 1024 * 1024;

/**
 * Appends events to the record of one run, one JSON line each, readable by the caller alone; each line bears a hash over
 * itself and all before it (`chain.ts`). The first event makes the file `RUN.jsonl`. When a file is large, or is gone from
 * where readers look for it, the next begins, `RUN.jsonl.000002`, with an event `journal.continued`; what was only written
 * to a file that is gone is written again.
 * A line that can't be written throws `SANDBOX_UNAVAILABLE`: what can't be recorded must not happen. What was written of
 * it is taken back, so that lines which can be written later are read. Throws `USAGE` for a size that is none.
 */
export class FileJournal implements Journal {
  readonly #folder: AbsolutePath;
  readonly #runId: string;
  readonly #segmentBytes: number;
  readonly #afterSegment: () => void;
  #segment: OpenSegment | null = null;
  /** Of the file that is written. */
  #number = 0;
  /** The line that begins the file was not written yet. */
  #isBare = false;
  #lines = 0;
  #hash: string;
  #config: string | null = null;
  #isClosed = false;

  constructor(folder: AbsolutePath, runId: string, options: JournalOptions = {}) {
    const { segmentBytes = SEGMENT_BYTES, afterSegment = () => undefined } = options;
    if (!Number.isSafeInteger(segmentBytes) || segmentBytes < 1)
      throw new CofferdamError("USAGE", "`segmentBytes` is no number of bytes", {
        hint: "write a whole number above 0, or leave it out",
      });
    this.#folder = folder;
    this.#runId = runId;
    this.#segmentBytes = segmentBytes;
    this.#afterSegment = afterSegment;
    this.#hash = chainStart(runId, 1, null);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  write(event: Event): void {
    if (this.#isClosed)
      throw new CofferdamError("SANDBOX_UNAVAILABLE", "the record is closed: its supervisor has ended", {
        hint: "make another supervisor",
      });
    if (event.type === "session.started") this.#config = event.config;
    try {
      this.#record(event);
    } catch (cause) {
      throw refused(segmentFile(this.#folder, this.#runId, Math.max(this.#number, 1)), cause);
    }
  }

  [Symbol.dispose](): void {
    this.#segment?.[Symbol.dispose]();
    this.#segment = null;
    this.#isClosed = true;
  }

  #record(event: Event): void {
    const isFull = (this.#segment?.bytes ?? 0) >= this.#segmentBytes;
    const segment = this.#segment === null || isFull ? this.#begin() : this.#segment;
    this.#put(segment, event);
    if (segment.isThere()) return;
    const next = this.#begin();
    this.#put(next, event);
    if (!next.isThere()) throw Object.assign(new Error("the record was taken away"), { code: "ESTALE" });
  }

  /** The next file. Until its first line can be written, nothing is. */
  #begin(): OpenSegment {
    const number = this.#number + 1;
    const next = new OpenSegment(segmentFile(this.#folder, this.#runId, number));
    this.#segment?.[Symbol.dispose]();
    this.#segment = next;
    this.#number = number;
    this.#isBare = number > 1;
    if (number > 1) this.#afterSegment();
    return next;
  }

  #put(segment: OpenSegment, event: Event): void {
    if (this.#isBare) {
      const { version, seq, at, runId, sessionId } = event;
      const [lines, previous, config] = [this.#lines, this.#hash, this.#config];
      const number = this.#number;
      const envelope = { version, seq, at, runId, sessionId, callId: null };
      const body = { type: "journal.continued", segment: number, lines, previous, config } as const;
      this.#append(segment, chainStart(this.#runId, number, previous), { ...envelope, ...body });
      this.#isBare = false;
    }
    this.#append(segment, this.#hash, event);
  }

  /** What could not be written has no place in the chain. */
  #append(segment: OpenSegment, behind: string, event: Event): void {
    const { line, hash } = sealedLine(behind, jsonText(event));
    segment.append(line);
    this.#hash = hash;
    this.#lines += 1;
  }
}

function refused(file: AbsolutePath, cause: unknown): CofferdamError {
  const code = codeOf(cause) || "unknown";
  return new CofferdamError("SANDBOX_UNAVAILABLE", `the record ${visible(file)} can't be written: ${code}`, {
    hint: "make room on that disk, and see that this user may write there",
    cause,
  });
}

/** The folder that journals stand in, where no config names another one. */
export function journalFolder(stateFolder: AbsolutePath): AbsolutePath {
  return joinPath(stateFolder, "journal");
}
