import type { Socket } from "node:net";
import { ByteReader } from "./byte-reader.ts";
import type { CallEgress } from "./call-egress.ts";
import type { CountedConnection } from "./connection.ts";
import { asksAgain, passHellos } from "./hellos.ts";
import { endTogether } from "./joined.ts";

/** Joins a program and a connection, as bytes: each direction ends by itself; a break ends both. */
export function tunnel(client: Socket, connection: CountedConnection, egress: CallEgress): void {
  const { socket } = connection;
  if (!endTogether(client, socket)) return;
  const moved = (): void => connection.moved();
  socket.on("data", moved);
  socket.pipe(client);
  passOn(client, connection, egress, moved).catch(() => {
    client.destroy();
    socket.destroy();
  });
}

/** Passes on the program's bytes; hellos that must ask for the connection's host are read first. */
async function passOn(
  client: Socket,
  connection: CountedConnection,
  egress: CallEgress,
  moved: () => void,
): Promise<void> {
  const { socket } = connection;
  if (connection.isStrict) {
    const said = new ByteReader(client);
    const wantsAnother = firstWords(socket);
    const mayGoOn = await passHellos(said, {
      maySay: (serverName) => egress.maySay(connection, serverName),
      pass: (bytes) => void socket.write(bytes),
      wantsAnother: () => wantsAnother,
    });
    if (!mayGoOn) throw new Error("the TLS hello names another host");
    const { held } = said;
    if (held.length > 0) socket.write(held);
  }
  client.on("data", moved);
  if (client.readableEnded) socket.end();
  else client.pipe(socket);
}

function firstWords(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    let said = Buffer.alloc(0);
    const done = (asks: boolean): void => {
      socket.off("data", hear).off("end", never).off("close", never);
      resolve(asks);
    };
    const never = (): void => done(false);
    const hear = (part: Buffer): void => {
      said = Buffer.concat([said, part]);
      const asks = asksAgain(said);
      if (asks !== null) done(asks);
    };
    socket.on("data", hear).once("end", never).once("close", never);
  });
}
