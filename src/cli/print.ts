import type { Writable } from "node:stream";
import { type Ink, inkFor } from "../channel/ink.ts";
import { jsonText } from "../policy/spelled-out.ts";

/** A stream of this process for lines. */
export type Out = Pick<Writable, "write" | "on"> & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/** Characters that JSON allows in strings but that control a terminal or hide text. No string has a line break. */
const INVISIBLE = /[^\P{Cc}\n]|[\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu;

function escapedInJson(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** Prints results to stdout and talk to stderr; nothing else prints. Text from outside must be made visible before. */
export class Print {
  readonly ink: Ink;
  readonly talkInk: Ink;
  readonly #streams: { readonly stdout: Out; readonly stderr: Out };
  readonly #broken = new AbortController();
  /** True if a tool's line on the terminal has not ended yet. */
  #isAmidLine = false;

  constructor(stdout: Out, stderr: Out, env: Readonly<Record<string, string | undefined>>) {
    this.#streams = { stdout, stderr };
    this.ink = inkFor(stdout, env);
    this.talkInk = inkFor(stderr, env);
    // Without a reader there is nothing to report.
    stdout.on("error", () => this.#broken.abort());
    stderr.on("error", () => undefined);
  }

  /** Width of the terminal for results, in columns; null if they go elsewhere. */
  get width(): number | null {
    const { isTTY = false, columns } = this.#streams.stdout;
    return isTTY && columns !== undefined && columns > 0 ? columns : null;
  }

  /** Aborted when the reader of stdout is gone. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  result(line = ""): void {
    this.#line("stdout", line);
  }

  talk(line = ""): void {
    this.#line("stderr", line);
  }

  /** Prints the result as one JSON value, over several lines or on one. */
  json(value: unknown, indent: 0 | 2 = 2): void {
    this.result(jsonText(value, indent).replace(INVISIBLE, escapedInJson));
  }

  /** True if the stream is a terminal, on which a tool's control sequences would take effect. */
  isTerminal(to: "stdout" | "stderr"): boolean {
    return this.#streams[to].isTTY === true;
  }

  /** Passes a tool's output on; resolves when the reader has taken it, or is gone. */
  stream(to: "stdout" | "stderr", chunk: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => {
      this.#streams[to].write(chunk, () => resolve());
    });
  }

  /** The same for filtered text: a following line of ours starts on a new line. */
  text(to: "stdout" | "stderr", text: string): Promise<void> {
    if (text !== "") this.#isAmidLine = !text.endsWith("\n");
    return this.stream(to, text);
  }

  /** A line of ours. On a terminal it starts a new line, whatever a tool left there. */
  #line(to: "stdout" | "stderr", line: string): void {
    const isContinued = this.#isAmidLine && this.isTerminal(to);
    if (isContinued) this.#isAmidLine = false;
    this.#streams[to].write(`${isContinued ? "\n" : ""}${line}\n`);
  }
}
