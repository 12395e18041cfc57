import type { Server } from "node:net";

/** The port that a server listens on; throws where it does not. */
export function portOf(server: Pick<Server, "address">): number {
  const address = server.address();
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("it does not listen at a port");
}
