import { userInfo } from "node:os";
import type { ApprovalHandler, Asking, HandlerAnswer } from "../approval/handler.ts";
import { CofferdamError } from "../errors.ts";
import { aborted } from "../host/pause.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { TerminalScreen } from "./screen.ts";
import { TerminalSession } from "./sitting.ts";
import { openTty } from "./tty.ts";

/** Options of the terminal channel. */
export interface TerminalOptions {
  /** Name of the answerer. Default the user of this process. */
  readonly person?: string;
  /** Decides about colours: NO_COLOR, FORCE_COLOR and TERM. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Taken while a request is shown, so that other output can wait. While it is lent to a program, requests wait. */
  readonly screen?: TerminalScreen;
}

/**
 * Asks the person at the controlling terminal of this process, whatever stdin and stdout are. Any number of calls may
 * wait at the same time. A request that is answered elsewhere or aborted rejects with its signal's reason. Rejects with
 * `CHANNEL_CLOSED` if there is no terminal, or if it is lost before the answer. Use one handler per process: two would
 * take each other's keys.
 */
export function terminalHandler(options: TerminalOptions = {}): ApprovalHandler {
  const terminal = new Terminal(options);
  return { requestApproval: (request, asking) => terminal.ask(request, asking) };
}

class Terminal {
  readonly #person: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #screen: TerminalScreen;
  #sitting: TerminalSession | null = null;

  constructor({ person = userName(), env = process.env, screen = new TerminalScreen() }: TerminalOptions) {
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

  #open(): TerminalSession {
    const tty = openTty();
    if (tty === null) throw new CofferdamError("CHANNEL_CLOSED", "there is no terminal to ask on");
    this.#screen.take();
    return new TerminalSession(tty, this.#person, this.#env, () => {
      this.#sitting = null;
      this.#screen.release();
    });
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
