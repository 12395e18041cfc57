import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { codeOf } from "../../../src/host/system-error.ts";

/**
 * The range ends before the ports that the system chooses for programs that ask for any port: from 32768 on Linux
 * (ip_local_port_range, ip(7)), from 49152 on macOS.
 */
const [FIRST, END] = [20_000, 32_768];

/** Returns a port of 127.0.0.1 where nobody listens. A program that asks the system for any port does not get it. */
export async function freePort(): Promise<number> {
  const port = randomInt(FIRST, END);
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    if (codeOf(error) !== "EADDRINUSE") throw error;
    return freePort();
  }
  server.close();
  await once(server, "close");
  return port;
}
