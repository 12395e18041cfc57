import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { codeOf } from "../../../src/host/system-error.ts";

/**
 * Below the ports that a system gives to whoever asks for any: from 32768 on Linux (ip_local_port_range, ip(7)), from
 * 49152 on macOS.
 */
const [FIRST, END] = [20_000, 32_768];

/** A port of loopback where nobody listens, and which no other program gets that asks for any port meanwhile. */
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
