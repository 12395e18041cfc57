import type { Writable } from "node:stream";
import type { ProgramOutcome } from "../decide/outcome.ts";
import { AnySignal } from "../host/any-signal.ts";
import type { Appearances } from "../host/launch/appeared.ts";
import type { RunningSandbox } from "../host/launch/run-options.ts";
import { assertOptions, type OptionsOf } from "../policy/options.ts";
import type { GrantedView } from "../policy/request.ts";
import type { Profile } from "../profile/profile.ts";
import { CALL_OPTIONS, type ProgramRunOptions, type Sinks } from "./call-options.ts";
import type { Shutdown } from "./shutdown.ts";

/** The options of a resident program. */
export interface ResidentOptions {
  /** The targets of its output as it arrives; a slow sink slows it. */
  readonly sinks: Sinks;
  /** Ends it, or the request about its start. */
  readonly signal?: AbortSignal;
  readonly groupId?: string;
}

const HOLD_OPTIONS: OptionsOf<ResidentOptions> = CALL_OPTIONS.pick({
  sinks: true,
  signal: true,
  groupId: true,
});

/** A program that runs in a proven sandbox until it is closed. */
export interface ResidentProgram extends AsyncDisposable {
  readonly kind: "resident";
  readonly input: Writable;
  readonly profile: Profile;
  readonly granted: GrantedView;
  /** Changes of its sandbox since it was proven; reports its end as soon as it has ended. */
  readonly changes: () => readonly string[];
  /** Handles and returns the files it made so far that hosts execute, as at the end of other calls. */
  readonly settle: () => Promise<Appearances>;
  /** Its outcome, once it has ended. Rejects if its sandbox failed before the start. */
  readonly ended: Promise<ProgramOutcome>;
  /** Why it was ended by a change of the config; null if it was not. */
  readonly endedBy: () => string | null;
  close(): Promise<void>;
}

/** Follows changes of the config for a program, until disposed; calls `end` with the reason to end it. */
export type FollowResident = (
  started: { readonly profile: Profile },
  end: (because: string) => void,
) => Disposable;

interface Proven {
  readonly sandbox: RunningSandbox;
  readonly profile: Profile;
  readonly view: GrantedView;
  readonly settle: ResidentProgram["settle"];
}

/**
 * Starts a program by `run`. Returns it as soon as its sandbox is proven, or its outcome if that never happens. Its
 * session waits for its end. Throws `USAGE` for unknown options, and errors of `run`.
 */
export async function startResident(
  run: (own: ProgramRunOptions) => Promise<ProgramOutcome>,
  options: ResidentOptions,
  ending: Shutdown,
  follow: FollowResident,
): Promise<ResidentProgram | ProgramOutcome> {
  assertOptions("hold", HOLD_OPTIONS, options);
  const proven = Promise.withResolvers<Proven>();
  const letGo = new AbortController();
  const ended = untilEnd(run, options, { ending, letGo: letGo.signal, onProven: proven.resolve });
  // Callers that await `ended` get the error; there may be none yet.
  ended.catch(() => undefined);
  const first = await Promise.race([proven.promise, ended]);
  if (!("sandbox" in first)) return first;
  const { sandbox, profile, view: granted, settle } = first;
  const { input } = sandbox;
  if (input === null) return ended;
  // It is asked to end and has a moment for that, like every program that is ended.
  const close = async (): Promise<void> => {
    input.end();
    letGo.abort();
    await ended.catch(() => undefined);
  };
  let endedBy: string | null = null;
  const following = follow({ profile }, (because) => {
    endedBy ??= because;
    void close();
  });
  void ended.catch(() => undefined).finally(() => following[Symbol.dispose]());
  return {
    kind: "resident",
    input,
    profile,
    granted,
    settle,
    changes: () =>
      sandbox.isRunning() ? sandbox.changes().map(({ message }) => message) : ["its process has ended"],
    ended,
    endedBy: () => endedBy,
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface Until {
  readonly ending: Shutdown;
  readonly letGo: AbortSignal;
  readonly onProven: (proven: Proven) => void;
}

async function untilEnd(
  run: (own: ProgramRunOptions) => Promise<ProgramOutcome>,
  { sinks, signal, groupId }: ResidentOptions,
  { ending, letGo, onProven }: Until,
): Promise<ProgramOutcome> {
  using either = new AnySignal(signal, letGo);
  using stopped = ending.or(either.signal);
  return await run({
    sinks,
    signal: stopped.signal,
    onProven: (sandbox, given) => onProven({ sandbox, ...given }),
    ...(groupId === undefined ? {} : { groupId }),
  });
}
