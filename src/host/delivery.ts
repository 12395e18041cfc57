import { readFileSync } from "node:fs";
import type { Capture, Captured } from "./output.ts";

/** How far apart the looks are whether all of a stream was read. */
const LOOK_MS = 250;

/** How long a cancelled call waits for whoever takes its output. */
const GRACE_MS = 1_000;

/**
 * Waits until all that a program said was read and handed on, once it has ended. A slow reader is waited for, whatever the
 * wall time; when the call is cancelled, before or now, for as long as a program has to end. What was not handed on by
 * then is counted as dropped.
 * Whoever else was handed the output is not waited for: streams are closed as soon as all of them were read, at two looks
 * in a row, or more was read than the program can have left in its pipe.
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
    const most = mostInPipe();
    const isForeign = captures.some(({ stream }, index) => stream.bytesRead - (before[index] ?? 0) > most);
    if ((isRead && wasRead) || isForeign) close();
    wasRead = isRead;
  }, LOOK_MS);
}

/**
 * What a stream holds at most. On macOS, where there is none to ask, more than it lets anybody set (sysctl(3),
 * `kern.ipc.maxsockbuf`, 8 MiB; a pipe holds 64 KiB).
 */
const DARWIN_MOST = 16 * 1024 ** 2;

/** No pipe of somebody without capabilities holds more (pipe(7)). */
function mostInPipe(): number {
  if (process.platform === "darwin") return DARWIN_MOST;
  try {
    return Number(readFileSync("/proc/sys/fs/pipe-max-size", "utf8"));
  } catch {
    // No descriptor is left for a look: the next one tells.
    return Number.POSITIVE_INFINITY;
  }
}
