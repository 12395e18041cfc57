import { readFileSync } from "node:fs";
import type { Capture, Captured } from "./output.ts";

/** The interval of checks whether all of a stream was read, in milliseconds. */
const LOOK_MS = 250;

/** How long a cancelled call waits for the reader of its output, in milliseconds. */
const GRACE_MS = 1_000;

/**
 * Waits until all output of an ended program was read and passed on, regardless of the wall time; after a cancel only
 * as long as a program has to end. The rest counts as dropped.
 * Other holders of the output are not waited for: streams are closed when all were read, at two checks in a row, or
 * when more was read than the program can have left in its pipe.
 */
export async function untilDelivered(
  captures: readonly [Capture, Capture],
  signal: AbortSignal | null,
): Promise<readonly [stdout: Captured, stderr: Captured]> {
  const timers: NodeJS.Timeout[] = [];
  const close = (): void => {
    for (const { stream } of captures) stream.destroy();
  };
  const onAbort = (): void => {
    const cut = (): void => {
      for (const capture of captures) capture.cut();
    };
    timers.push(setTimeout(cut, GRACE_MS), setTimeout(close, GRACE_MS + 2 * LOOK_MS));
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  timers.push(closeWhenRead(captures, close));
  try {
    const [stdout, stderr] = captures;
    return await Promise.all([stdout.captured, stderr.captured]);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

function closeWhenRead(captures: readonly Capture[], close: () => void): NodeJS.Timeout {
  const before = captures.map(({ stream }) => stream.bytesRead);
  let wasRead = false;
  return setInterval(() => {
    const isRead = captures.every(({ stream }) => stream.readableLength === 0);
    const max = maxInPipe();
    const isForeign = captures.some(({ stream }, index) => stream.bytesRead - (before[index] ?? 0) > max);
    if ((isRead && wasRead) || isForeign) close();
    wasRead = isRead;
  }, LOOK_MS);
}

/**
 * The assumed maximum in a stream on macOS, above any limit (sysctl(3), `kern.ipc.maxsockbuf`, 8 MiB; a pipe: 64 KiB).
 */
const DARWIN_MOST = 16 * 1024 ** 2;

/** The maximum of a pipe without capabilities (pipe(7)). */
function maxInPipe(): number {
  if (process.platform === "darwin") return DARWIN_MOST;
  try {
    return Number(readFileSync("/proc/sys/fs/pipe-max-size", "utf8"));
  } catch {
    // No descriptor is free for a check: the next one decides.
    return Number.POSITIVE_INFINITY;
  }
}
