import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { createSecureContext, TLSSocket } from "node:tls";
import { ByteReader } from "./byte-reader.ts";

/** How a program begins on a connection: with a TLS hello, and the host that it asks for (`""`: none), or otherwise. */
export type Beginning = { readonly kind: "hello"; readonly serverName: string } | { readonly kind: "plain" };

/** A hello is never longer (RFC 8446, section 4: a handshake message is; real ones have a few kilobytes). */
const MOST_HELLO = 64 * 1024;

/** The first byte of a TLS record that holds a handshake message (RFC 8446, section 5.1). */
const HANDSHAKE = 0x16;

/**
 * Waits for what a program sends first, and reads the host that a TLS hello asks for, as OpenSSL does; nothing is answered.
 * Afterwards the stream stands where it stood before. A hello that OpenSSL does not read asks for no host. `null`: it ended
 * before anything could be told.
 */
export async function readServerName(client: Socket): Promise<Beginning | null> {
  const bytes = new ByteReader(client);
  using hello = new HelloReader();
  let read = 0;
  try {
    while (await bytes.more()) {
      if (bytes.held[0] !== HANDSHAKE) return { kind: "plain" };
      const serverName = await hello.read(bytes.held.subarray(read));
      read = bytes.held.length;
      if (serverName !== null || read >= MOST_HELLO) return { kind: "hello", serverName: serverName ?? "" };
    }
    return null;
  } finally {
    bytes.putBack();
  }
}

/** A TLS server without a certificate, which gets no further than the hello. */
class HelloReader implements Disposable {
  readonly #wire = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  readonly #tls: TLSSocket;
  #serverName: string | null = null;
  #told: (() => void) | null = null;

  constructor() {
    this.#tls = new TLSSocket(this.#wire, {
      isServer: true,
      secureContext: createSecureContext(),
      SNICallback: (name) => this.#tell(name),
    });
    this.#tls.on("error", () => this.#tell(""));
  }

  /** Reads a piece more; the host once that is known, null while more is needed. */
  async read(piece: Buffer): Promise<string | null> {
    this.#wire.push(piece);
    await new Promise<void>((resolve) => {
      this.#told = resolve;
      // What one piece lacks comes with the next: OpenSSL has read it by then.
      setImmediate(() => setImmediate(resolve));
    });
    return this.#serverName;
  }

  [Symbol.dispose](): void {
    this.#tls.destroy();
    this.#wire.destroy();
  }

  #tell(name: string): void {
    this.#serverName ??= name;
    this.#told?.();
  }
}
