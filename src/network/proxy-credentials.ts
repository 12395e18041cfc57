import type { IncomingMessage } from "node:http";
import { Transform, type TransformCallback } from "node:stream";
import type { UpstreamProxy } from "../profile/upstream.ts";
import { whyNot } from "./by-proxy.ts";

/** The reason that a program gets instead of an answer which contains the proxy's credentials. */
export function whyRepeated({ url }: UpstreamProxy): string {
  return `the answer of the proxy ${url} repeats the user name and password of its URL`;
}

/** The reason why a proxy's answer is withheld because of its head; null for an answer that is passed on. */
export function whyWithheld(
  { rawHeaders, statusCode, statusMessage = "" }: IncomingMessage,
  proxy: UpstreamProxy,
): string | null {
  if (statusCode === 407) return whyNot(proxy, 407);
  const lines = rawHeaders.map((word, at) => `${word}${at % 2 === 0 ? ":" : "\n"}`);
  // A reader of URLs drops tabs (WHATWG URL, basic URL parser), so credentials could be split by one.
  const head = [statusMessage, ...rawHeaders, lines.join("")].join("\n").replaceAll("\t", "");
  return proxy.showsCredentialsIn(Buffer.from(head, "latin1")) ? whyRepeated(proxy) : null;
}

/**
 * Passes on the body of a proxy's answer, and fails before the first byte of the proxy's credentials. Bytes that may
 * begin them wait for the next piece; all others are passed on at once.
 */
export class WithoutCredentials extends Transform {
  readonly #proxy: UpstreamProxy;
  #kept: Buffer = Buffer.alloc(0);

  constructor(proxy: UpstreamProxy) {
    super();
    this.#proxy = proxy;
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const bytes = this.#kept.length === 0 ? piece : Buffer.concat([this.#kept, piece]);
    if (this.#proxy.showsCredentialsIn(bytes)) {
      done(new Error(whyRepeated(this.#proxy)));
      return;
    }
    const end = bytes.length - this.#proxy.credentialsBegunIn(bytes);
    this.#kept = bytes.subarray(end);
    done(null, bytes.subarray(0, end));
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#kept);
  }
}
