import type { Writable } from "node:stream";
import { AnySignal } from "../host/any-signal.ts";
import type { Appearances } from "../host/appeared.ts";
import type { Walls } from "../host/run-options.ts";
import type { GrantedView } from "../policy/request.ts";
import type { Profile } from "../profile/profile.ts";
import { CALL_OPTIONS, type RunOptions, type Sinks } from "./call-options.ts";
import type { Ending } from "./ending.ts";
import { assertOptions, type OptionsOf } from "./options.ts";
import type { ProgramOutcome } from "./outcome.ts";

/** How a program is held. */
export interface HoldOptions {
  /** Where what it says goes as it comes; a slow sink slows it. */
  readonly sinks: Sinks;
  /** Ends it, or the question about its start. */
  readonly signal?: AbortSignal;
  /** The question about its start is told by it. */
  readonly groupId?: string;
}

/** How the same is checked when it comes from JavaScript. */
const HOLD_OPTIONS: OptionsOf<HoldOptions> = CALL_OPTIONS.pick({ sinks: true, signal: true, groupId: true });

/** A program that runs inside proven walls until it is let go. */
export interface Held extends AsyncDisposable {
  readonly kind: "held";
  /** What it reads. */
  readonly input: Writable;
  /** What it gets, and the same in words. */
  readonly profile: Profile;
  readonly granted: GrantedView;
  /** What is different about its walls since they were proven; that it has ended, as soon as it has. */
  readonly changes: () => readonly string[];
  /** Sees to what it made until now and hosts execute, as it is seen to at the end of other calls, and tells it. */
  readonly settle: () => Promise<Appearances>;
  /** What became of it, once it has ended. Rejects where its walls did not hold to its start. */
  readonly ended: Promise<ProgramOutcome>;
}

/** What is told once the walls are proven. */
interface Proven {
  readonly walls: Walls;
  readonly profile: Profile;
  readonly view: GrantedView;
  readonly settle: Held["settle"];
}

/**
 * Runs a program by `run` and comes back as soon as its walls are proven, while it goes on; with what became of it where
 * they never are. Its session waits for its end. Throws `USAGE` for options that there are not, and what `run` throws.
 */
export async function holdProgram(
  run: (own: RunOptions) => Promise<ProgramOutcome>,
  options: HoldOptions,
  ending: Ending,
): Promise<Held | ProgramOutcome> {
  assertOptions("hold", HOLD_OPTIONS, options);
  const proven = Promise.withResolvers<Proven>();
  const letGo = new AbortController();
  const ended = untilEnd(run, options, { ending, letGo: letGo.signal, onProven: proven.resolve });
  // Whoever waits for it is told; nobody may be waiting yet.
  ended.catch(() => undefined);
  const first = await Promise.race([proven.promise, ended]);
  if (!("walls" in first)) return first;
  const { walls, profile, view: granted, settle } = first;
  const { input } = walls;
  if (input === null) return ended;
  return {
    kind: "held",
    input,
    profile,
    granted,
    settle,
    changes: () =>
      walls.isRunning() ? walls.changes().map(({ message }) => message) : ["nobody is in them any more"],
    ended,
    // It is asked to end and has a moment for that, as every program that is ended.
    [Symbol.asyncDispose]: async () => {
      input.end();
      letGo.abort();
      await ended.catch(() => undefined);
    },
  };
}

interface Until {
  readonly ending: Ending;
  readonly letGo: AbortSignal;
  readonly onProven: (proven: Proven) => void;
}

async function untilEnd(
  run: (own: RunOptions) => Promise<ProgramOutcome>,
  { sinks, signal, groupId }: HoldOptions,
  { ending, letGo, onProven }: Until,
): Promise<ProgramOutcome> {
  using either = new AnySignal(signal, letGo);
  using stopped = ending.or(either.signal);
  return await run({
    sinks,
    signal: stopped.signal,
    onProven: (walls, given) => onProven({ walls, ...given }),
    ...(groupId === undefined ? {} : { groupId }),
  });
}
