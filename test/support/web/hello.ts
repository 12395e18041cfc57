import { once } from "node:events";
import { createServer } from "node:net";
import { type ConnectionOptions, connect as secure } from "node:tls";
import { onTestFinished } from "vitest";
import { portOf } from "./port-of.ts";

/** A hello as Node makes it. */
export async function hello(options: ConnectionOptions): Promise<Buffer> {
  const said = Promise.withResolvers<Buffer>();
  const server = createServer((socket) => {
    socket
      .on("error", () => undefined)
      .once("data", (part) => {
        said.resolve(part);
        socket.destroy();
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const port = portOf(server);
  secure({ port, host: "127.0.0.1", ...options }).on("error", () => undefined);
  return said.promise;
}
