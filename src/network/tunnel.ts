import type { Socket } from "node:net";
import type { CallEgress } from "./call-egress.ts";
import type { Connection } from "./connection.ts";
import { readServerName } from "./server-name.ts";

/**
 * Joins a program and a connection, as bytes: either direction ends by itself, and where one side breaks, so does the
 * other.
 */
export function tunnel(client: Socket, connection: Connection, egress: CallEgress): void {
  const { socket } = connection;
  for (const one of [client, socket]) {
    one.on("error", () => undefined);
    one.setNoDelay(true);
  }
  client.once("close", () => ending(socket, client));
  socket.once("close", () => ending(client, socket));
  if (client.destroyed || socket.destroyed) {
    client.destroy();
    socket.destroy();
    return;
  }
  const moved = (): void => connection.moved();
  socket.on("data", moved);
  socket.pipe(client);
  passOn(client, connection, egress, moved).catch(() => client.destroy());
}

/** A side is gone: what it said is still told to the other, which nobody hears any more. */
function ending(other: Socket, gone: Socket): void {
  if (!gone.readableEnded) other.destroy();
  else other.unpipe(gone).resume();
}

/** What the program says; a hello that has to ask for its host is read before anything of it is. */
async function passOn(
  client: Socket,
  connection: Connection,
  egress: CallEgress,
  moved: () => void,
): Promise<void> {
  if (connection.isStrict) {
    const beginning = await readServerName(client);
    if (beginning?.kind === "hello" && !egress.maySay(connection, beginning.serverName)) return;
  }
  client.on("data", moved);
  client.pipe(connection.socket);
}
