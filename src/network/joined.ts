import type { Socket } from "node:net";

/** How long a side whose other is gone may take to hang up, once it was told all, in milliseconds. */
const GRACE_MS = 2_000;

/**
 * Lets two sockets end together, whoever passes on what they say: either direction ends by itself, and where one side
 * breaks, so does the other. False where one of them is over already, and with it both.
 */
export function endTogether(a: Socket, b: Socket): boolean {
  for (const one of [a, b]) {
    one.on("error", () => undefined);
    one.setNoDelay(true);
  }
  a.once("close", () => ending(b, a));
  b.once("close", () => ending(a, b));
  if (!a.destroyed && !b.destroyed) return true;
  a.destroy();
  b.destroy();
  return false;
}

/** A side is gone: what it said is still told to the other, which nobody hears any more. */
function ending(other: Socket, gone: Socket): void {
  if (!gone.readableEnded) {
    other.destroy();
    return;
  }
  other.unpipe(gone).resume();
  other.end();
  const leave = (): void => void setTimeout(() => other.destroy(), GRACE_MS).unref();
  if (other.writableFinished) leave();
  else other.once("finish", leave);
}
