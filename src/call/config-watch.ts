import { CofferdamError } from "../errors.ts";
import type { AbsolutePath } from "../profile/path.ts";

/** The effect of a change of the config, of an operator profile or of trust on running sessions. */
export interface ConfigChange {
  /** The new rules apply; the changed config is not trusted and can only restrict; or no call runs. */
  readonly effect: "applied" | "restricted" | "stopped";
  /** The config in force; null for the built-in one. */
  readonly config: AbsolutePath | null;
  /** One line: the change, and its meaning for calls. */
  readonly message: string;
  /** True if calls may get access that they did not have before the change. */
  readonly isWider: boolean;
  /** Changed settings that only a restart applies, such as `approval.channels`. */
  readonly restart: readonly string[];
}

/** Keeps a supervisor to its config, operator profiles and trust as they are at each moment. */
export interface ConfigWatch<Context> {
  /** The result of the last look. */
  readonly shared: Context;
  /**
   * Looks whether anything has changed, and returns what is in force now. Reads files only after a change. Throws
   * `CallsStoppedError` while no call may run.
   */
  look(): Promise<Context>;
  /** False if anything has changed since, for the last moment before a start. */
  isCurrent(shared: Context): boolean;
  /** Calls the listener after each change, until the result is disposed. */
  onChange(listener: (change: ConfigChange) => void): Disposable;
}

/** No call may run now: trust was revoked, or a file that decides about calls can't be used. */
export class CallsStoppedError extends CofferdamError {
  constructor({ code, message, hint = "" }: CofferdamError) {
    super(code, `no call runs now: ${message}`, { hint });
  }
}
