import { Socket } from "node:net";
import { CofferdamError } from "../../errors.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import { type Child, launchHelper, type SpawnOptions } from "../spawn.ts";

/**
 * A process outside of every sandbox, of the user that tools run as, that does nothing: gates try whether they can signal it,
 * and what ends a sandbox's processes is first told to kill it. It ends with this process, whose end closes its input.
 */
export class Outsider implements Disposable {
  readonly #shell: AbsolutePath;
  readonly #runAs: SpawnOptions["runAs"];
  #child: Child | null = null;

  constructor(shell: AbsolutePath, runAs: SpawnOptions["runAs"]) {
    this.#shell = shell;
    this.#runAs = runAs;
  }

  /** Its pid, which nobody else has before its end was told. Starts it, or another where it has ended. */
  pid(): number {
    if (this.#child === null || this.#child.exitCode !== null || this.#child.signalCode !== null)
      this.#child = this.#start();
    const { pid } = this.#child;
    if (pid === undefined) throw new CofferdamError("INTERNAL", "what was started has no pid");
    return pid;
  }

  [Symbol.dispose](): void {
    this.#child?.stdin?.destroy();
    this.#child?.kill("SIGKILL");
    this.#child = null;
  }

  #start(): Child {
    const child = launchHelper(this.#shell, ["-c", "read -r _"], {
      stdio: ["pipe", "ignore", "ignore"],
      runAs: this.#runAs,
    });
    child.stdin?.on("error", () => undefined);
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    return child;
  }
}
