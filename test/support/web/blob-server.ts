/** A server as a process of its own: `/N` is answered with N bytes. Prints its port; ends with its standard input. */
import { createServer } from "node:http";
import { portOf } from "./port-of.ts";

const part = Buffer.alloc(1024 ** 2, "x");
const server = createServer((request, response) => {
  let left = Number(request.url?.slice(1));
  response.writeHead(200, { "Content-Length": left });
  const send = (): void => {
    while (left > 0) {
      const chunk = part.subarray(0, left);
      left -= chunk.length;
      if (!response.write(chunk)) {
        response.once("drain", send);
        return;
      }
    }
    response.end();
  };
  send();
});
// Else a client that goes on asking is made to connect anew.
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${portOf(server)}\n`);
});
process.stdin.on("end", () => process.exit()).resume();
