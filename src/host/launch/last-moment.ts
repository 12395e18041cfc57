import { type AbsolutePath, knownPath } from "../../profile/path.ts";
import { orNull } from "../or-null.ts";
import { type LauncherChild, launchHelper } from "./spawn.ts";

const SHELL = knownPath("/bin/sh");

/** Waits for a line; the end of the input means that its writer has ended. */
const SCRIPT = 'umask 077; read -r _ || : > "$1"';

/**
 * Makes a file the moment this process ends, for whatever reason and after any standstill, unless this is disposed of
 * earlier: the kernel closes a pipe, and a shell waits on the other end.
 */
export class LastMoment implements Disposable {
  readonly #shell: LauncherChild | null;

  /** If no shell can be started, no file is made. */
  constructor(file: AbsolutePath) {
    this.#shell = started(file);
    this.#shell?.stdin?.on("error", () => undefined);
    this.#shell?.on("error", () => undefined).unref();
  }

  [Symbol.dispose](): void {
    this.#shell?.stdin?.end("\n");
  }
}

function started(file: AbsolutePath): LauncherChild | null {
  return orNull(() =>
    launchHelper(SHELL, ["-c", SCRIPT, "sh", file], { stdio: ["pipe", "ignore", "ignore"], runAs: null }),
  );
}
