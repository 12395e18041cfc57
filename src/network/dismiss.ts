import type { Duplex } from "node:stream";

/** How long somebody who was told the last may take to hang up, in milliseconds. */
const HANG_UP_MS = 2_000;

/**
 * Says the last to a program, or nothing more. What it still sends is read and dropped; where it does not hang up, that is
 * done for it.
 */
export function dismiss(client: Duplex, last?: Buffer): void {
  client.end(last);
  client.resume();
  if (client.destroyed) return;
  const timer = setTimeout(() => client.destroy(), HANG_UP_MS).unref();
  client.once("close", () => clearTimeout(timer));
}
