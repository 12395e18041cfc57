import { pause } from "./pause.ts";

/** The result of work within `maxMs` milliseconds; null if it takes longer. Throws the error of the work. */
export async function inTime<Result>(work: Promise<Result>, maxMs: number): Promise<Result | null> {
  const settled = new AbortController();
  try {
    return await Promise.race([work, pause(maxMs, { signal: settled.signal }).then(() => null)]);
  } finally {
    settled.abort();
  }
}
