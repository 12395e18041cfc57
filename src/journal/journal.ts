import { mkdirSync } from "node:fs";
import { CofferdamError, visible } from "../errors.ts";
import type { Event } from "../event/event.ts";
import { codeOf } from "../host/system-error.ts";
import { jsonText } from "../policy/spelled-out.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import { chainStart, sealedLine } from "./chain.ts";
import { segmentFile } from "./record.ts";
import { OpenSegment } from "./segment.ts";

/** Destination of events. An event is written before the effect that it announces. */
export interface Journal extends Disposable {
  write(event: Event): void;
}

/** Keeps events in memory, for tests and for callers that store them elsewhere. */
export class MemoryJournal implements Journal {
  readonly events: Event[] = [];

  write(event: Event): void {
    this.events.push(event);
  }

  /** Closes the journal, as `using` does at the end of a scope. */
  close(): void {
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.events.length = 0;
  }
}

/** Options of a `FileJournal`; everything has a default. */
export interface JournalOptions {
  /** Size of a file in bytes at which the next event begins another one. Default 64 MiB. */
  readonly segmentBytes?: number;
  /** Called when a file was full and the next was begun: the time to remove old ones. Throws nothing. */
  readonly afterSegment?: () => void;
}

const SEGMENT_BYTES = 64 * 1024 * 1024;

/**
 * Appends events to the record of one run, one JSON line each, readable by the caller alone. Each line has a hash over
 * itself and all before it (`chain.ts`). The first event makes the file `RUN.jsonl`. When a file is full, or is gone
 * from its path, the next begins, `RUN.jsonl.000002`, with an event `journal.continued`. A line that was only written
 * to a file that is gone is written again. Throws `SANDBOX_UNAVAILABLE` for a line that cannot be written: unrecorded
 * effects must not happen. Its partial text is removed, so that later lines stay readable. Throws `USAGE` for an
 * invalid size.
 */
export class FileJournal implements Journal {
  readonly #folder: AbsolutePath;
  readonly #runId: string;
  readonly #segmentBytes: number;
  readonly #afterSegment: () => void;
  #segment: OpenSegment | null = null;
  #number = 0;
  /** True until the first line of the file is written. */
  #isBare = false;
  #lines = 0;
  #hash: string;
  #config: string | null = null;
  #isClosed = false;

  constructor(folder: AbsolutePath, runId: string, options: JournalOptions = {}) {
    const { segmentBytes = SEGMENT_BYTES, afterSegment = () => undefined } = options;
    if (!Number.isSafeInteger(segmentBytes) || segmentBytes < 1)
      throw new CofferdamError("USAGE", "`segmentBytes` is not a number of bytes", {
        hint: "write a whole number above 0, or remove it",
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
        hint: "create another supervisor",
      });
    if (event.type === "session.started") this.#config = event.config;
    try {
      this.#record(event);
    } catch (cause) {
      throw refused(segmentFile(this.#folder, this.#runId, Math.max(this.#number, 1)), cause);
    }
  }

  /** Closes the journal, as `using` does at the end of a scope. */
  close(): void {
    this[Symbol.dispose]();
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
    if (!next.isThere())
      throw Object.assign(new Error("the file of the record was removed"), { code: "ESTALE" });
  }

  /** Begins the next file. No event is written before its first line. */
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

  /** A line that could not be written has no place in the chain. */
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
    hint: "free space on that disk, and check that this user can write there",
    cause,
  });
}

/** The folder of journals, unless a config names another one. */
export function journalFolder(stateFolder: AbsolutePath): AbsolutePath {
  return joinPath(stateFolder, "journal");
}
