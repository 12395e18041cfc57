import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { AbsolutePath } from "../../profile/path.ts";
import { endOf } from "../ending.ts";
import { type Child, launchHelper } from "../spawn.ts";
import { readableAt } from "../streams.ts";
import { type LogEntry, readLogLine } from "./violation.ts";

/** For so long it is waited for, in milliseconds: until it says that it reads, and until it has ended. */
const READY_MS = 2_000;
const ENDING_MS = 1_000;

/** No line is longer; what `sandboxd` says with a backtrace is some ten thousand characters. */
const MOST_OF_A_LINE = 64 * 1024;

/**
 * What the kernel's Sandbox says, what `sandboxd` says, and that the kernel said too much. Who really said it is looked at
 * again in each record.
 */
const PREDICATE = [
  '(processID == 0 AND senderImagePath CONTAINS "/Sandbox")',
  '(subsystem == "com.apple.sandbox.reporting")',
  '(processID == 0 AND eventMessage CONTAINS "log message per second limit")',
].join(" OR ");

const WORDS = ["stream", "--style", "ndjson", "--level", "debug", "--predicate", PREDICATE] as const;

/** All that run. However this process ends, but by SIGKILL, none is left; after that one ends with the next line it says. */
const allRunning = new Set<Child>();
const endAll = (): void => {
  for (const child of allRunning) child.kill("SIGKILL");
};

/**
 * One `log stream`, from its start to its end, outside of all walls: inside a sandbox it ends at once. It holds nothing
 * that would have to be put in order: SIGKILL ends it.
 */
export class LogStream implements AsyncDisposable {
  /** Resolves with whether it reads, when that is known or the time is up. */
  readonly ready: Promise<boolean>;
  /** Resolves with its status, as a shell tells it. */
  readonly ended: Promise<number>;
  readonly #child: Child;
  readonly #said: Readable;
  readonly #take: (entry: LogEntry) => void;
  readonly #beReady: () => void;
  #isReady = false;
  /** The start of a line whose end has not come; null for one that is too long to be read. */
  #line: string | null = "";

  /** Throws `SANDBOX_UNAVAILABLE` where it can't be started, `INTERNAL` off the main thread. */
  constructor(program: AbsolutePath, take: (entry: LogEntry) => void) {
    this.#take = take;
    this.#child = launchHelper(program, WORDS, { stdio: ["ignore", "pipe", "ignore"], runAs: null });
    if (allRunning.size === 0) process.on("exit", endAll);
    allRunning.add(this.#child);
    this.#said = readableAt(this.#child, 1);
    // Nobody waits for what it may still say.
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

  /** Whether it has said by now that it reads, or anything that it read. */
  get isReady(): boolean {
    return this.#isReady;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    this.#said.destroy();
    const ended = new AbortController();
    await Promise.race([this.ended, pause(ENDING_MS, null, { signal: ended.signal }).catch(() => null)]);
    ended.abort();
  }

  #read(text: string): void {
    const [end = "", ...starts] = text.split("\n");
    this.#extend(end);
    for (const start of starts) {
      this.#takeLine();
      this.#line = "";
      this.#extend(start);
    }
  }

  #extend(text: string): void {
    if (this.#line === null) return;
    this.#line = this.#line.length + text.length > MOST_OF_A_LINE ? null : this.#line + text;
  }

  #takeLine(): void {
    const entry = this.#line === null ? LOST : readLogLine(this.#line);
    if (entry === null) return;
    this.#isReady = true;
    this.#beReady();
    this.#take(entry);
  }
}

const LOST: LogEntry = { kind: "lossy" };
