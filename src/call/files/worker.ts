import { z } from "zod";
import type { EnforcementReport, Plan } from "../../backend/plan.ts";
import { CofferdamError } from "../../errors.ts";
import type { Cgroups } from "../../host/launch/cgroup/cgroups.ts";
import { encodeFrame, type PipeFrame, PipeFrameReader } from "../../host/launch/frames.ts";
import { run } from "../../host/launch/run.ts";
import type { RunningSandbox } from "../../host/launch/run-options.ts";
import type { StartedBy } from "../../host/launch/spawn.ts";
import type { Surroundings } from "../../host/launch/surroundings.ts";
import { orNull } from "../../host/or-null.ts";
import { FileFaultError } from "../../tool/files/faults.ts";
import {
  ANSWERS,
  type FileAnswer,
  FileFault,
  type FileRequest,
  LARGEST_FRAME,
} from "../../tool/files/protocol.ts";

/** The start parameters of a worker. */
export interface WorkerStart {
  readonly plan: Plan;
  readonly enforcement: EnforcementReport;
  readonly surroundings: Surroundings;
  readonly runAs: { readonly uid: number; readonly gid: number } | null;
  readonly startedBy: StartedBy | null;
  readonly cgroups: Cgroups | null;
  /** The canonical text of the profile against which the worker checks every path. */
  readonly profile: string;
}

/** Limits of the wait for an answer; reaching one ends the worker, too. */
export interface WorkerWaitOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | null;
}

type RequestOf<Op extends FileRequest["op"]> = Extract<FileRequest, { readonly op: Op }>;

/** An answer, and the bytes that came with it. */
export interface WorkerReply<Op extends FileRequest["op"]> {
  readonly answer: FileAnswer<Op>;
  readonly body: Uint8Array;
}

const Header = z.union([z.strictObject({ answer: z.unknown() }), z.strictObject({ fault: FileFault })]);

/** Maximum time until a worker is ready, in milliseconds. */
const READY_MS = 20_000;

/**
 * A process that works on files in a proven sandbox until it is disposed. Its messages are not trusted: each answer is
 * checked, and an invalid one ends it.
 */
export class FileWorker implements AsyncDisposable {
  readonly plan: Plan;
  readonly enforcement: EnforcementReport;
  readonly #stop = new AbortController();
  readonly #frames = new PipeFrameReader(LARGEST_FRAME);
  readonly #ended: Promise<void>;
  #sandbox: RunningSandbox | null = null;
  readonly #waiting: PromiseWithResolvers<PipeFrame>[] = [];
  #loss: Error | null = null;

  /** Starts one, and waits until it is ready. Throws `SANDBOX_UNAVAILABLE` if its sandbox could not be built. */
  static async start(from: WorkerStart): Promise<FileWorker> {
    const proven = Promise.withResolvers<RunningSandbox>();
    const worker = new FileWorker(from, proven);
    try {
      worker.#sandbox = await proven.promise;
      const { profile } = from;
      await worker.ask<"hello">({ op: "hello", profile }, undefined, { timeoutMs: READY_MS, signal: null });
      return worker;
    } catch (cause) {
      await worker[Symbol.asyncDispose]();
      throw cause;
    }
  }

  private constructor(from: WorkerStart, proven: PromiseWithResolvers<RunningSandbox>) {
    const { plan, enforcement, surroundings, runAs, startedBy, cgroups } = from;
    this.plan = plan;
    this.enforcement = enforcement;
    this.#ended = run(plan, {
      stdin: "held",
      wallMs: null,
      outputBytes: null,
      sinks: { stdout: (chunk) => this.#handle(chunk), stderr: () => undefined },
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
              ? "it exceeded its memory limit"
              : `it ended with status ${code}`,
          ),
        ),
      (cause: unknown) => {
        proven.reject(cause);
        this.#lose(cause instanceof Error ? cause : lost("it could not be run"));
      },
    );
  }

  /** True until its end is noticed or ordered. */
  get isRunning(): boolean {
    return this.#loss === null;
  }

  /** Runs work with it. If it is ended meanwhile, waits for its end: until then it may still make files. */
  async untilAtRest<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } finally {
      if (!this.isRunning) await this[Symbol.asyncDispose]();
    }
  }

  /** Sets whether it keeps this process alive: not while it has no request. */
  keepAlive(isKept: boolean): void {
    this.#sandbox?.keepAlive(isKept);
  }

  changes(): readonly string[] {
    if (this.#sandbox === null) return ["they were not verified"];
    return this.#sandbox.isRunning() ? this.mountChanges() : ["its process has ended"];
  }

  mountChanges(): readonly string[] {
    return this.#sandbox?.changes().map((change) => change.message) ?? [];
  }

  /** Sends one request; later ones queue. Throws `FileFaultError`, `WORKER_LOST`, `WALL_TIME`, the signal's reason. */
  async ask<Op extends FileRequest["op"]>(
    request: RequestOf<Op>,
    body: Uint8Array | undefined,
    { timeoutMs, signal }: WorkerWaitOptions,
  ): Promise<WorkerReply<Op>> {
    if (this.#loss !== null) throw this.#loss;
    signal?.throwIfAborted();
    const waiting = Promise.withResolvers<PipeFrame>();
    this.#waiting.push(waiting);
    const timer = setTimeout(() => this.#end(tookTooLong(timeoutMs)), timeoutMs);
    const onAbort = (): void => this.#end(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      this.#sandbox?.input?.write(encodeFrame(JSON.stringify(request), body));
      return this.#read(request.op, await waiting.promise);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Lets it end; kills it if it does not. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#loss ??= lost("it was stopped");
    this.#sandbox?.input?.end();
    this.#stop.abort();
    await this.#ended;
  }

  #read<Op extends FileRequest["op"]>(op: Op, { header, body }: PipeFrame): WorkerReply<Op> {
    const said = orNull(() => Header.parse(JSON.parse(header)));
    if (said !== null && "fault" in said) throw new FileFaultError(said.fault);
    const schema: z.ZodType<FileAnswer<Op>> = schemaOf(op);
    const answer = schema.safeParse(said?.answer);
    if (answer.success) return { answer: answer.data, body };
    const error = lost("it sent an invalid answer");
    this.#end(error);
    throw error;
  }

  #handle(chunk: Buffer): void {
    try {
      for (const frame of this.#frames.parse(chunk)) {
        const waiting = this.#waiting.shift();
        if (waiting === undefined) throw new RangeError("there was no request");
        waiting.resolve(frame);
      }
    } catch {
      this.#end(lost("it sent an invalid answer"));
    }
  }

  #end(why: unknown): void {
    this.#lose(why instanceof Error ? why : lost("it was ended"));
    this.#stop.abort();
  }

  #lose(why: Error): void {
    this.#loss ??= why;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#loss);
  }
}

/** The schema of one kind of answer; the table's own type does not link the two. */
function schemaOf<Op extends FileRequest["op"]>(op: Op): z.ZodType<FileAnswer<Op>> {
  const schemas: { readonly [Each in FileRequest["op"]]: z.ZodType<FileAnswer<Each>> } = ANSWERS;
  return schemas[op];
}

function lost(why: string): CofferdamError {
  return new CofferdamError("WORKER_LOST", `the process of the file tools was lost: ${why}`, {
    hint: "call again: a new one is started",
  });
}

function tookTooLong(timeoutMs: number): CofferdamError {
  return new CofferdamError("WALL_TIME", `the file tool took more than ${timeoutMs} ms`, {
    hint: "request less at once",
  });
}

/** Maximum time of one request, in milliseconds. A walk ends earlier by itself, to report its findings. */
export function timeFor(request: FileRequest): number {
  return "timeMs" in request ? request.timeMs + 2_000 : 30_000;
}
