import { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createSecureContext, TLSSocket } from "node:tls";

/** How many turns of the event loop OpenSSL is given to read a hello; it takes one or two. */
const MOST_TURNS = 50;

/** The host that a whole TLS hello asks for, as OpenSSL reads it; empty where it asks for none, or OpenSSL does not read it. */
export async function serverNameIn(hello: Buffer): Promise<string> {
  let serverName: string | null = null;
  const tell = (name: string): void => {
    serverName ??= name;
  };
  // Nothing is answered: what is read here goes on to the server that is meant.
  const wire = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const tls = new TLSSocket(wire, {
    isServer: true,
    secureContext: createSecureContext(),
    SNICallback: (name) => tell(name),
  });
  // A server without a certificate gets no further than the hello.
  tls.on("error", () => tell(""));
  wire.push(hello);
  for (let turn = 0; serverName === null && turn < MOST_TURNS; turn += 1) await nextTurn();
  tls.destroy();
  wire.destroy();
  return serverName ?? "";
}
