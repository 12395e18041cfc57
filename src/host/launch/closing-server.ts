import { once } from "node:events";
import { createServer, type ListenOptions } from "node:net";

/** A server of the host that closes every connection, until disposal. */
export interface ClosingServer extends Disposable {
  /** The TCP port; 0 for a socket with a path. */
  readonly port: number;
  readonly connections: () => number;
}

/** Starts one, by default on a free port of loopback. Throws node's errors. */
export async function closingServer(
  where: ListenOptions = { host: "127.0.0.1", port: 0 },
): Promise<ClosingServer> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined).end();
  }).listen(where);
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    connections: () => connections,
    [Symbol.dispose]: () => void server.close(),
  };
}
