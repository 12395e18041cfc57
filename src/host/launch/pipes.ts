import { closeSync, constants, openSync, readdirSync, readlinkSync, readSync } from "node:fs";
import { CofferdamError } from "../../errors.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import { orNull } from "../or-null.ts";
import { type LauncherChild, launchHelper } from "./spawn.ts";
import { firstByte, readableAt, writableAt } from "./streams.ts";

/** Number of pipes that one shell makes. */
const BATCH = 48;

/** With fewer left, the next ones are made in the background. */
const FEW = 8;

const MAKING_MS = 10_000;

/**
 * Makes the given number of pipes, reports that, and holds them until its input ends. Each level of the recursion has a
 * here-document on descriptor 3; a shell puts that of the level above aside, so that one process holds them all. A
 * short here-document is a pipe in dash (`openhere`), busybox (`openhere`) and bash since 5.1 (`here_document_to_fd`);
 * for an empty one bash makes none, so each holds a line.
 */
const HOLD = `hold() {
  if [ "$1" -gt 1 ]; then hold $(($1 - 1)); else printf r; read -r _; fi 3<<END

END
}
hold "$1"`;

/**
 * Fresh pipes, which no other process has or had. Node has no call for pipe(2): its pipes are pairs of sockets. A
 * socket gives its holder more than a pipe: descriptors can be sent over it (unix(7)), it reaches the network of its
 * maker, and it can't be opened again as `/dev/stdout`. A shell can make pipes, and a process that may look at it opens
 * them by their names in `/proc` (proc(5)). They have no name on any disk: nothing has to be removed, and no path of
 * the host is seen inside after `/dev/stdout`, as for a FIFO of mkfifo(1).
 */
export class Pipes implements Disposable {
  readonly #shell: AbsolutePath | null;
  #ready: number[] = [];
  #making: Promise<void> | null = null;
  #isDisposed = false;

  private constructor(shell: AbsolutePath | null) {
    this.#shell = shell;
  }

  /** For a system without `/proc`, which can't open pipes by name: none can be taken. */
  static none(): Pipes {
    return new Pipes(null);
  }

  /** Throws `SANDBOX_UNAVAILABLE` if this shell, one of the system's own, makes none. */
  static async madeBy(shell: AbsolutePath): Promise<Pipes> {
    const pipes = new Pipes(shell);
    await pipes.#more();
    return pipes;
  }

  /** Takes pipes: one descriptor each, for both ends, which the caller closes. Throws `SANDBOX_UNAVAILABLE`. */
  async take(count: number): Promise<readonly number[]> {
    while (this.#ready.length < count) await this.#more();
    const taken = this.#ready.slice(0, count);
    this.#ready = this.#ready.slice(count);
    // An error now is reported by the `take` that finds no pipe.
    if (this.#ready.length < FEW) this.#more().catch(() => undefined);
    return taken;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const fd of this.#ready) closeSync(fd);
    this.#ready = [];
  }

  #more(): Promise<void> {
    this.#making ??= this.#make().finally(() => {
      this.#making = null;
    });
    return this.#making;
  }

  async #make(): Promise<void> {
    if (this.#isDisposed)
      throw new CofferdamError("INTERNAL", "pipes were requested after the supervisor was closed");
    const shell = this.#shell;
    if (shell === null) throw new CofferdamError("INTERNAL", "pipes can't be created on this system");
    const others = ownPipes();
    const child = launchHelper(shell, ["-c", HOLD, "cofferdam", String(BATCH)], {
      stdio: ["pipe", "pipe", "ignore"],
      runAs: null,
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), MAKING_MS);
    try {
      const isHolding = (await firstByte(readableAt(child, 1))) === "r";
      const made = isHolding ? openPipes(child, others) : [];
      if (made.length === 0) throw unavailable(shell);
      if (this.#isDisposed) for (const fd of made) closeSync(fd);
      else this.#ready = [...this.#ready, ...made];
    } finally {
      clearTimeout(timer);
      writableAt(child, 0).destroy();
    }
  }
}

/** Opens the pipes of a holding shell, except those that it inherited. */
function openPipes({ pid }: LauncherChild, others: ReadonlySet<string>): readonly number[] {
  const opened: number[] = [];
  if (pid === undefined) return opened;
  try {
    for (const [pipe, fd] of pipesOf(pid))
      if (!others.has(pipe)) opened.push(openEmpty(`/proc/${pid}/fd/${fd}`));
    return opened;
  } catch (cause) {
    for (const fd of opened) closeSync(fd);
    throw pipesCanNotBeOpened(cause);
  }
}

/** The error if pipes are there and can't be opened: nearly always descriptors have run out. */
export function pipesCanNotBeOpened(cause: unknown): CofferdamError {
  return new CofferdamError("SANDBOX_UNAVAILABLE", "the pipes for a program could not be opened", {
    hint: "raise `ulimit -n`, or end programs with many open files",
    cause,
  });
}

/** Opens both ends of a pipe in one, and removes the line that its shell wrote. */
function openEmpty(path: string): number {
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  readSync(fd, Buffer.alloc(16));
  return fd;
}

function ownPipes(): ReadonlySet<string> {
  try {
    return new Set(pipesOf("self").keys());
  } catch (cause) {
    throw pipesCanNotBeOpened(cause);
  }
}

/** The pipes of a process, by name, each with a descriptor of it. */
function pipesOf(pid: number | "self"): ReadonlyMap<string, string> {
  const folder = `/proc/${pid}/fd`;
  const named = readdirSync(folder).map((fd) => [nameOf(`${folder}/${fd}`), fd] as const);
  return new Map(named.filter(([name]) => name.startsWith("pipe:")));
}

/** The target of a descriptor; empty if it was closed meanwhile. */
export function nameOf(path: string): string {
  return orNull(() => readlinkSync(path)) ?? "";
}

function unavailable(shell: AbsolutePath): CofferdamError {
  return new CofferdamError("SANDBOX_UNAVAILABLE", `${shell} can't create pipes for the program's output`, {
    hint: `install dash, busybox, or bash 5.1 or newer as ${shell}`,
  });
}
