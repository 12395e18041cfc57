import { pause } from "../pause.ts";
import { type Failure, isUnknownBot, type Said } from "./failure.ts";
import { updateIdOf } from "./update.ts";

/** What listening takes. */
export interface ListeningOptions {
  readonly updates: (offset: number | null) => Promise<Said<readonly unknown[]>>;
  /** Takes one update in. Until all that came together are taken in, Telegram keeps them. */
  readonly hear: (update: unknown) => Promise<void>;
  /** Is told once of what keeps updates from getting here, and with null when nothing does any more. */
  readonly trouble: (failure: Failure | null) => void;
  readonly signal: AbortSignal;
  /** How long a second lasts: shorter in tests. */
  readonly secondMs: number;
}

/** So many failures in a row are no accident. */
const MOST_ACCIDENTS = 3;
/** The longest pause after failures. Somebody else who listens is put off by each try, so those are rare. */
const MOST_PAUSE_S = { usual: 30, conflict: 60 } as const;
/** An answer with nothing to go on from that comes sooner was not waited for. */
const SOON_S = 1;

/**
 * Listens until the signal, or until Telegram does not know the bot any more. Keeps no process alive. What came while
 * nobody listened comes first: Telegram keeps updates for a day (https://core.telegram.org/bots/api#getting-updates).
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
      if (!isTold && (isConflict || isUnknownBot(failure) || failures === MOST_ACCIDENTS)) {
        isTold = true;
        trouble(failure);
      }
      if (isUnknownBot(failure)) return;
      const most = isConflict ? MOST_PAUSE_S.conflict : MOST_PAUSE_S.usual;
      const pauseS = failure.retryAfterS ?? Math.min(most, 2 ** Math.min(failures - 1, 10));
      await pause(pauseS * secondMs, signal, false);
      continue;
    }
    failures = 0;
    if (isTold) trouble(null);
    isTold = false;
    // One after the other: the first answer counts.
    for (const update of said.result) await hear(update);
    offset = behind(said.result);
    if (offset === null && Date.now() - began < SOON_S * secondMs)
      await pause(SOON_S * secondMs, signal, false);
  }
}

/**
 * What confirms those that came; null where none did: then whatever is next is asked for, since after a quiet week numbers
 * begin anywhere (https://core.telegram.org/bots/api#update).
 */
function behind(updates: readonly unknown[]): number | null {
  const ids = updates.flatMap((update) => updateIdOf(update) ?? []);
  return ids.length === 0 ? null : Math.max(...ids) + 1;
}
