import type { Readable, Writable } from "node:stream";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { assertOptions, callback, having, type OptionsOf } from "../policy/options.ts";
import type { Supervisor } from "../session/supervisor.ts";
import { BoundedMessages } from "./bounded-messages.ts";
import { MCP_OPTIONS, McpConnection, type McpOptions } from "./connection.ts";
import { serversOf, tellChanges } from "./server.ts";

/** Options to serve a client over two streams. */
export interface ServeMcpOptions extends McpOptions {
  /** The stream that the client writes to. Default: standard input of this process. */
  readonly input?: Readable;
  /** The stream that the client reads. Default: standard output of this process, which nothing else may then use. */
  readonly output?: Writable;
  /** Receives errors of the client's messages or of the streams. Default: errors are ignored. */
  readonly onError?: (error: Error) => void;
}

const SERVE_OPTIONS: OptionsOf<ServeMcpOptions> = MCP_OPTIONS.extend({
  input: having("a stream to read from", "on", "pipe").optional(),
  output: having("a stream to write to", "write", "on").optional(),
  onError: callback("a function").optional(),
});

/** A client that is being served. */
export interface McpService extends AsyncDisposable {
  /** Resolves when the client has gone: its stream has ended or can no longer be written to. */
  readonly ended: Promise<void>;
  /** Ends the service, like `await using` at the end of a scope. */
  close(): Promise<void>;
}

/**
 * Serves one MCP client over stdio until disposed. Speaks 2026-07-28 or an older version with `initialize`
 * (https://modelcontextprotocol.io/specification/2026-07-28/basic/transports). Calls go through the gate. Approval
 * requests go to the client's user if the client supports forms, else to `handler`. Throws `USAGE` for unknown options.
 */
export function serveMcp(supervisor: Supervisor, options: ServeMcpOptions = {}): McpService {
  assertOptions("serveMcp", SERVE_OPTIONS, options);
  const { input = process.stdin, output = process.stdout, onError, ...rest } = options;
  const connection = new McpConnection(supervisor, rest);
  const ended = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) input.once(event, () => resolve());
    for (const event of ["close", "error"]) output.once(event, () => resolve());
  });
  const messages = new BoundedMessages((answer) => output.write(`${answer}\n`));
  const make = serversOf(supervisor, () => connection);
  const telling: Disposable[] = [];
  const served = serveStdio(
    async (context) => {
      const server = await make(context);
      if (server instanceof Server) telling.push(tellChanges(supervisor, server, context.era));
      return server;
    },
    {
      transport: new StdioServerTransport(input.pipe(messages), output),
      ...(onError === undefined ? {} : { onerror: onError }),
    },
  );
  const close = async (): Promise<void> => {
    for (const one of telling.splice(0)) one[Symbol.dispose]();
    await served.close();
    await connection[Symbol.asyncDispose]();
  };
  return { ended, close, [Symbol.asyncDispose]: close };
}
