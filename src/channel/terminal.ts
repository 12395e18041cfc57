import { userInfo } from "node:os";
import type { ApprovalHandler, Asking, HandlerAnswer } from "../approval/handler.ts";
import { CofferdamError } from "../errors.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { Screen } from "./screen.ts";
import { Sitting } from "./sitting.ts";
import { openTty } from "./tty.ts";

/** How people are asked at the terminal. */
export interface TerminalOptions {
  /** Who answers; the user of this process, unless told otherwise. */
  readonly person?: string;
  /** Decides about colours: NO_COLOR, FORCE_COLOR and TERM. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Is taken while a question is up, so that other output can wait; while it is lent to a program, questions wait. */
  readonly screen?: Screen;
}

/**
 * Asks the person at the controlling terminal of this process, whatever stdin and stdout are, about any number of calls
 * that wait at once. A request that is answered elsewhere or given up is rejected with its signal's reason. Rejects with
 * `CHANNEL_CLOSED` where there is no terminal, and when it is lost before the answer. One handler is enough for a
 * process: two that ask at once would take each other's keys.
 */
export function terminalHandler(options: TerminalOptions = {}): ApprovalHandler {
  const terminal = new Terminal(options);
  return { requestApproval: (request, asking) => terminal.ask(request, asking) };
}

class Terminal {
  readonly #person: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #screen: Screen;
  #sitting: Sitting | null = null;

  constructor({ person = userName(), env = process.env, screen = new Screen() }: TerminalOptions) {
    this.#person = person;
    this.#env = env;
    this.#screen = screen;
  }

  async ask(request: ApprovalRequest, asking: Asking): Promise<HandlerAnswer> {
    asking.signal.throwIfAborted();
    while (this.#screen.isLent) {
      await Promise.race([this.#screen.back(), aborted(asking.signal)]);
      asking.signal.throwIfAborted();
    }
    this.#sitting ??= this.#open();
    return this.#sitting.ask(request, asking);
  }

  #open(): Sitting {
    const tty = openTty();
    if (tty === null) throw new CofferdamError("CHANNEL_CLOSED", "there is no terminal to ask on");
    this.#screen.take();
    return new Sitting(tty, this.#person, this.#env, () => {
      this.#sitting = null;
      this.#screen.release();
    });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
