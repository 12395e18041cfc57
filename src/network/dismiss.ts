import type { Duplex } from "node:stream";

/** How long a client may take to hang up after the last answer, in milliseconds. */
const HANG_UP_MS = 2_000;

/** Sends the last bytes, if any, and drops further input; closes a client that does not hang up. */
export function dismiss(client: Duplex, last?: Buffer): void {
  client.end(last);
  client.resume();
  if (client.destroyed) return;
  const timer = setTimeout(() => client.destroy(), HANG_UP_MS).unref();
  client.once("close", () => clearTimeout(timer));
}
