import { Transform, type TransformCallback } from "node:stream";
import { allSteps } from "../policy/steps.ts";
import { messageHeads, stringEnd } from "./message-heads.ts";
import { LineReader, type WireLine } from "./wrap/line-reader.ts";

/** Maximum size of one message to our own server, in bytes. */
const MAX_MESSAGE_BYTES = 10 * 1024 ** 2;
/** Maximum number and depth of values in one message. The SDK checks each one, and blocks everything meanwhile. */
const MAX_VALUES = 30_000;
const MAX_DEPTH = 256;

/** The error response to a refused message (https://www.jsonrpc.org/specification#error_object). */
export function refusal(id: string | number | null, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32600, message } });
}

/** Passes messages through, one per line. `refuse` receives the response to a message that is too large to read. */
export class BoundedMessages extends Transform {
  readonly #lines = new LineReader(MAX_MESSAGE_BYTES);
  readonly #refuse: (response: string) => void;

  constructor(refuse: (response: string) => void) {
    super();
    this.#refuse = refuse;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    for (const line of this.#lines.read(chunk)) this.#pass(line);
    done();
  }

  #pass(line: WireLine): void {
    if (line.kind === "too-long") {
      this.#refuse(refusal(null, `the message is longer than ${MAX_MESSAGE_BYTES} bytes`));
      return;
    }
    const problem = line.kind === "text" ? whyRefused(line.text) : "the message is not valid UTF-8";
    if (problem === null) this.push(`${line.text}\n`);
    else this.#refuse(refusal(allSteps(messageHeads(line.text))[0]?.id ?? null, problem));
  }
}

/**
 * The reason why a message to our own server is refused because it costs too much to parse, or null if it is accepted.
 * Cheap: it looks only at the marks between values.
 */
export function whyRefused(text: string): string | null {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charAt(at)) {
      case '"':
        at = stringEnd(text, at);
        break;
      case "[":
      case "{":
        depth += 1;
        values += 1;
        break;
      case "]":
      case "}":
        depth -= 1;
        break;
      case ",":
        values += 1;
    }
    if (depth > MAX_DEPTH) return `the message is nested deeper than ${MAX_DEPTH} levels`;
    if (values > MAX_VALUES) return `the message has more than ${MAX_VALUES} values`;
  }
  return null;
}
