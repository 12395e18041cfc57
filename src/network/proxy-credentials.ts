import type { IncomingMessage } from "node:http";
import { Transform, type TransformCallback } from "node:stream";
import type { UpstreamProxy } from "../profile/upstream.ts";
import { whyNot } from "./by-proxy.ts";

/** What is told in place of an answer in which a proxy repeats what it was sent. */
export function whyShown({ url }: UpstreamProxy): string {
  return `the proxy ${url} repeats the user and password of its URL in its answer`;
}

/** Why an answer of a proxy is not handed on, as far as its head tells; null where it is. */
export function whyKept(
  { rawHeaders, statusCode, statusMessage = "" }: IncomingMessage,
  proxy: UpstreamProxy,
): string | null {
  if (statusCode === 407) return whyNot(proxy, 407);
  const lines = rawHeaders.map((word, at) => `${word}${at % 2 === 0 ? ":" : "\n"}`);
  // A URL has no tabs: what reads one leaves them out (WHATWG URL, basic URL parser).
  const head = [statusMessage, ...rawHeaders, lines.join("")].join("\n").replaceAll("\t", "");
  return proxy.isShownIn(Buffer.from(head, "latin1")) ? whyShown(proxy) : null;
}

/**
 * Hands on what a proxy answers, and fails before the first byte of its credentials. What may be the beginning of them is
 * kept back until more comes; nothing else waits.
 */
export class Unshown extends Transform {
  readonly #proxy: UpstreamProxy;
  #kept: Buffer = Buffer.alloc(0);

  constructor(proxy: UpstreamProxy) {
    super();
    this.#proxy = proxy;
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const bytes = this.#kept.length === 0 ? piece : Buffer.concat([this.#kept, piece]);
    if (this.#proxy.isShownIn(bytes)) {
      done(new Error(whyShown(this.#proxy)));
      return;
    }
    const end = bytes.length - this.#proxy.begunIn(bytes);
    this.#kept = bytes.subarray(end);
    done(null, bytes.subarray(0, end));
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#kept);
  }
}
