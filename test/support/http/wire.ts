import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** Sends a request with exactly these headers, `Host` too, which `fetch` keeps for itself. */
export async function send(
  url: string,
  {
    method = "GET",
    path = "/",
    headers = {},
    body = "",
  }: {
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string | readonly string[]>>;
    readonly body?: string | Buffer;
  },
): Promise<Answer> {
  const { hostname, port, host } = new URL(url);
  const sized = body.length === 0 ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const asked = request({
    host: hostname,
    port,
    method,
    path,
    agent: false,
    setHost: false,
    headers: { host, ...sized, ...headers },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    asked.once("response", resolve).once("error", reject);
  });
  asked.end(body);
  const response = await answered;
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

/** Writes bytes to a server as they are, and reads until it ends the connection. */
export async function shout(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => undefined);
  socket.end(bytes);
  return text(socket);
}

/** The numbers of events from one up to another, which is not among them. */
export function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

/** Reads server-sent events block by block. */
export class Blocks implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #rest = "";
  /** What was read, as it came. */
  all = "";

  constructor({ body }: Response) {
    if (body === null) throw new Error("there is no body");
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** The next block; null at the end. */
  async next(): Promise<string | null> {
    for (;;) {
      const end = this.#rest.indexOf("\n\n");
      if (end !== -1) {
        const block = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 2);
        return block;
      }
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.all += value;
      this.#rest += value;
    }
  }

  /** The data of the next block that has some. */
  async data(): Promise<Record<string, never>> {
    for (;;) {
      const block = await this.next();
      if (block === null) throw new Error("the events have ended");
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) return JSON.parse(data);
    }
  }

  /** The numbers of the next events. */
  async numbers(count: number): Promise<readonly number[]> {
    const all: number[] = [];
    while (all.length < count) all.push(Number((await this.data())["seq"]));
    return all;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel();
  }
}
