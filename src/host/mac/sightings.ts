import type { Teller } from "./message.ts";
import type { LogEntry, Refusal, Violation } from "./violation.ts";

/** Something refused to a call, and how often, at least. */
export interface Sighting {
  readonly violation: Violation;
  readonly count: number;
  /** How it is known to be the call's: its profile's tag stood by it, or one of its processes did it. */
  readonly by: "tag" | "process";
}

/** What was seen of one call. */
export interface Seen {
  readonly sightings: readonly Sighting[];
  /** There was more, or may have been. Even without that, what is not there may have happened. */
  readonly hasGaps: boolean;
}

/** So many different ones are kept of one call. */
const MOST_OF_A_CALL = 100;

/** So many that carry no tag, of anybody's, until it is said whose processes they are. */
const MOST_UNTAGGED = 500;

/** What is kept of the log, for as long as there is a call that it may be about. */
export class Sightings {
  readonly #calls = new Map<string, Call>();
  readonly #untagged = new Map<string, Counted>();
  /** The last one, whose tag may come behind it. */
  #last: Refusal | null = null;

  /** From now on what carries the tag is kept. `sinceMs` is when that is, by the wall clock. */
  begin(tag: string, sinceMs: number): void {
    this.#calls.set(tag, { sinceMs, found: new Map(), hasGaps: false });
  }

  /** Lets go of what was kept for it. */
  end(tag: string): void {
    this.#calls.delete(tag);
    if (this.#calls.size > 0) return;
    this.#untagged.clear();
    this.#last = null;
  }

  /** Takes the next entry of the log. */
  add(entry: LogEntry): void {
    if (this.#calls.size === 0) return;
    const last = this.#last;
    this.#last = null;
    if (entry.kind === "tag" && last?.thread === entry.thread && entry.thread !== null) {
      this.#keep({ ...last, violation: { ...last.violation, tag: entry.tag } });
      return;
    }
    if (last !== null) this.#keep(last);
    if (entry.kind === "lossy") this.addGap();
    if (entry.kind !== "violation") return;
    if (entry.violation.tag === null) this.#last = entry;
    else this.#keep(entry);
  }

  /** Something may be missing, of this call, or of every call that is there now. */
  addGap(tag?: string): void {
    for (const [of, call] of this.#calls) call.hasGaps ||= tag === undefined || tag === of;
  }

  /**
   * What was refused to a call: what carries its tag, and of what carries none, what its processes did since it began, or
   * what they started. Nothing else is, however likely: another call may have done it. `pids` are processes that have been
   * the call's alone since it began.
   */
  of(tag: string, pids: ReadonlySet<number>): Seen {
    const call = this.#calls.get(tag);
    if (call === undefined) return { sightings: [], hasGaps: true };
    if (this.#last !== null) this.#keep(this.#last);
    this.#last = null;
    const found = new Map(call.found);
    for (const one of this.#untagged.values())
      if (isDoneBy(pids, call.sinceMs, one.violation)) join(found, keyOf(one.violation), one);
    const sightings = [...found.values()].map(({ violation, kernel, sandboxd }): Sighting => {
      const by = violation.tag === null ? "process" : "tag";
      // Each tells what it saw: where both did, it was the same.
      return { violation, count: Math.max(kernel, sandboxd), by };
    });
    const hasGaps = call.hasGaps || sightings.length > MOST_OF_A_CALL;
    return { sightings: sightings.slice(0, MOST_OF_A_CALL), hasGaps };
  }

  #keep({ violation, count, teller }: Refusal): void {
    const one = { violation, kernel: 0, sandboxd: 0, [teller]: count };
    if (violation.tag === null) this.#keepUntagged(one);
    const call = this.#calls.get(violation.tag ?? "");
    if (call === undefined) return;
    const key = keyOf(violation);
    if (call.found.size < MOST_OF_A_CALL || call.found.has(key)) join(call.found, key, one);
    else call.hasGaps = true;
  }

  #keepUntagged(one: Counted): void {
    join(this.#untagged, `${one.violation.pid} ${keyOf(one.violation)}`, one);
    const [oldest] = this.#untagged.keys();
    if (this.#untagged.size <= MOST_UNTAGGED || oldest === undefined) return;
    const atMs = this.#untagged.get(oldest)?.violation.atMs ?? Number.POSITIVE_INFINITY;
    this.#untagged.delete(oldest);
    for (const call of this.#calls.values()) call.hasGaps ||= atMs >= call.sinceMs;
  }
}

interface Call {
  readonly sinceMs: number;
  readonly found: Map<string, Counted>;
  hasGaps: boolean;
}

/** How often each told it. */
type Counted = { readonly violation: Violation } & Readonly<Record<Teller, number>>;

function keyOf({ process, operation, target }: Violation): string {
  return JSON.stringify([process, operation, target]);
}

/** The first one is kept, and counted. */
function join(found: Map<string, Counted>, key: string, { violation, kernel, sandboxd }: Counted): void {
  const first = found.get(key);
  found.set(key, {
    violation: first?.violation ?? violation,
    kernel: (first?.kernel ?? 0) + kernel,
    sandboxd: (first?.sandboxd ?? 0) + sandboxd,
  });
}

function isDoneBy(pids: ReadonlySet<number>, sinceMs: number, { pid, parentPid, atMs }: Violation): boolean {
  if (atMs === null || atMs < sinceMs) return false;
  return pids.has(pid) || (parentPid !== null && pids.has(parentPid));
}
