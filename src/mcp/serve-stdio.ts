import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { assertOptions, having, type OptionsOf } from "../supervisor/options.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { BoundedMessages } from "./bounded-messages.ts";
import { Connection, MCP_OPTIONS, type McpOptions } from "./connection.ts";
import { serversOf } from "./server.ts";

/** How a client is served over two streams. */
export interface ServeMcpOptions extends McpOptions {
  /** What the client writes; default this process's standard input. */
  readonly input?: Readable;
  /** What it reads; default this process's standard output, on which nothing else may then be printed. */
  readonly output?: Writable;
  /** What is wrong with what the client sends, or with the streams; default nobody is told. */
  readonly onError?: (error: Error) => void;
}

/** How the same is checked when it comes from JavaScript. */
const SERVE_OPTIONS: OptionsOf<ServeMcpOptions> = MCP_OPTIONS.extend({
  input: having("a stream to read from", "on", "pipe").optional(),
  output: having("a stream to write to", "write", "on").optional(),
  onError: z.custom<object>((given) => typeof given === "function", { error: "a function" }).optional(),
});

/** A client that is being served. */
export interface McpService extends AsyncDisposable {
  /** Resolves when the client has gone: its stream has ended, or can't be written to any more. */
  readonly ended: Promise<void>;
}

/**
 * Serves one MCP client over standard input and output, by the protocol that it speaks: 2026-07-28, or those before it with
 * `initialize` (https://modelcontextprotocol.io/specification/2026-07-28/basic/transports). Its calls walk through the gate like
 * any; its user is asked by forms where it has them, and else who `handler` says. Until it is disposed of. Throws `USAGE` for
 * options that there are not.
 */
export function serveMcp(supervisor: Supervisor, options: ServeMcpOptions = {}): McpService {
  assertOptions("serveMcp", SERVE_OPTIONS, options);
  const { input = process.stdin, output = process.stdout, onError, ...rest } = options;
  const connection = new Connection(supervisor, rest);
  const ended = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) input.once(event, () => resolve());
    for (const event of ["close", "error"]) output.once(event, () => resolve());
  });
  const messages = new BoundedMessages((answer) => output.write(`${answer}\n`));
  const served = serveStdio(
    serversOf(supervisor, () => connection),
    {
      transport: new StdioServerTransport(input.pipe(messages), output),
      ...(onError === undefined ? {} : { onerror: onError }),
    },
  );
  return {
    ended,
    [Symbol.asyncDispose]: async () => {
      await served.close();
      await connection[Symbol.asyncDispose]();
    },
  };
}
