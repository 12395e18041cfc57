import type { Socket } from "node:net";

/** How long a side may take to hang up after the other is gone, in milliseconds. */
const GRACE_MS = 2_000;

/** Ends two sockets together: each direction ends by itself; a break ends both. False if one is already over. */
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

/** A side is gone: its remaining data is still sent to the other, whose own data has no receiver. */
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
