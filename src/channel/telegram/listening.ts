import { pause } from "../../host/pause.ts";
import { type BotApiFailure, type BotApiResult, isUnknownBot } from "./failure.ts";
import { updateIdOf } from "./update.ts";

/** Everything needed to listen for updates. */
export interface ListeningOptions {
  readonly updates: (offset: number | null) => Promise<BotApiResult<readonly unknown[]>>;
  /** Handles one update. Telegram keeps all updates of a batch until all are handled. */
  readonly hear: (update: unknown) => Promise<void>;
  /** Called once with each problem that stops updates, and with null when they arrive again. */
  readonly trouble: (failure: BotApiFailure | null) => void;
  readonly signal: AbortSignal;
  readonly secondMs: number;
}

/** Failures in a row before the problem is reported: fewer may be an accident. */
const MAX_ACCIDENTS = 3;
/** Maximum pause after failures. Each try disturbs another listener, so tries are rare during a conflict. */
const MAX_PAUSE_S = { usual: 30, conflict: 60 } as const;
/** An answer without updates that comes sooner was no long poll. */
const SOON_S = 1;

/**
 * Listens until the signal, or until Telegram no longer knows the bot. Keeps no process alive. Updates from before the
 * start come first: Telegram keeps them for a day (https://core.telegram.org/bots/api#getting-updates).
 */
export async function listen(options: ListeningOptions): Promise<void> {
  const { updates, hear, trouble, signal, secondMs } = options;
  let offset: number | null = null;
  let failures = 0;
  let isTold = false;
  while (!signal.aborted) {
    const began = Date.now();
    const said = await updates(offset);
    if (signal.aborted) return;
    if (!said.ok) {
      failures += 1;
      const { failure } = said;
      const isConflict = failure.code === 409;
      if (!isTold && (isConflict || isUnknownBot(failure) || failures === MAX_ACCIDENTS)) {
        isTold = true;
        trouble(failure);
      }
      if (isUnknownBot(failure)) return;
      const max = isConflict ? MAX_PAUSE_S.conflict : MAX_PAUSE_S.usual;
      const pauseS = failure.retryAfterS ?? Math.min(max, 2 ** Math.min(failures - 1, 10));
      await pause(pauseS * secondMs, { signal, isHeld: false });
      continue;
    }
    failures = 0;
    if (isTold) trouble(null);
    isTold = false;
    // One after the other: the first answer counts.
    for (const update of said.result) await hear(update);
    offset = behind(said.result);
    if (offset === null && Date.now() - began < SOON_S * secondMs)
      await pause(SOON_S * secondMs, { signal, isHeld: false });
  }
}

/**
 * The offset that confirms these updates; null if none had a number. Null asks for any next update, since numbers begin
 * anywhere after a quiet week (https://core.telegram.org/bots/api#update).
 */
function behind(updates: readonly unknown[]): number | null {
  const ids = updates.flatMap((update) => updateIdOf(update) ?? []);
  return ids.length === 0 ? null : Math.max(...ids) + 1;
}
