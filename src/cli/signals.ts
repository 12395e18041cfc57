import { constants } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * The signals that ask this process to end, and are heard. SIGQUIT is not: it ends this process at once whatever that is
 * at, and the kernel ends the sandbox with it.
 */
export const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The status that shells give a process that a signal has ended: 128 and the signal's number. */
export function statusOf(name: NodeJS.Signals): number {
  return 128 + constants.signals[name];
}

/**
 * From the start on an ending signal ends this process with its status, also where it is the first process of a
 * container, for which the kernel has no such default. A command that has more to do then listens by itself.
 */
export function exitBySignals(): void {
  for (const name of ENDING) process.on(name, exitNow);
  // Else Node opens its debugger at this one, on a port of the loopback that every user of the machine gets to, and so
  // does a tool with the host's network.
  process.on("SIGUSR1", () => undefined);
}

/** What `exitBySignals` has listen. */
export function exitNow(name: NodeJS.Signals): void {
  process.exit(statusOf(name));
}

/**
 * For when nothing is left to be done: a signal that has come by now is heard, and one that comes while Node clears up
 * ends this process as if nobody had ever listened.
 */
export async function unlessSignalled(): Promise<void> {
  // Signals are heard between two turns.
  for (let turn = 0; turn < 2; turn += 1) await nextTurn();
  for (const name of ENDING) process.off(name, exitNow);
}
