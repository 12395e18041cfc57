import { CofferdamError } from "../../errors.ts";
import { type AbsolutePath, joinPath } from "../../profile/path.ts";
import { pause } from "../pause.ts";
import { type Live, LiveFiles, type LiveFilesState } from "./live-files.ts";
import { lock, sweepUnfinished } from "./lock.ts";
import type { ProcessId } from "./process-id.ts";
import { type CallWork, doShare, mayDisturb } from "./work.ts";

/** A call that other supervisors know of until it is disposed of. */
export interface LiveCall extends Disposable {
  /** True if it had to wait for others: earlier look-ups may be outdated. */
  readonly hadToWait: boolean;
  /** True if other calls may change the places on which its sandbox is built. */
  readonly isShared: boolean;
  /** Reports that its sandbox is ready, and the process whose end is the call's end. */
  stands(init: ProcessId): void;
}

/** How long a call that is not isolated waits for others, in milliseconds. */
const WAIT_MS = 30_000;
/** Milliseconds before another look: for the next call, added for each call before it, and at most. */
const PAUSE_MS = { next: 2, each: 2, max: 25 } as const;

/**
 * The live calls of this user: of every supervisor with this state folder. They enter one at a time, under a lock, so
 * that of any two the later knows the earlier. Therefore:
 * - An isolated call waits for every isolated one before it with which it shares a place. None waits for a later one.
 * - A sandbox built beside others who may write there is built in a shelter (`isShared`). Without one, it waits for
 *   those others, for half a minute.
 * - Calls that come while a sandbox is built without a shelter do nothing before it is ready.
 * The call of a killed supervisor is over when the first process of its sandbox has ended.
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

  /** Enters a call once it may begin. Throws `SANDBOX_UNAVAILABLE` if cancelled, or others did not end in time. */
  async enter(work: CallWork, signal: AbortSignal | null): Promise<LiveCall> {
    const { isIsolated } = work;
    const until = isIsolated ? Number.POSITIVE_INFINITY : performance.now() + WAIT_MS;
    const own = await this.#begin(work, null);
    let marker: string | null = null;
    const leave = (): void => this.#files.remove(own.name, marker);
    try {
      let { before, others } = own;
      const hadToWait = before.length > 0;
      while (before.length > 0) {
        await this.#untilPast(before, () => false, until, signal);
        ({ before, others } = await this.#begin(work, own.name));
      }
      const rising = others.filter((one) => one.state === "rising" && mayDisturb(work, one.work));
      await this.#untilPast(rising, (state) => state !== "rising", until, signal);
      return {
        hadToWait,
        isShared: isShared(work, others),
        stands: (init) => {
          marker = this.#files.addInit(own.name, init);
        },
        [Symbol.dispose]: leave,
      };
    } catch (cause) {
      leave();
      throw cause;
    }
  }

  async sweep(): Promise<void> {
    if (this.#files.hasAny()) {
      using _lock = await lock(this.#lock);
      this.#files.list();
    }
    sweepUnfinished(this.#lock);
  }

  async #begin(work: CallWork, name: string | null): Promise<Begun> {
    using _lock = await lock(this.#lock);
    const others = this.#files.list().filter((one) => one.name !== name);
    const isEarlier = (one: Live): boolean => name === null || this.#files.isEarlier(one.name, name);
    const before = others.filter((one) => this.#isBefore(one, work, isEarlier(one)));
    const isRising = before.length === 0 && work.builds && !isShared(work, others);
    const state = before.length > 0 ? "waiting" : isRising ? "rising" : "safe";
    return { name: this.#files.write(name, { state, work }), before, others };
  }

  #isBefore({ state, work: theirs }: Live, work: CallWork, isEarlier: boolean): boolean {
    if (work.isIsolated && theirs.isIsolated && isEarlier && doShare(work, theirs)) return true;
    return !this.#hasShelter && work.builds && state !== "waiting" && mayDisturb(theirs, work);
  }

  /** Waits until each of the calls is over, or in that state; one after another, because all have to be. */
  async #untilPast(
    calls: readonly Live[],
    isEnough: (state: LiveFilesState) => boolean,
    until: number,
    signal: AbortSignal | null,
  ): Promise<void> {
    for (const [at, { name, state }] of calls.entries()) {
      const behind = calls.length - at - 1;
      const pauseMs = Math.min(PAUSE_MS.next + behind * PAUSE_MS.each, PAUSE_MS.max);
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

function isShared(work: CallWork, others: readonly Live[]): boolean {
  return others.some(({ state, work: theirs }) => state !== "waiting" && mayDisturb(theirs, work));
}

function cancelled(): CofferdamError {
  return new CofferdamError("SANDBOX_UNAVAILABLE", "the call was cancelled while it waited for other calls", {
    hint: "run it again when they have ended",
  });
}

function inTheWay(): CofferdamError {
  return new CofferdamError(
    "SANDBOX_UNAVAILABLE",
    "another call that may write in the same folders is still running, and no sandbox can be built until it ends",
    { hint: "run it when the other call has ended; `cofferdam doctor --attest` shows the reason" },
  );
}
