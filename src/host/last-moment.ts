import { type AbsolutePath, knownPath } from "../profile/path.ts";
import { type Child, launchHelper } from "./spawn.ts";

const SHELL = knownPath("/bin/sh");

/** It waits for a line; where there comes none any more, whoever was to write it has ended. */
const SCRIPT = 'umask 077; read -r _ || : > "$1"';

/**
 * Makes a file the moment that this process ends, whatever ends it and however long it stood still before, unless this is disposed of
 * earlier: the kernel closes a pipe, on which a shell waits that does nothing else.
 */
export class LastMoment implements Disposable {
  readonly #shell: Child | null;

  /** Where no shell can be started, no file is made. */
  constructor(file: AbsolutePath) {
    this.#shell = started(file);
    this.#shell?.stdin?.on("error", () => undefined);
    this.#shell?.on("error", () => undefined).unref();
  }

  [Symbol.dispose](): void {
    this.#shell?.stdin?.end("\n");
  }
}

function started(file: AbsolutePath): Child | null {
  try {
    return launchHelper(SHELL, ["-c", SCRIPT, "sh", file], {
      stdio: ["pipe", "ignore", "ignore"],
      runAs: null,
    });
  } catch {
    return null;
  }
}
