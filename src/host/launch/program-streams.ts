import { closeSync, constants, fchownSync, openSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { nameOf, type Pipes, pipesCanNotBeOpened } from "./pipes.ts";

/** The streams that a program gets. */
export interface ProgramStreamsOptions {
  readonly hasStdin: boolean;
  readonly hasSizes: boolean;
  readonly hasCover: boolean;
  /** The owner of the pipes, if not the supervisor's user: only the owner may open one again, as `/dev/stdout`. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
}

/** The ends of one call's pipes that the launcher gets, by number. */
export interface LaunchersEnds {
  readonly stdin: number | null;
  readonly stdout: number;
  readonly stderr: number;
  readonly sizes: number | null;
  /** The reading end of a pipe without a writer. */
  readonly cover: number | null;
}

/** The streams of one program, all of them pipes: our ends, and those that the launcher is started with. */
export class ProgramStreams implements Disposable {
  readonly stdin: Writable | null;
  readonly sizes: Writable | null;
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly launchers: LaunchersEnds;
  /** The name of the cover in `/proc`; null without one. */
  readonly coverName: string | null;
  #given: number[];

  /** Throws `SANDBOX_UNAVAILABLE` if no pipes are available. */
  static async open(pipes: Pipes, options: ProgramStreamsOptions): Promise<ProgramStreams> {
    const count = 2 + Number(options.hasStdin) + Number(options.hasSizes) + Number(options.hasCover);
    const taken = await pipes.take(count);
    try {
      return new ProgramStreams(taken, options);
    } finally {
      for (const pipe of taken) closeSync(pipe);
    }
  }

  private constructor(
    pipes: readonly number[],
    { hasStdin, hasSizes, hasCover, owner }: ProgramStreamsOptions,
  ) {
    const [out = -1, err = -1, ...others] = pipes;
    const input = hasStdin ? others.shift() : undefined;
    const sizes = hasSizes ? others.shift() : undefined;
    const cover = hasCover ? others.shift() : undefined;
    const opened: number[] = [];
    let ours: Record<"stdin" | "sizes", number | null> & Record<"stdout" | "stderr", number>;
    const end = (pipe: number, flags: number): number => {
      const fd = openSync(`/proc/self/fd/${pipe}`, flags);
      opened.push(fd);
      return fd;
    };
    try {
      if (owner !== null)
        for (const pipe of pipes) if (pipe !== cover) fchownSync(pipe, owner.uid, owner.gid);
      this.launchers = {
        stdin: input === undefined ? null : end(input, constants.O_RDONLY),
        stdout: end(out, constants.O_WRONLY),
        stderr: end(err, constants.O_WRONLY),
        sizes: sizes === undefined ? null : end(sizes, constants.O_RDONLY),
        cover: cover === undefined ? null : end(cover, constants.O_RDONLY),
      };
      this.#given = [...opened];
      ours = {
        stdout: end(out, READING),
        stderr: end(err, READING),
        stdin: input === undefined ? null : end(input, WRITING),
        sizes: sizes === undefined ? null : end(sizes, WRITING),
      };
    } catch (cause) {
      for (const fd of opened) closeSync(fd);
      throw pipesCanNotBeOpened(cause);
    }
    this.stdout = new Socket({ fd: ours.stdout, readable: true, writable: false });
    this.stderr = new Socket({ fd: ours.stderr, readable: true, writable: false });
    this.stdin = writerOf(ours.stdin);
    this.sizes = writerOf(ours.sizes);
    this.coverName = this.launchers.cover === null ? null : nameOf(`/proc/self/fd/${this.launchers.cover}`);
    // Errors after the program's end, or that of a stream, are seen by that end.
    for (const stream of this.#streams) stream?.on("error", () => undefined);
  }

  get #streams() {
    return [this.stdin, this.sizes, this.stdout, this.stderr];
  }

  /** Closes the launcher's ends here, once it has them, or was not started: only then the others see an end. */
  handOver(): void {
    for (const fd of this.#given) closeSync(fd);
    this.#given = [];
  }

  [Symbol.dispose](): void {
    this.handOver();
    for (const stream of this.#streams) stream?.destroy();
  }
}

function writerOf(fd: number | null): Writable | null {
  return fd === null ? null : new Socket({ fd, readable: false, writable: true });
}

const READING = constants.O_RDONLY | constants.O_NONBLOCK;
const WRITING = constants.O_WRONLY | constants.O_NONBLOCK;
