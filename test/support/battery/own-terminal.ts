import type { CallOptions } from "../../../src/call/call-options.ts";
import type { TerminalWindow } from "../../../src/host/launch/window.ts";
import type { Session } from "../../../src/session/session.ts";
import type { Supervisor } from "../../../src/session/supervisor.ts";
import { CALLER } from "./people.ts";
import { Place, type Settings } from "./place.ts";
import { OPENS_TTY, PUSHES } from "./terminal.ts";

/** Commands have terminals of their own. */
export const TERMINAL: Settings = { shell: { terminal: true, default: { approval: false } } };

/** They have none, whoever asks. */
export const NONE: Settings = { shell: { terminal: false, default: { approval: false } } };

export const WINDOW: TerminalWindow = { size: () => ({ columns: 91, rows: 33 }) };

/** A line for the shell, as words. */
export const sh = (line: string): [string, ...string[]] => ["sh", "-c", line];

/** Looks at its terminal, tries to push a letter into it, and writes down which descriptors it has. */
export const LOOKS = sh(
  `for fd in 0 1 2; do test -t $fd && echo is $fd; done; (${OPENS_TTY}) 2>/dev/null && echo opened; tty; stty size; (${PUSHES}) 2>/dev/null && echo pushed; echo $(ls /proc/self/fd) >fds; ls /dev/pts; echo err >&2`,
);

/** A place of the caller's with a supervisor in this process, whose commands have terminals. */
export class Seat implements AsyncDisposable {
  readonly place: Place;
  readonly #supervisor: Supervisor;
  readonly #session: Session;

  static async take(): Promise<Seat> {
    const place = new Place(CALLER);
    return new Seat(place, await place.supervisor(TERMINAL));
  }

  private constructor(place: Place, supervisor: Supervisor) {
    this.place = place;
    this.#supervisor = supervisor;
    this.#session = supervisor.session({ caller: "person" });
  }

  /** Calls a program, and answers with what became of it and all that it said. */
  async call(argv: readonly [string, ...string[]], options: CallOptions = {}) {
    let shown = "";
    const show = (chunk: Buffer): void => {
      shown += chunk.toString("latin1");
    };
    const sinks = { stdout: show, stderr: show };
    const outcome = await this.#session.call("shell", { argv: [...argv] }, { sinks, ...options });
    return { outcome, shown, code: "code" in outcome ? outcome.code : null };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#supervisor[Symbol.asyncDispose]();
    this.place[Symbol.dispose]();
  }
}
