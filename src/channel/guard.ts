const HEARD = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP"] as const;

/** What is done with a terminal around the end of this process. */
export interface Guarded {
  /** Puts the terminal as it was. */
  restore(): void;
  /** The process lives on after all: it is asked again. */
  resume(): void;
}

/**
 * Sees to it that the terminal is given back however this process ends or is stopped: by an exit, an exception that nobody
 * catches, or a signal. What else listens for such a signal is heard as if this guard were not there; where nothing else
 * does, the signal ends or stops the process as it would have.
 */
export class Guard implements Disposable {
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
    // First, because others may count who else listens before they let a signal end the process.
    for (const name of HEARD) process.prependListener(name, this.#onSignal);
  }

  /** Comes before an exception that nobody catches is told, too. */
  readonly #onExit = (): void => this.#guarded.restore();

  /** Whoever had the terminal while this process was stopped may have left it otherwise. */
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
