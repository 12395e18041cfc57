import { constants } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";

/** The handled signals that end this process. SIGQUIT is not handled: it ends this process and its sandbox at once. */
export const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The status that shells report for a process ended by a signal: 128 plus the signal's number. */
export function statusOf(name: NodeJS.Signals): number {
  return 128 + constants.signals[name];
}

/** Ends this process with a signal's status: the kernel has no such default for a container's first process. */
export function exitBySignals(): void {
  for (const name of ENDING) process.on(name, exitNow);
  // Without this, Node opens its debugger at this signal, on a loopback port. Every user of the machine can connect to
  // it, and so can a tool with the host's network.
  process.on("SIGUSR1", () => undefined);
}

/** The listener of `exitBySignals`. */
export function exitNow(name: NodeJS.Signals): void {
  process.exit(statusOf(name));
}

/** Called when no work is left. Handles a signal that has arrived; a later one ends this process as by default. */
export async function unlessSignalled(): Promise<void> {
  // Signals are delivered between two turns of the event loop.
  for (let turn = 0; turn < 2; turn += 1) await nextTurn();
  for (const name of ENDING) process.off(name, exitNow);
}
