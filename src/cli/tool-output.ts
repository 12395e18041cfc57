import { isUtf8 } from "node:buffer";
import { Screen } from "../channel/screen.ts";
import { type Captured, Kept, type OutputSink } from "../host/output.ts";
import type { Print } from "./print.ts";
import { TerminalFilter } from "./terminal-filter.ts";

/** Where a tool's two streams go. */
export interface ToolOutput {
  readonly sinks: { readonly stdout: OutputSink; readonly stderr: OutputSink };
  /** Shows what is left when the tool has ended. */
  finish(): Promise<void>;
}

const STREAMS = ["stdout", "stderr"] as const;

/**
 * Passes a tool's output on as it comes, at the pace of whoever reads it. What goes to a terminal is filtered first.
 * Once the signal has come nobody is waited for. While a question stands on the screen, what goes to a terminal waits.
 */
export function passOn(print: Print, signal: AbortSignal, screen: Screen = new Screen()): ToolOutput {
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  const filters = { stdout: new TerminalFilter(), stderr: new TerminalFilter() };
  const pass = async (to: "stdout" | "stderr", chunk: Uint8Array): Promise<void> => {
    if (!signal.aborted) await Promise.race([print.stream(to, chunk), aborted]);
  };
  const show = async (to: "stdout" | "stderr", text: string): Promise<void> => {
    if (text === "") return;
    await Promise.race([screen.free(), aborted]);
    if (!signal.aborted) await Promise.race([print.text(to, text), aborted]);
  };
  const sinkFor = (to: "stdout" | "stderr"): OutputSink => {
    if (!print.isTerminal(to)) return (chunk) => pass(to, chunk);
    return (chunk) => show(to, filters[to].write(chunk));
  };
  return {
    sinks: { stdout: sinkFor("stdout"), stderr: sinkFor("stderr") },
    finish: async () => {
      for (const to of STREAMS) if (print.isTerminal(to)) await show(to, filters[to].end());
    },
  };
}

/** More than this of one stream is not held for a JSON result. */
const MOST_KEPT = 16 * 1024 ** 2;

/** One stream as it stands in a JSON result: text where the bytes are UTF-8, else base64. */
export interface KeptText {
  readonly encoding: "utf8" | "base64";
  readonly data: string;
  readonly droppedBytes: number;
  /** The end of what was dropped, as text. */
  readonly tail: string;
}

/** Holds a tool's output, the first 16 MiB of each stream. */
export class KeptOutput {
  readonly #streams = { stdout: new KeptStream(), stderr: new KeptStream() };

  readonly sinks = {
    stdout: (chunk: Buffer): void => this.#streams.stdout.take(chunk),
    stderr: (chunk: Buffer): void => this.#streams.stderr.take(chunk),
  };

  /** What was kept, with what the supervisor says that it dropped before. */
  kept(of: "stdout" | "stderr", { droppedBytes, tail }: Pick<Captured, "droppedBytes" | "tail">): KeptText {
    const { bytes, dropped } = this.#streams[of].whole();
    const encoding = isUtf8(bytes) ? "utf8" : "base64";
    return {
      encoding,
      data: bytes.toString(encoding),
      droppedBytes: dropped + droppedBytes,
      tail: tail.toString("utf8"),
    };
  }
}

class KeptStream {
  readonly #kept = new Kept();
  #length = 0;
  #dropped = 0;

  take(chunk: Buffer): void {
    const part = chunk.subarray(0, Math.max(0, MOST_KEPT - this.#length));
    this.#kept.add(part);
    this.#length += part.length;
    this.#dropped += chunk.length - part.length;
  }

  whole(): { readonly bytes: Buffer; readonly dropped: number } {
    return { bytes: this.#kept.bytes(), dropped: this.#dropped };
  }
}
