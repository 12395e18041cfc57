import { once } from "node:events";
import type { Server } from "node:net";
import { codeOf } from "../host/system-error.ts";

/** Has a server listen on an address of this machine. */
export type ListenAt = (server: Server, host: string, port: number) => Promise<Listening>;

/** What became of it: somebody else may listen there, and the machine may have no such address. */
export type Listening = "listening" | "taken" | "absent";

/** Throws the system's error where it lets nobody listen. */
export const listenHere: ListenAt = async (server, host, port) => {
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
