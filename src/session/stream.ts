import type { Outcome } from "../decide/outcome.ts";
import { AnySignal } from "../host/any-signal.ts";
import type { OutputSink } from "../host/launch/output.ts";

/** The events of a call: output as it comes, and last its outcome. */
export type CallEvent<Ended extends Outcome = Outcome> =
  | { readonly type: "stdout" | "stderr"; readonly chunk: Buffer }
  | { readonly type: "ended"; readonly outcome: Ended };

/** Makes a call with these sinks, ended by this signal. */
export type MakeCall<Ended extends Outcome> = (
  sinks: { readonly stdout: OutputSink; readonly stderr: OutputSink },
  signal: AbortSignal,
) => Promise<Ended>;

/** The events of a call. A slow consumer slows the program; one that stops ends it and waits. Throws as the call. */
export async function* streamOf<Ended extends Outcome>(
  make: MakeCall<Ended>,
  signal: AbortSignal | null,
): AsyncGenerator<CallEvent<Ended>, void, undefined> {
  const stop = new AbortController();
  const events: CallEvent<Ended>[] = [];
  let taken = Promise.withResolvers<void>();
  let changed = Promise.withResolvers<void>();
  const sink =
    (type: "stdout" | "stderr"): OutputSink =>
    async (chunk) => {
      // The owner of the chunk may reuse its memory.
      events.push({ type, chunk: Buffer.from(chunk) });
      changed.resolve();
      await taken.promise;
    };
  using stopped = new AnySignal(signal, stop.signal);
  let isOver = false;
  const call = make({ stdout: sink("stdout"), stderr: sink("stderr") }, stopped.signal).finally(() => {
    isOver = true;
    changed.resolve();
  });
  call.catch(() => undefined);
  try {
    while (!isOver || events.length > 0) {
      await changed.promise;
      changed = Promise.withResolvers();
      if (isOver) changed.resolve();
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
