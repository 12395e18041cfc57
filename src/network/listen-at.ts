import { once } from "node:events";
import type { Server } from "node:net";
import { codeOf } from "../host/system-error.ts";

/** Has a server listen on an address of this machine. */
export type ListenFunction = (server: Server, host: string, port: number) => Promise<Listening>;

/** The result: another server may listen there, and the machine may not have that address. */
export type Listening = "listening" | "taken" | "absent";

/** Throws the system's error if listening is not permitted. */
export const listenHere: ListenFunction = async (server, host, port) => {
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, "listening");
    return "listening";
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "EADDRINUSE") return "taken";
    if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return "absent";
    throw cause;
  }
};
