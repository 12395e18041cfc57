import { Socket } from "node:net";
import { CofferdamError } from "../../../errors.ts";
import type { AbsolutePath } from "../../../profile/path.ts";
import { type LauncherChild, launchHelper, type SpawnOptions } from "../spawn.ts";

/**
 * An idle process outside every sandbox, of the tools' user. Start programs try to signal it, and the killer of a
 * sandbox's processes is first asked to kill it; both must fail. It ends with this process, whose end closes its input.
 */
export class Outsider implements Disposable {
  readonly #shell: AbsolutePath;
  readonly #runAs: SpawnOptions["runAs"];
  #child: LauncherChild | null = null;

  constructor(shell: AbsolutePath, runAs: SpawnOptions["runAs"]) {
    this.#shell = shell;
    this.#runAs = runAs;
  }

  /** Its pid, which stays its own until its end is reported. Starts it, or another one after it has ended. */
  pid(): number {
    if (this.#child === null || this.#child.exitCode !== null || this.#child.signalCode !== null)
      this.#child = this.#start();
    const { pid } = this.#child;
    if (pid === undefined) throw new CofferdamError("INTERNAL", "the started process has no pid");
    return pid;
  }

  [Symbol.dispose](): void {
    this.#child?.stdin?.destroy();
    this.#child?.kill("SIGKILL");
    this.#child = null;
  }

  #start(): LauncherChild {
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
