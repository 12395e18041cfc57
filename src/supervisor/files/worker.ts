import { z } from "zod";
import type { Plan, Standings } from "../../backend/plan.ts";
import { CofferdamError } from "../../errors.ts";
import type { Cgroups } from "../../host/cgroup/cgroups.ts";
import { encodeFrame, type Frame, FrameReader } from "../../host/frames.ts";
import { run } from "../../host/run.ts";
import type { Walls } from "../../host/run-options.ts";
import type { StartedBy } from "../../host/spawn.ts";
import type { Surroundings } from "../../host/surroundings.ts";
import { FileFaultError } from "../../tool/files/faults.ts";
import {
  ANSWERS,
  type FileAnswer,
  FileFault,
  type FileRequest,
  LARGEST_FRAME,
} from "../../tool/files/protocol.ts";

/** What a worker is started from. */
export interface WorkerStart {
  readonly plan: Plan;
  readonly standings: Standings;
  readonly surroundings: Surroundings;
  readonly runAs: { readonly uid: number; readonly gid: number } | null;
  readonly startedBy: StartedBy | null;
  readonly cgroups: Cgroups | null;
  /** The canonical text of the profile that the worker holds every path against. */
  readonly profile: string;
}

/** What ends the wait for an answer, and the worker with it. */
export interface ClearanceOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | null;
}

type RequestOf<Op extends FileRequest["op"]> = Extract<FileRequest, { readonly op: Op }>;

/** An answer, and the bytes that came with it. */
export interface Answered<Op extends FileRequest["op"]> {
  readonly answer: FileAnswer<Op>;
  readonly body: Uint8Array;
}

const Header = z.union([z.strictObject({ answer: z.unknown() }), z.strictObject({ fault: FileFault })]);

/** How long a worker may take to be ready, in milliseconds. */
const READY_MS = 20_000;

/**
 * A process that works on files inside proven walls, for as long as it is kept. What it says is not trusted: each answer
 * is checked, and one that is none ends it.
 */
export class FileWorker implements AsyncDisposable {
  readonly plan: Plan;
  readonly standings: Standings;
  readonly #stop = new AbortController();
  readonly #frames = new FrameReader(LARGEST_FRAME);
  readonly #ended: Promise<void>;
  #walls: Walls | null = null;
  /** Who waits for an answer, in the order of the questions. */
  readonly #waiting: PromiseWithResolvers<Frame>[] = [];
  #loss: Error | null = null;

  /** Starts one, and waits until it is ready. Throws `SANDBOX_UNAVAILABLE` when its walls did not stand. */
  static async start(from: WorkerStart): Promise<FileWorker> {
    const proven = Promise.withResolvers<Walls>();
    const worker = new FileWorker(from, proven);
    try {
      worker.#walls = await proven.promise;
      const { profile } = from;
      await worker.ask<"hello">({ op: "hello", profile }, undefined, { timeoutMs: READY_MS, signal: null });
      return worker;
    } catch (cause) {
      await worker[Symbol.asyncDispose]();
      throw cause;
    }
  }

  private constructor(from: WorkerStart, proven: PromiseWithResolvers<Walls>) {
    const { plan, standings, surroundings, runAs, startedBy, cgroups } = from;
    this.plan = plan;
    this.standings = standings;
    this.#ended = run(plan, {
      stdin: "held",
      wallMs: null,
      outputBytes: null,
      sinks: { stdout: (chunk) => this.#take(chunk), stderr: () => undefined },
      signal: this.#stop.signal,
      runAs,
      startedBy,
      surroundings,
      cgroups,
      onProven: proven.resolve,
    }).then(
      ({ code, reached }) =>
        this.#lose(
          lost(
            reached?.includes("memoryBytes") === true
              ? "it took more memory than it may"
              : `it ended with status ${code}`,
          ),
        ),
      (cause: unknown) => {
        proven.reject(cause);
        this.#lose(cause instanceof Error ? cause : lost("it could not be run"));
      },
    );
  }

  /** True until it is noticed that it has ended, or it was told to. */
  get isRunning(): boolean {
    return this.#loss === null;
  }

  /** Whether this process goes on because of it: not while nobody asks it anything. */
  keepAlive(isKept: boolean): void {
    this.#walls?.keepAlive(isKept);
  }

  /** What is different about its walls since they were proven; that it has ended, as soon as it has. */
  changes(): readonly string[] {
    if (this.#walls === null) return ["they were not proven"];
    return this.#walls.isRunning() ? this.mountChanges() : ["nobody is in them any more"];
  }

  /** Mounts that were lost, or arrived, since they were proven. */
  mountChanges(): readonly string[] {
    return this.#walls?.changes().map((change) => change.message) ?? [];
  }

  /**
   * Asks it one thing; what is asked meanwhile comes after it. Throws `FileFaultError` for what it could not do,
   * `WORKER_LOST` when it ended, `WALL_TIME` when the time was over, and what the signal says.
   */
  async ask<Op extends FileRequest["op"]>(
    request: RequestOf<Op>,
    body: Uint8Array | undefined,
    { timeoutMs, signal }: ClearanceOptions,
  ): Promise<Answered<Op>> {
    if (this.#loss !== null) throw this.#loss;
    signal?.throwIfAborted();
    const waiting = Promise.withResolvers<Frame>();
    this.#waiting.push(waiting);
    const timer = setTimeout(() => this.#end(tookTooLong(timeoutMs)), timeoutMs);
    const onAbort = (): void => this.#end(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      this.#walls?.input?.write(encodeFrame(JSON.stringify(request), body));
      return this.#read(request.op, await waiting.promise);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Lets it end; one that does not is ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#loss ??= lost("it was let go");
    this.#walls?.input?.end();
    this.#stop.abort();
    await this.#ended;
  }

  #read<Op extends FileRequest["op"]>(op: Op, { header, body }: Frame): Answered<Op> {
    const said = readHeader(header);
    if (said !== null && "fault" in said) throw new FileFaultError(said.fault);
    const schema: z.ZodType<FileAnswer<Op>> = schemaOf(op);
    const answer = schema.safeParse(said?.answer);
    if (answer.success) return { answer: answer.data, body };
    const error = lost("it answered what is no answer");
    this.#end(error);
    throw error;
  }

  #take(chunk: Buffer): void {
    try {
      for (const frame of this.#frames.take(chunk)) {
        const waiting = this.#waiting.shift();
        if (waiting === undefined) throw new RangeError("nothing was asked");
        waiting.resolve(frame);
      }
    } catch {
      this.#end(lost("it said what is no answer"));
    }
  }

  /** Ends it, for a reason that whoever waits is told. */
  #end(why: unknown): void {
    this.#lose(why instanceof Error ? why : lost("it was ended"));
    this.#stop.abort();
  }

  #lose(why: Error): void {
    this.#loss ??= why;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#loss);
  }
}

function readHeader(text: string): z.infer<typeof Header> | null {
  try {
    return Header.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The schema of one kind of answer; the table's own type does not say which belongs to which. */
function schemaOf<Op extends FileRequest["op"]>(op: Op): z.ZodType<FileAnswer<Op>> {
  const schemas: { readonly [Each in FileRequest["op"]]: z.ZodType<FileAnswer<Each>> } = ANSWERS;
  return schemas[op];
}

function lost(why: string): CofferdamError {
  return new CofferdamError("WORKER_LOST", `the process that works on files was lost: ${why}`, {
    hint: "call again: another one is started",
  });
}

function tookTooLong(timeoutMs: number): CofferdamError {
  return new CofferdamError("WALL_TIME", `the files were worked on for more than ${timeoutMs} ms`, {
    hint: "ask for less at once",
  });
}
