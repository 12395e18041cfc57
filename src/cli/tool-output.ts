import { isUtf8 } from "node:buffer";
import { TerminalScreen } from "../channel/screen.ts";
import { type Captured, Kept, type OutputSink } from "../host/launch/output.ts";
import { aborted } from "../host/pause.ts";
import type { Print } from "./print.ts";
import { TerminalFilter } from "./terminal-filter.ts";

/** The destination of a tool's two streams. */
export interface ToolOutput {
  readonly sinks: { readonly stdout: OutputSink; readonly stderr: OutputSink };
  /** Shows the rest after the tool has ended. */
  finish(): Promise<void>;
}

const STREAMS = ["stdout", "stderr"] as const;

/**
 * Passes a tool's output on at the pace of the reader. Output to a terminal is filtered first, and waits while a
 * request is on the screen. After the signal there is no wait.
 */
export function passOn(
  print: Print,
  signal: AbortSignal,
  screen: TerminalScreen = new TerminalScreen(),
): ToolOutput {
  const over = aborted(signal);
  const filters = { stdout: new TerminalFilter(), stderr: new TerminalFilter() };
  const pass = async (to: "stdout" | "stderr", chunk: Uint8Array): Promise<void> => {
    if (!signal.aborted) await Promise.race([print.stream(to, chunk), over]);
  };
  const show = async (to: "stdout" | "stderr", text: string): Promise<void> => {
    if (text === "") return;
    await Promise.race([screen.free(), over]);
    if (!signal.aborted) await Promise.race([print.text(to, text), over]);
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

/** Maximum size of one stream that is kept for a JSON result, in bytes. */
const MAX_KEPT = 16 * 1024 ** 2;

/** One stream in a JSON result: text if the bytes are UTF-8, else base64. */
export interface KeptText {
  readonly encoding: "utf8" | "base64";
  readonly data: string;
  readonly droppedBytes: number;
  /** The end of the dropped output, as text. */
  readonly tail: string;
}

/** Keeps a tool's output, the first 16 MiB of each stream. */
export class KeptOutput {
  readonly #streams = { stdout: new KeptStream(), stderr: new KeptStream() };

  readonly sinks = {
    stdout: (chunk: Buffer): void => this.#streams.stdout.write(chunk),
    stderr: (chunk: Buffer): void => this.#streams.stderr.write(chunk),
  };

  /** The output that was kept, with the amount that the supervisor dropped before. */
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

  write(chunk: Buffer): void {
    const part = chunk.subarray(0, Math.max(0, MAX_KEPT - this.#length));
    this.#kept.add(part);
    this.#length += part.length;
    this.#dropped += chunk.length - part.length;
  }

  whole(): { readonly bytes: Buffer; readonly dropped: number } {
    return { bytes: this.#kept.bytes(), dropped: this.#dropped };
  }
}
