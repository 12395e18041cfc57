import { setTimeout as pause } from "node:timers/promises";
import { CofferdamError } from "../errors.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import { type Live, LiveFiles, type State } from "./live-files.ts";
import { lock, sweepUnfinished } from "./lock.ts";
import type { ProcessId } from "./process-id.ts";
import { doShare, mayDisturb, type Work } from "./work.ts";

/** A call that others know of until it is disposed of. */
export interface Entered extends Disposable {
  /** It had to wait for others: what was looked up before may not hold any more. */
  readonly hasWaited: boolean;
  /** Others at work may change what its walls are built on. */
  readonly isBeside: boolean;
  /** Tells that its walls stand, and which process shows for how long. */
  stands(init: ProcessId): void;
}

/** How long a call that is not isolated waits for others, in milliseconds. */
const WAIT_MS = 30_000;
/** How long before looking again, in milliseconds: for whoever is next, more for each that is before it, and at most. */
const PAUSE_MS = { next: 2, each: 2, most: 25 } as const;

/**
 * The live calls of this user: of every supervisor with this state folder. They come one at a time, under a lock, so that
 * of any two the later knows the earlier. By that:
 * - An isolated call waits for every isolated one before it with which it shares a place. None waits for a later one.
 * - Walls that are built beside others who may write there are built in a shelter (`isBeside`). Where there is none, they
 *   wait for those others, for half a minute.
 * - What comes while walls are built out of a shelter does nothing before they stand.
 * Where a supervisor was killed, its call is over when the first process of its sandbox has ended.
 */
export class LiveCalls {
  readonly #files: LiveFiles;
  readonly #lock: AbsolutePath;
  readonly #hasShelter: boolean;

  constructor(stateFolder: AbsolutePath, hasShelter: boolean) {
    this.#files = new LiveFiles(joinPath(stateFolder, "live"));
    this.#lock = joinPath(stateFolder, "live-lock");
    this.#hasShelter = hasShelter;
  }

  /**
   * Enters a call, once nothing keeps it from beginning. Throws `SANDBOX_UNAVAILABLE` when it was cancelled before that,
   * or others did not end in time.
   */
  async enter(work: Work, signal: AbortSignal | null): Promise<Entered> {
    const { isIsolated } = work;
    const until = isIsolated ? Number.POSITIVE_INFINITY : performance.now() + WAIT_MS;
    const own = await this.#begin(work, null);
    let marker: string | null = null;
    const leave = (): void => this.#files.remove(own.name, marker);
    try {
      let { before, others } = own;
      const hasWaited = before.length > 0;
      while (before.length > 0) {
        await this.#untilPast(before, () => false, until, signal);
        ({ before, others } = await this.#begin(work, own.name));
      }
      const rising = others.filter((one) => one.state === "rising" && mayDisturb(work, one.work));
      await this.#untilPast(rising, (state) => state !== "rising", until, signal);
      return {
        hasWaited,
        isBeside: isBeside(work, others),
        stands: (init) => {
          marker = this.#files.tellInit(own.name, init);
        },
        [Symbol.dispose]: leave,
      };
    } catch (cause) {
      leave();
      throw cause;
    }
  }

  /** Removes what killed supervisors left. */
  async sweep(): Promise<void> {
    if (this.#files.hasAny()) {
      using _lock = await lock(this.#lock);
      this.#files.list();
    }
    sweepUnfinished(this.#lock);
  }

  /** Begins a call, or one that waits, under its name; `before` are those that keep it from beginning. */
  async #begin(work: Work, name: string | null): Promise<Begun> {
    using _lock = await lock(this.#lock);
    const others = this.#files.list().filter((one) => one.name !== name);
    const isEarlier = (one: Live): boolean => name === null || this.#files.isEarlier(one.name, name);
    const before = others.filter((one) => this.#isBefore(one, work, isEarlier(one)));
    const isRising = before.length === 0 && work.builds && !isBeside(work, others);
    const state = before.length > 0 ? "waiting" : isRising ? "rising" : "safe";
    return { name: this.#files.write(name, { state, work }), before, others };
  }

  #isBefore({ state, work: theirs }: Live, work: Work, isEarlier: boolean): boolean {
    if (work.isIsolated && theirs.isIsolated && isEarlier && doShare(work, theirs)) return true;
    return !this.#hasShelter && work.builds && state !== "waiting" && mayDisturb(theirs, work);
  }

  /** Waits until each of the calls is over, or so far on; one after another, because all of them have to be. */
  async #untilPast(
    calls: readonly Live[],
    isEnough: (state: State) => boolean,
    until: number,
    signal: AbortSignal | null,
  ): Promise<void> {
    for (const [at, { name, state }] of calls.entries()) {
      const behind = calls.length - at - 1;
      const pauseMs = Math.min(PAUSE_MS.next + behind * PAUSE_MS.each, PAUSE_MS.most);
      for (;;) {
        const now = this.#files.stateOf(name, state);
        if (now === null || isEnough(now)) break;
        if (signal?.aborted === true) throw cancelled();
        if (performance.now() > until) throw inTheWay();
        await pause(pauseMs);
      }
    }
  }
}

interface Begun {
  readonly name: string;
  readonly before: readonly Live[];
  readonly others: readonly Live[];
}

function isBeside(work: Work, others: readonly Live[]): boolean {
  return others.some(({ state, work: theirs }) => state !== "waiting" && mayDisturb(theirs, work));
}

function cancelled(): CofferdamError {
  return new CofferdamError("SANDBOX_UNAVAILABLE", "the call was cancelled while it waited for others", {
    hint: "run it again when they have ended",
  });
}

function inTheWay(): CofferdamError {
  return new CofferdamError(
    "SANDBOX_UNAVAILABLE",
    "no walls can be built here while another call may write in the same folders, and that one goes on",
    {
      hint: "run it when the other call has ended; `cofferdam doctor --attest` says why they can't be built",
    },
  );
}
