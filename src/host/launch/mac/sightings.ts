import type { Teller } from "./message.ts";
import type { LogEntry, LoggedRefusal, Violation } from "./violation.ts";

/** A refusal to a call, and its minimum count. */
export interface Sighting {
  readonly violation: Violation;
  readonly count: number;
  /** How it is known to be the call's: its profile's tag was with it, or one of the call's processes caused it. */
  readonly by: "tag" | "process";
}

/** The sightings of one call. */
export interface Seen {
  readonly sightings: readonly Sighting[];
  /** More refusals happened, or may have. Even without gaps, others may be missing. */
  readonly hasGaps: boolean;
}

/** Maximum of different refusals kept of one call. */
const MAX_CALL_LENGTH = 100;

/** Maximum of untagged refusals of all processes, kept until their call is known. */
const MAX_UNTAGGED = 500;

/** The kept part of the log, as long as a call exists that it may concern. */
export class Sightings {
  readonly #calls = new Map<string, Call>();
  readonly #untagged = new Map<string, Counted>();
  /** The last refusal, whose tag may follow. */
  #last: LoggedRefusal | null = null;

  /** From now on refusals with the tag are kept. `sinceMs`: the current time, by the wall clock. */
  begin(tag: string, sinceMs: number): void {
    this.#calls.set(tag, { sinceMs, found: new Map(), hasGaps: false });
  }

  /** Discards its refusals. */
  end(tag: string): void {
    this.#calls.delete(tag);
    if (this.#calls.size > 0) return;
    this.#untagged.clear();
    this.#last = null;
  }

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

  /** Something may be missing, of this call, or of every current call. */
  addGap(tag?: string): void {
    for (const [of, call] of this.#calls) call.hasGaps ||= tag === undefined || tag === of;
  }

  /**
   * The refusals with a call's tag, and untagged ones since it began of its processes or their children. No others,
   * however likely: another call may have caused them. `pids` have been the call's alone since it began.
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
      // Both count the same refusals.
      return { violation, count: Math.max(kernel, sandboxd), by };
    });
    const hasGaps = call.hasGaps || sightings.length > MAX_CALL_LENGTH;
    return { sightings: sightings.slice(0, MAX_CALL_LENGTH), hasGaps };
  }

  #keep({ violation, count, teller }: LoggedRefusal): void {
    const one = { violation, kernel: 0, sandboxd: 0, [teller]: count };
    if (violation.tag === null) this.#keepUntagged(one);
    const call = this.#calls.get(violation.tag ?? "");
    if (call === undefined) return;
    const key = keyOf(violation);
    if (call.found.size < MAX_CALL_LENGTH || call.found.has(key)) join(call.found, key, one);
    else call.hasGaps = true;
  }

  #keepUntagged(one: Counted): void {
    join(this.#untagged, `${one.violation.pid} ${keyOf(one.violation)}`, one);
    const [oldest] = this.#untagged.keys();
    if (this.#untagged.size <= MAX_UNTAGGED || oldest === undefined) return;
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

type Counted = { readonly violation: Violation } & Readonly<Record<Teller, number>>;

function keyOf({ process, operation, target }: Violation): string {
  return JSON.stringify([process, operation, target]);
}

/** Keeps the first one, and adds up the counts. */
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
