import { codeOf } from "../host/system-error.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { chainStart, isBehind, type OpenedLine, openedLine } from "./chain.ts";
import { type Line, linesOf } from "./lines.ts";
import { eventIn, isGone, type Segment, segmentFile, withSegments } from "./record.ts";

/**
 * Why a chain breaks at a line. `edited`: it does not say what was written there. `out of place`: it was not written behind
 * the line before it, so that lines were dropped, moved, doubled or put between. Both are seen by the same hash; which of
 * them it is, the place in the run tells that the event says, and who changes a line can change that too. `no hash` and
 * `no event`: no journal wrote that. `missing`: the file is not there. `unreadable`: the system does not let it be read.
 */
export type BreakReason = "edited" | "out of place" | "no hash" | "no event" | "missing" | "unreadable";

/** Where a chain breaks: the first line, counted in its file, that does not hold. */
export interface Break {
  readonly kind: "broken";
  readonly reason: BreakReason;
  readonly file: AbsolutePath;
  readonly line: number;
}

/** A chain without a break. */
export interface Held {
  readonly kind: "holds";
  /** How many files there are. */
  readonly files: number;
  /** The hash of the last line, and when that was written where it says so; null where there is no line. */
  readonly head: { readonly hash: string; readonly at: string | null } | null;
  /** A piece of a line stands behind the last one: a supervisor died while it wrote, or just writes. */
  readonly isCut: boolean;
}

/** What became of the chain of one record. */
export type Verified = {
  readonly run: string;
  /** How many lines hold, those in files that are gone counted in; of what is not chained, how many there are. */
  readonly lines: number;
  /** The first file that is still there. */
  readonly first: number;
  /** How many lines stood in the files before it, as the first line that is left says. */
  readonly gone: number;
  /** The hashes that were asked for and that hold, each with the number of its line. */
  readonly found: ReadonlyMap<string, number>;
  /** `not chained`: no line bears a hash, as before there were any, or as somebody left it. */
} & (Held | Break | { readonly kind: "not chained" });

/**
 * Whether the lines that a record holds are those that were written, in their order and none left out up to the last: see
 * `chain.ts`. What is cut off at the end, or gone with whole files at the beginning, leaves a chain that holds: the first
 * shows against a hash that was kept, after which `sought` asks, the second is told. Whether each line says an event that
 * this version knows is not asked. Throws `USAGE` when there is no such run.
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

/** The way along the files of one record. */
class Chain {
  readonly #folder: AbsolutePath;
  readonly #run: string;
  readonly #sought: ReadonlySet<string>;
  readonly #found = new Map<string, number>();
  #lines = 0;
  #gone = 0;
  /** What the next line hangs on, where no file begins with it. */
  #hash: string;
  #last: OpenedLine | null = null;
  #isCut = false;

  constructor(folder: AbsolutePath, run: string, sought: ReadonlySet<string>) {
    this.#folder = folder;
    this.#run = run;
    this.#sought = sought;
    this.#hash = chainStart(run, 1, null);
  }

  follow(segments: readonly Segment[]): Break | null {
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

  said(segments: readonly Segment[]) {
    const first = segments[0]?.number ?? 1;
    return { run: this.#run, lines: this.#lines, first, gone: this.#gone, found: this.#found };
  }

  held(segments: readonly Segment[]): Held {
    const at = this.#last === null ? null : (eventIn(this.#last.text)?.at ?? null);
    const head = this.#last === null ? null : { hash: this.#hash, at };
    return { kind: "holds", files: segments.length, head, isCut: this.#isCut };
  }

  #followFile({ number, file }: Segment, isFirst: boolean, isLast: boolean): Break | null {
    let count = 0;
    try {
      for (const line of linesOf(file)) {
        count += 1;
        this.#isCut = line.kind === "cut" && isLast;
        if (this.#isCut) return null;
        const reason = this.#takeLine(line, count === 1 ? number : null, isFirst);
        if (reason !== null) return breakAt(file, count, reason);
      }
      return null;
    } catch (cause) {
      if (isGone(cause) || codeOf(cause) === "") throw cause;
      return breakAt(file, count + 1, "unreadable");
    }
  }

  /** Takes the next line; `begins` is the number of the file that it begins. Says why it is not the next, or null. */
  #takeLine({ bytes, kind }: Line, begins: number | null, isFirst: boolean): BreakReason | null {
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
    // A line that begins a file has the place of the one behind it.
    const place = before === null ? 0 : before.type === "journal.continued" ? before.seq : before.seq + 1;
    return event.seq === place ? "edited" : "out of place";
  }

  /** Of the first line of a later file, which says what it hangs on; the files before it may be gone. */
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

/** How many lines there are, when the first is an event and none bears a hash; else null. */
function bareLines(segments: readonly Segment[]): number | null {
  let lines = 0;
  try {
    for (const { file } of segments)
      for (const { bytes, kind } of linesOf(file)) {
        if (openedLine(bytes) !== null || (lines === 0 && eventIn(bytes) === null)) return null;
        if (kind === "whole") lines += 1;
      }
  } catch (cause) {
    // What can't be read is told by who follows the chain.
    if (isGone(cause) || codeOf(cause) === "") throw cause;
    return null;
  }
  return lines === 0 ? null : lines;
}
