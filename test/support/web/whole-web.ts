import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { CERTIFICATE, KEY } from "./certificate.ts";
import { portOf } from "./port-of.ts";

/** Whoever answers what stands below one folder of the web: `rest` is the path from there on, without its query. */
export type Answering = (
  rest: string,
  request: IncomingMessage,
  response: Parameters<RequestListener>[1],
) => void;

/** So much is in the large page. */
export const LARGE_BYTES = 8 * 1024 ** 2;

/** Servers of the loopback that stand for a whole web, without and with TLS, and every request that they have seen. */
export class Web implements AsyncDisposable {
  /** Such as `GET a.test/page`. */
  readonly seen: readonly string[];
  readonly ports: Readonly<Record<"http" | "https", number>>;
  readonly #servers: readonly Server[];

  private constructor(servers: readonly [http: Server, https: Server], seen: readonly string[]) {
    const [http, https] = servers;
    this.#servers = servers;
    this.ports = { http: portOf(http), https: portOf(https) };
    this.seen = seen;
  }

  /** Starts them; `folders` answer what stands below their names, and the rest are plain pages. */
  static async start(folders: Readonly<Record<string, Answering>>): Promise<Web> {
    const seen: string[] = [];
    const answer: RequestListener = (request, response) => {
      const path = new URL(request.url ?? "/", "http://web").pathname;
      seen.push(`${request.method} ${request.headers.host}${path}`);
      const [, folder = "", rest = ""] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
      (folders[folder] ?? plainPage)(folders[folder] === undefined ? path : rest, request, response);
    };
    const servers = [
      createServer(answer),
      createSecureServer({ cert: CERTIFICATE, key: KEY }, answer),
    ] as const;
    for (const server of servers) server.listen(0, "127.0.0.1");
    await Promise.all(servers.map((server) => once(server, "listening")));
    return new Web(servers, seen);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) server.closeAllConnections();
    await Promise.all(this.#servers.map((server) => new Promise((done) => server.close(done))));
  }
}

/** The URL by which somebody asked for this, without its path. */
export function askedBy({ headers, socket }: IncomingMessage): string {
  return `${"encrypted" in socket ? "https" : "http"}://${headers.host}`;
}

const plainPage: Answering = (path, request, response) => {
  switch (path) {
    case "/here":
      response.setHeader("ETag", '"one"');
      if (request.headers["if-none-match"] === '"one"') response.writeHead(304).end();
      else response.setHeader("Content-Length", 5).end("here\n");
      return;
    case "/large":
      response.setHeader("Content-Length", LARGE_BYTES).end(Buffer.alloc(LARGE_BYTES, "x"));
      return;
    case "/parts":
      response.write("one ");
      response.end("two\n");
      return;
    case "/moved":
      response.writeHead(302, { Location: "/here" }).end();
      return;
    case "/count": {
      let bytes = 0;
      request.on("data", (part: Buffer) => (bytes += part.length));
      request.on("end", () => response.end(`${request.method} ${bytes}\n`));
      return;
    }
    default:
      response.writeHead(404).end();
  }
};
