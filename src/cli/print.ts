import type { Writable } from "node:stream";
import { type Ink, inkFor } from "../channel/ink.ts";
import { jsonText } from "../policy/spelled-out.ts";

/** A stream of this process that lines go to. */
export type Out = Pick<Writable, "write" | "on"> & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/**
 * What would act on a terminal or hide text, and that JSON lets stand in a string; line breaks stand between values
 * alone.
 */
const INVISIBLE = /[^\P{Cc}\n]|[\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu;

function escapedInJson(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/**
 * The one place that prints: results to stdout, talk to stderr. Whatever came from outside has been made visible by the
 * time it gets here; a tool's own output goes through `stream`.
 */
export class Print {
  /** Of results. */
  readonly ink: Ink;
  /** Of talk. */
  readonly talkInk: Ink;
  readonly #streams: { readonly stdout: Out; readonly stderr: Out };
  readonly #broken = new AbortController();
  /** A tool's line on the terminal has no end yet. */
  #isAmidLine = false;

  constructor(stdout: Out, stderr: Out, env: Readonly<Record<string, string | undefined>>) {
    this.#streams = { stdout, stderr };
    this.ink = inkFor(stdout, env);
    this.talkInk = inkFor(stderr, env);
    // Nobody reads any more: there is nothing to say about that, and nobody to say it to.
    stdout.on("error", () => this.#broken.abort());
    stderr.on("error", () => undefined);
  }

  /** Of the terminal that results go to, in columns; null where they go elsewhere. */
  get width(): number | null {
    const { isTTY = false, columns } = this.#streams.stdout;
    return isTTY && columns !== undefined && columns > 0 ? columns : null;
  }

  /** Aborted when nobody reads stdout any more. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /** A line of the result. */
  result(line = ""): void {
    this.#line("stdout", line);
  }

  /** A line for the person, beside the result. */
  talk(line = ""): void {
    this.#line("stderr", line);
  }

  /** The result as one JSON value, over several lines or on one. */
  json(value: unknown, indent: 0 | 2 = 2): void {
    this.result(jsonText(value, indent).replace(INVISIBLE, escapedInJson));
  }

  /** True when a person looks at the stream, so that a tool's control sequences would act on their terminal. */
  isTerminal(to: "stdout" | "stderr"): boolean {
    return this.#streams[to].isTTY === true;
  }

  /** Passes a tool's output on; resolves when the reader has taken it, or is gone. */
  stream(to: "stdout" | "stderr", chunk: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => {
      this.#streams[to].write(chunk, () => resolve());
    });
  }

  /** The same for what a terminal's line is made of and nothing else: a line of ours that follows begins anew. */
  text(to: "stdout" | "stderr", text: string): Promise<void> {
    if (text !== "") this.#isAmidLine = !text.endsWith("\n");
    return this.stream(to, text);
  }

  /** A line of ours; on a terminal it begins one, whatever a tool left there. */
  #line(to: "stdout" | "stderr", line: string): void {
    const isContinued = this.#isAmidLine && this.isTerminal(to);
    if (isContinued) this.#isAmidLine = false;
    this.#streams[to].write(`${isContinued ? "\n" : ""}${line}\n`);
  }
}
