import { Agent, request } from "node:http";

/** One document to post, and the maximum of an answer. */
export interface LoopbackPost {
  /** A URL with the address of this machine's loopback. */
  readonly url: string;
  /** A JSON text. */
  readonly body: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * The text of the answer with status 200. Follows no redirect, and uses no proxy of the environment: its own agent knows
 * none. Throws for any other answer, and for one that is longer or no UTF-8.
 */
export async function postToLoopback({ url, body, maxBytes, signal }: LoopbackPost): Promise<string> {
  const agent = new Agent({ keepAlive: false });
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const sent = request(url, { method: "POST", agent, headers, signal }, (response) => {
    const { statusCode = 0 } = response;
    if (statusCode !== 200) {
      response.destroy();
      reject(new Error(`it answered with the status ${statusCode}`));
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    response.on("data", (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= maxBytes) return;
      response.destroy();
      reject(new Error("its answer is too long"));
    });
    response.on("error", reject);
    response.on("end", () => resolve(Buffer.concat(chunks)));
  });
  sent.on("error", reject);
  sent.end(body);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await promise);
  } finally {
    agent.destroy();
  }
}
