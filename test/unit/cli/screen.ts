import { PassThrough } from "node:stream";
import { Print } from "../../../src/cli/print.ts";

/** A `Print` whose two streams are kept as text. */
export interface Screen {
  readonly print: Print;
  stdout(): string;
  stderr(): string;
}

/** What a stream that counts as a terminal, or not, would have been sent. */
export function screen(
  options: { readonly isTTY?: boolean; readonly env?: Record<string, string> } = {},
): Screen {
  const [stdout, stderr] = [kept(options.isTTY ?? false), kept(options.isTTY ?? false)];
  const print = new Print(stdout.stream, stderr.stream, options.env ?? {});
  return { print, stdout: stdout.text, stderr: stderr.text };
}

function kept(isTTY: boolean) {
  const chunks: Buffer[] = [];
  const stream = Object.assign(new PassThrough(), { isTTY });
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString("utf8") };
}
