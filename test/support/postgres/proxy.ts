import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { freePort } from "../web/free-port.ts";
import { portOf } from "../web/port-of.ts";

/** What becomes of a connection that says what is waited for. */
export type Fault =
  /** The server does it, and its answer gets lost with the connection. */
  | "done, unanswered"
  /** The server never hears of it. */
  | "undone"
  /** The server does it, and nobody ever says so, though the connection stands. */
  | "hung";

/**
 * A bad way to a server: it passes everything on, but for what a test says. What a client sends is looked at as text, in which
 * the names of statements stand as they are.
 */
export class BadWay implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #to: number;
  #awaited: { readonly words: string; readonly fault: Fault; readonly met: () => void } | null = null;
  #isHung = false;
  #isDeaf = false;
  #delayMs = 0;

  private constructor(server: Server, to: number) {
    this.port = portOf(server);
    this.#server = server;
    this.#to = to;
    server.on("connection", (client) => this.#pass(client));
  }

  /** From a free port, where none is given. */
  static async to(port: number, from?: number): Promise<BadWay> {
    const server = createServer().listen(from ?? (await freePort()), "127.0.0.1");
    await once(server, "listening");
    return new BadWay(server, port);
  }

  get url(): string {
    return `postgres://cofferdam@127.0.0.1:${this.port}/postgres`;
  }

  /** So many connections stand. */
  get standing(): number {
    return this.#sockets.size / 2;
  }

  /** Has the next connection fail that sends these words; resolves when one did. */
  async failAt(words: string, fault: Fault): Promise<void> {
    return new Promise((met) => (this.#awaited = { words, fault, met }));
  }

  /** From now on nothing comes through in either direction, and no connection is refused. */
  hang(): void {
    this.#isHung = true;
  }

  /** From now on no notification comes through, as behind a pooler. */
  keepNotifications(): void {
    this.#isDeaf = true;
  }

  /** From now on what the server says takes so long. */
  slow(ms: number): void {
    this.#delayMs = ms;
  }

  /** Cuts every connection there is. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(client: Socket): void {
    const server = connect(this.#to, "127.0.0.1");
    const ends = [client, server];
    const cut = (): void => {
      for (const end of ends) end.destroy();
    };
    for (const end of ends) {
      this.#sockets.add(end);
      end.on("error", cut);
      end.on("close", () => {
        this.#sockets.delete(end);
        cut();
      });
    }
    let fault: Fault | null = null;
    let met: () => void = cut;
    const messages = new Messages();
    client.on("data", (said) => {
      if (this.#isHung) return;
      if (fault === null && this.#awaited !== null && said.includes(this.#awaited.words)) {
        ({ fault, met } = this.#awaited);
        this.#awaited = null;
        if (fault === "undone") {
          met();
          return cut();
        }
      }
      server.write(said);
    });
    server.on("data", (said) => {
      if (this.#isHung) return;
      const whole = messages.of(said);
      if (fault === null) {
        const heard = this.#isDeaf ? Buffer.concat(whole.filter((one) => !isNotification(one))) : said;
        if (this.#delayMs === 0) client.write(heard);
        else setTimeout(() => client.write(heard), this.#delayMs);
        return;
      }
      // The server is ready for the next query: whatever was asked is done, and on the disk.
      if (!whole.some(isReady)) return;
      met();
      if (fault === "done, unanswered") cut();
    });
  }
}

/** What a server says, message by message: a letter, and four bytes of length, which count themselves. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);

  of(said: Buffer): readonly Buffer[] {
    this.#rest = Buffer.concat([this.#rest, said]);
    const whole: Buffer[] = [];
    while (this.#rest.length >= 5) {
      const length = 1 + this.#rest.readUInt32BE(1);
      if (this.#rest.length < length) break;
      whole.push(this.#rest.subarray(0, length));
      this.#rest = this.#rest.subarray(length);
    }
    return whole;
  }
}

const isNotification = (message: Buffer): boolean => message[0] === 0x41;
const isReady = (message: Buffer): boolean => message[0] === 0x5a;
