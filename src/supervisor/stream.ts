import { AnySignal } from "../host/any-signal.ts";
import type { OutputSink } from "../host/output.ts";
import type { Outcome } from "./outcome.ts";

/** What a call tells while it runs: output as it comes, and last what became of it. */
export type CallEvent<Ended extends Outcome = Outcome> =
  | { readonly type: "stdout" | "stderr"; readonly chunk: Buffer }
  | { readonly type: "ended"; readonly outcome: Ended };

/** A call that is made with these sinks, and ended by this signal. */
export type MakeCall<Ended extends Outcome> = (
  sinks: { readonly stdout: OutputSink; readonly stderr: OutputSink },
  signal: AbortSignal,
) => Promise<Ended>;

/**
 * A call as its events, in the order in which they come. Whoever takes them slowly slows the program; who stops taking them
 * ends it, and is told when it has ended. Throws what the call throws.
 */
export async function* streamOf<Ended extends Outcome>(
  make: MakeCall<Ended>,
  signal: AbortSignal | null,
): AsyncGenerator<CallEvent<Ended>, void, undefined> {
  const stop = new AbortController();
  const events: CallEvent<Ended>[] = [];
  let taken = Promise.withResolvers<void>();
  let told = Promise.withResolvers<void>();
  const sink =
    (type: "stdout" | "stderr"): OutputSink =>
    async (chunk) => {
      // Whoever owns the chunk may use its memory again.
      events.push({ type, chunk: Buffer.from(chunk) });
      told.resolve();
      await taken.promise;
    };
  using stopped = new AnySignal(signal, stop.signal);
  let isOver = false;
  const call = make({ stdout: sink("stdout"), stderr: sink("stderr") }, stopped.signal).finally(() => {
    isOver = true;
    told.resolve();
  });
  call.catch(() => undefined);
  try {
    while (!isOver || events.length > 0) {
      await told.promise;
      told = Promise.withResolvers();
      if (isOver) told.resolve();
      yield* events.splice(0);
      taken.resolve();
      taken = Promise.withResolvers();
    }
    yield { type: "ended", outcome: await call };
  } finally {
    taken.resolve();
    stop.abort();
    await call.catch(() => undefined);
  }
}
