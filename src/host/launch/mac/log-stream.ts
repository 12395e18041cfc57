import { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { AbsolutePath } from "../../../profile/path.ts";
import { pause } from "../../pause.ts";
import { endOf } from "../ending.ts";
import { type LauncherChild, launchHelper } from "../spawn.ts";
import { readableAt } from "../streams.ts";
import { type LogEntry, readLogLine } from "./violation.ts";

/** Time limit, in milliseconds, for it to report that it reads, and for it to end. */
const READY_MS = 2_000;
const ENDING_MS = 1_000;

/** Maximum length of a line; a message of `sandboxd` with a backtrace has some ten thousand characters. */
const MAX_LINE_LENGTH = 64 * 1024;

/** Messages of the kernel's Sandbox, of `sandboxd`, and about lost messages. Each record's sender is checked again. */
const PREDICATE = [
  '(processID == 0 AND senderImagePath CONTAINS "/Sandbox")',
  '(subsystem == "com.apple.sandbox.reporting")',
  '(processID == 0 AND eventMessage CONTAINS "log message per second limit")',
].join(" OR ");

const WORDS = ["stream", "--style", "ndjson", "--level", "debug", "--predicate", PREDICATE] as const;

/** All running streams. They end with this process, except after SIGKILL; then a stream ends with its next line. */
const allRunning = new Set<LauncherChild>();
const endAll = (): void => {
  for (const child of allRunning) child.kill("SIGKILL");
};

/** One `log stream`, outside every sandbox: inside one it ends at once. It needs no clean-up, so SIGKILL ends it. */
export class LogStream implements AsyncDisposable {
  /** Resolves when known or after the time limit: true if it reads. */
  readonly ready: Promise<boolean>;
  /** Resolves with its status, as a shell reports it. */
  readonly ended: Promise<number>;
  readonly #child: LauncherChild;
  readonly #said: Readable;
  readonly #handle: (entry: LogEntry) => void;
  readonly #beReady: () => void;
  #isReady = false;
  /** The start of an unfinished line; null if the line is too long. */
  #line: string | null = "";

  /** Throws `SANDBOX_UNAVAILABLE` if it can't be started, `INTERNAL` off the main thread. */
  constructor(program: AbsolutePath, take: (entry: LogEntry) => void) {
    this.#handle = take;
    this.#child = launchHelper(program, WORDS, { stdio: ["ignore", "pipe", "ignore"], runAs: null });
    if (allRunning.size === 0) process.on("exit", endAll);
    allRunning.add(this.#child);
    this.#said = readableAt(this.#child, 1);
    // Its remaining output is not waited for.
    this.#child.unref();
    if (this.#said instanceof Socket) this.#said.unref();
    this.#said.setEncoding("utf8");
    this.#said.on("data", (text: string) => this.#read(text));
    this.#said.on("error", () => undefined);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, READY_MS, false);
    this.#beReady = () => resolve(true);
    this.ready = promise.finally(() => clearTimeout(timer));
    this.ended = endOf(this.#child).finally(() => {
      resolve(false);
      if (allRunning.delete(this.#child) && allRunning.size === 0) process.off("exit", endAll);
    });
  }

  /** True once it has reported that it reads, or any record. */
  get isReady(): boolean {
    return this.#isReady;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    this.#said.destroy();
    const ended = new AbortController();
    await Promise.race([this.ended, pause(ENDING_MS, { signal: ended.signal })]);
    ended.abort();
  }

  #read(text: string): void {
    const [end = "", ...starts] = text.split("\n");
    this.#extend(end);
    for (const start of starts) {
      this.#handleLine();
      this.#line = "";
      this.#extend(start);
    }
  }

  #extend(text: string): void {
    if (this.#line === null) return;
    this.#line = this.#line.length + text.length > MAX_LINE_LENGTH ? null : this.#line + text;
  }

  #handleLine(): void {
    const entry = this.#line === null ? LOST : readLogLine(this.#line);
    if (entry === null) return;
    this.#isReady = true;
    this.#beReady();
    this.#handle(entry);
  }
}

const LOST: LogEntry = { kind: "lossy" };
