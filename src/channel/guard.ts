const HEARD = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP"] as const;

/** The actions on a terminal around the end of this process. */
export interface Guarded {
  restore(): void;
  /** Asks again: the process continues after a stop. */
  resume(): void;
}

/**
 * Restores the terminal however this process ends or is stopped. Other listeners of a signal run as without this guard;
 * if there are none, the signal ends or stops the process as usual.
 */
export class TerminalGuard implements Disposable {
  readonly #guarded: Guarded;
  #isOn = true;

  constructor(guarded: Guarded) {
    this.#guarded = guarded;
    process.on("exit", this.#onExit);
    process.on("SIGCONT", this.#onContinue);
    this.#listen();
  }

  [Symbol.dispose](): void {
    this.#isOn = false;
    process.off("exit", this.#onExit);
    process.off("SIGCONT", this.#onContinue);
    for (const name of HEARD) process.off(name, this.#onSignal);
  }

  #listen(): void {
    // First, because others may count the other listeners before they let a signal end the process.
    for (const name of HEARD) process.prependListener(name, this.#onSignal);
  }

  /** Also runs before an uncaught exception is printed. */
  readonly #onExit = (): void => this.#guarded.restore();

  /** Another process may have changed the terminal while this one was stopped. */
  readonly #onContinue = (): void => {
    this.#guarded.restore();
    this.#guarded.resume();
  };

  readonly #onSignal = (name: NodeJS.Signals): void => {
    this.#guarded.restore();
    for (const each of HEARD) process.off(each, this.#onSignal);
    if (process.listenerCount(name) === 0) process.kill(process.pid, name);
    setImmediate(() => {
      if (!this.#isOn) return;
      this.#listen();
      this.#guarded.resume();
    });
  };
}
