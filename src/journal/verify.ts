import { codeOf } from "../host/system-error.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { chainStart, isBehind, type OpenedLine, openedLine } from "./chain.ts";
import { type JournalLine, linesOf } from "./lines.ts";
import { eventIn, isGone, type RecordSegment, segmentFile, withSegments } from "./record.ts";

/**
 * Why a chain breaks at a line. `edited`: its text has changed. `out of place`: it was not written after the previous
 * line, so lines were dropped, moved, doubled or inserted. The same hash reveals both; the event's position in the run
 * distinguishes them, and an attacker can change that too. `no hash` and `no event`: no journal wrote that. `missing`:
 * the file does not exist. `unreadable`: the system does not allow reading it.
 */
export type BreakReason = "edited" | "out of place" | "no hash" | "no event" | "missing" | "unreadable";

/** The break of a chain: the first invalid line, counted in its file. */
export interface Break {
  readonly kind: "broken";
  readonly reason: BreakReason;
  readonly file: AbsolutePath;
  readonly line: number;
}

/** A chain without a break. */
export interface IntactChain {
  readonly kind: "holds";
  readonly files: number;
  /** The hash of the last line, and its time if it has one; null without lines. */
  readonly head: { readonly hash: string; readonly at: string | null } | null;
  /** True if a partial line follows the last one: a supervisor died while writing, or is writing now. */
  readonly isCut: boolean;
}

/** The result of checking one record's chain. */
export type Verified = {
  readonly run: string;
  /** Number of valid lines, including those in removed files; without a chain, the number of all lines. */
  readonly lines: number;
  /** The number of the first remaining file. */
  readonly first: number;
  /** Number of lines in removed files before it, according to its first line. */
  readonly gone: number;
  /** The valid hashes that were searched for, each with the number of its line. */
  readonly found: ReadonlyMap<string, number>;
  /** `not chained`: no line has a hash, as in old records, or after tampering. */
} & (IntactChain | Break | { readonly kind: "not chained" });

/**
 * Checks that a record holds the written lines, in order and without gaps up to the last: see `chain.ts`. A chain stays
 * valid if its end was cut off, or if whole files at its beginning are gone. A kept hash in `sought` reveals the first;
 * the result reports the second. Whether this version knows each line's event is not checked. Throws `USAGE` if there
 * is no such run.
 */
export function verifyRun(
  folder: AbsolutePath,
  runId: string,
  sought: ReadonlySet<string> = new Set(),
): Verified {
  return withSegments(folder, runId, (segments) => {
    const chain = new Chain(folder, runId, sought);
    const bare = bareLines(segments);
    if (bare !== null) return { ...chain.said(segments), kind: "not chained", lines: bare };
    const broken = chain.follow(segments);
    return { ...chain.said(segments), ...(broken ?? chain.held(segments)) };
  });
}

class Chain {
  readonly #folder: AbsolutePath;
  readonly #run: string;
  readonly #sought: ReadonlySet<string>;
  readonly #found = new Map<string, number>();
  #lines = 0;
  #gone = 0;
  /** The hash before the next line, unless a file begins with it. */
  #hash: string;
  #last: OpenedLine | null = null;
  #isCut = false;

  constructor(folder: AbsolutePath, run: string, sought: ReadonlySet<string>) {
    this.#folder = folder;
    this.#run = run;
    this.#sought = sought;
    this.#hash = chainStart(run, 1, null);
  }

  follow(segments: readonly RecordSegment[]): Break | null {
    const [first = { number: 1 }] = segments;
    for (const [index, segment] of segments.entries()) {
      const number = first.number + index;
      if (segment.number !== number)
        return breakAt(segmentFile(this.#folder, this.#run, number), 1, "missing");
      const broken = this.#followFile(segment, index === 0, index === segments.length - 1);
      if (broken !== null) return broken;
    }
    return null;
  }

  said(segments: readonly RecordSegment[]) {
    const first = segments[0]?.number ?? 1;
    return { run: this.#run, lines: this.#lines, first, gone: this.#gone, found: this.#found };
  }

  held(segments: readonly RecordSegment[]): IntactChain {
    const at = this.#last === null ? null : (eventIn(this.#last.text)?.at ?? null);
    const head = this.#last === null ? null : { hash: this.#hash, at };
    return { kind: "holds", files: segments.length, head, isCut: this.#isCut };
  }

  #followFile({ number, file }: RecordSegment, isFirst: boolean, isLast: boolean): Break | null {
    let count = 0;
    try {
      for (const line of linesOf(file)) {
        count += 1;
        this.#isCut = line.kind === "cut" && isLast;
        if (this.#isCut) return null;
        const reason = this.#checkLine(line, count === 1 ? number : null, isFirst);
        if (reason !== null) return breakAt(file, count, reason);
      }
      return null;
    } catch (cause) {
      if (isGone(cause) || codeOf(cause) === "") throw cause;
      return breakAt(file, count + 1, "unreadable");
    }
  }

  /** Checks the next line; `begins` is the number of a file that it begins. Returns why it is not next, or null. */
  #checkLine({ bytes, kind }: JournalLine, begins: number | null, isFirst: boolean): BreakReason | null {
    const opened = kind === "whole" ? openedLine(bytes) : null;
    if (opened === null) return kind === "whole" && eventIn(bytes) !== null ? "no hash" : "no event";
    const reason =
      begins === null || begins === 1
        ? this.#whyNotNext(opened)
        : this.#whyNotContinued(opened, begins, isFirst);
    if (reason !== null) return reason;
    this.#lines += 1;
    this.#hash = opened.hash;
    this.#last = opened;
    this.#note(opened.hash);
    return null;
  }

  #whyNotNext(line: OpenedLine): BreakReason | null {
    if (isBehind(this.#hash, line)) return null;
    const event = eventIn(line.text);
    if (event === null) return "no event";
    const before = this.#last === null ? null : eventIn(this.#last.text);
    // A line that begins a file has the position of the one after it.
    const place = before === null ? 0 : before.type === "journal.continued" ? before.seq : before.seq + 1;
    return event.seq === place ? "edited" : "out of place";
  }

  /** Checks the first line of a later file, which names the previous hash: the files before it may be gone. */
  #whyNotContinued(line: OpenedLine, number: number, isFirst: boolean): BreakReason | null {
    const event = eventIn(line.text);
    if (event === null) return "no event";
    if (event.type !== "journal.continued" || event.segment !== number) return "out of place";
    if (!isBehind(chainStart(this.#run, number, event.previous), line)) return "edited";
    if (!isFirst) return event.previous === this.#hash && event.lines === this.#lines ? null : "out of place";
    this.#gone = event.lines;
    this.#lines = event.lines;
    this.#note(event.previous);
    return null;
  }

  #note(hash: string): void {
    if (this.#sought.has(hash)) this.#found.set(hash, this.#lines);
  }
}

function breakAt(file: AbsolutePath, line: number, reason: BreakReason): Break {
  return { kind: "broken", reason, file, line };
}

/** Number of lines if the first is an event and none has a hash; else null. */
function bareLines(segments: readonly RecordSegment[]): number | null {
  let lines = 0;
  try {
    for (const { file } of segments)
      for (const { bytes, kind } of linesOf(file)) {
        if (openedLine(bytes) !== null || (lines === 0 && eventIn(bytes) === null)) return null;
        if (kind === "whole") lines += 1;
      }
  } catch (cause) {
    // Following the chain reports unreadable files.
    if (isGone(cause) || codeOf(cause) === "") throw cause;
    return null;
  }
  return lines === 0 ? null : lines;
}
