import type { Readable } from "node:stream";

/** How long apart the looks are whether a stream that somebody holds open was read. */
const LOOK_MS = 250;

/**
 * Waits until all that a program said was read and handed on, once it has ended. Whoever else was handed its output, and
 * holds it open, is not waited for: a stream is closed as soon as all of it was read, at two looks in a row.
 */
export async function untilDelivered<Read>(
  streams: readonly Readable[],
  reading: Promise<Read>,
): Promise<Read> {
  let wasRead = false;
  const looks = setInterval(() => {
    const isRead = streams.every((stream) => stream.readableLength === 0);
    if (isRead && wasRead) for (const stream of streams) stream.destroy();
    wasRead = isRead;
  }, LOOK_MS);
  try {
    return await reading;
  } finally {
    clearInterval(looks);
  }
}
