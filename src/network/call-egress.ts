import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { escapeInvisible } from "../errors.ts";
import { AnySignal } from "../host/any-signal.ts";
import type { Outside, Targets } from "../host/outside.ts";
import type { Limits } from "../profile/limits.ts";
import { type Network, saysItsHost } from "../profile/network.ts";
import { proxyFor } from "../profile/proxy-for.ts";
import type { Upstream, UpstreamProxy } from "../profile/upstream.ts";
import type { Place } from "../tool/fetch/reach.ts";
import { Account, type EgressBecause, type EgressRefusal, type EgressUse } from "./account.ts";
import { connectBy } from "./by-proxy.ts";
import { ALL_TRANSFERRED, Connection } from "./connection.ts";
import { inWords } from "./in-words.ts";
import { type Judged, judgeHost } from "./judge.ts";
import { LookUps } from "./look-ups.ts";
import { placeOf } from "./place-of.ts";

/** What somebody said of a host that is not listed: what may be reached for it, or why nothing. */
export type Amended =
  | { readonly kind: "granted"; readonly network: Network }
  | { readonly kind: "refused"; readonly because: EgressBecause; readonly reason: string };

/** What one call may reach, and who is told. */
export interface EgressPolicy {
  readonly network: Network;
  readonly limits: Pick<Limits, "connections" | "transferBytes" | "connectionMs">;
  /** The proxies that hosts are reached by, where the network lets them be. */
  readonly upstream?: Upstream | null;
  /** Asks somebody about a host that is not listed; what they say holds for the call. Null: nobody is asked. */
  readonly ask: ((place: Place, signal: AbortSignal) => Promise<Amended>) | null;
  /** Told of each refusal, the first time. */
  readonly onRefused: (refusal: Omit<EgressRefusal, "times">) => void;
}

/** What became of asking for a host. */
export type Reached = { readonly kind: "reached"; readonly connection: Connection } | NotReached;

/** Why there is no connection: it may not be, or could not be made. */
export type NotReached =
  | { readonly kind: "refused"; readonly because: EgressBecause; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

/** So many connections at once where no limit says another number: a supervisor has only so many descriptors. */
const MOST_CONNECTIONS = 256;

/** So many programs may be connected to the proxy besides those that are let out. */
const MOST_WAITING = 64;

/** How often is looked at what was moved, where that is bounded, in milliseconds. */
const TICK_MS = 100;

/** How long a server may take to accept a connection, in milliseconds. */
const CONNECT_MS = 30_000;

/** About more hosts nobody is asked in one call. */
const MOST_ASKED = 20;

/** So much of what a program calls a host is told. */
const MOST_HOST = 300;

/** The way out of one call: what it may reach, what it has reached, and its end. */
export class CallEgress implements Disposable {
  /**
   * What programs of the call show to the proxy: 192 random bits. In hex, because scripts take it out of `http_proxy` and hand
   * it on: one secret in 64 would begin with `-` in base64url, and be taken for an option.
   */
  readonly secret = randomBytes(24).toString("hex");
  readonly #policy: EgressPolicy;
  readonly #outside: Outside;
  readonly #account = new Account();
  readonly #over = new AbortController();
  readonly #lookUps: LookUps;
  /** Looks at what was moved where nobody tells it: heads, and answers that are none yet. */
  readonly #ticker: NodeJS.Timeout | undefined;
  readonly #clients = new Set<Socket>();
  readonly #connections = new Set<Connection>();
  readonly #asked = new Map<string, Promise<Amended>>();
  #pending = 0;
  #transferred = 0;

  constructor(policy: EgressPolicy, outside: Outside) {
    this.#policy = policy;
    this.#outside = outside;
    this.#lookUps = new LookUps(outside.resolve, this.#over.signal);
    if (policy.limits.transferBytes !== undefined)
      this.#ticker = setInterval(() => {
        for (const connection of this.#connections) connection.moved();
      }, TICK_MS).unref();
  }

  /** Whether the call is over: nothing is reached any more. */
  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** So many of its programs may be connected to the proxy at once: some wait for an answer, or are told no. */
  get mostClients(): number {
    return this.#mostConnections + MOST_WAITING;
  }

  /** Takes a program that has shown the secret until the end of the call; where there are too many, it is sent away. */
  admit(client: Socket): boolean {
    if (this.#clients.has(client)) return true;
    if (this.isOver || this.#clients.size >= this.mostClients) {
      const reason = `${this.mostClients} programs are connected to the proxy already`;
      if (!this.isOver) this.refuse({ host: null, port: null }, "limit", reason);
      client.destroy();
      return false;
    }
    this.#clients.add(client);
    client.once("close", () => this.#clients.delete(client));
    return true;
  }

  /** What the call did to the network until now. */
  use(): EgressUse {
    for (const connection of this.#connections) connection.tally();
    return this.#account.use();
  }

  /** Connects to a host as a program names it, if the call may. Never rejects. */
  async reach(host: string, port: number, wants: "tunnel" | "page" = "tunnel"): Promise<Reached> {
    const place = placeOf(host, port);
    if (place === null) return this.refuse({ host, port }, "malformed", "no host and port can be read in it");
    const full = this.#whyFull();
    if (full !== null) return this.refuse(place, "limit", full);
    this.#pending += 1;
    try {
      return await this.#reach(place, wants === "page");
    } catch (error) {
      return { kind: "failed", reason: inWords(error) };
    } finally {
      this.#pending -= 1;
    }
  }

  /** Notes that something was not let through. */
  refuse(
    { host, port }: Pick<EgressRefusal, "host" | "port">,
    because: EgressBecause,
    reason: string,
    address?: string,
  ): Extract<NotReached, { readonly kind: "refused" }> {
    const led = address === undefined ? {} : { address };
    const refusal = { host: host?.slice(0, MOST_HOST) ?? null, port, because, reason, ...led };
    // What comes after the end has been told already, all of it.
    if (!this.isOver && this.#account.refused(refusal)) this.#policy.onRefused(refusal);
    return { kind: "refused", because, reason };
  }

  /** Notes that a host was not reached because of the upstream proxy. The error is for the program. */
  withoutProxy(place: Place, reason: string): Error {
    this.refuse(place, "proxy", reason);
    return new Error(reason);
  }

  /** Whether a hello may ask for this server on a connection; null is what can't be read. Where not, the connection is closed. */
  maySay({ place, socket }: Connection, serverName: string | null): boolean {
    const { host, port } = place;
    // Servers compare without case, and some without a final dot; no other spelling is one of the same host.
    const asked = serverName?.toLowerCase().replace(/(?<=.)\.$/, "");
    if (asked !== undefined && saysItsHost({ host, port, address: host, serverName: asked })) return true;
    this.refuse(place, "server-name", `a TLS hello for \`${host}\` ${whatItAsks(serverName)}`);
    socket.destroy();
    return false;
  }

  /** The end of the call: every connection of it is closed, and whoever waits for one gets none. */
  [Symbol.dispose](): void {
    this.#over.abort(new Error("the call is over"));
    clearInterval(this.#ticker);
    for (const { socket } of this.#connections) socket.destroy();
    for (const client of this.#clients) client.destroy();
  }

  async #reach(place: Place, isPlain: boolean): Promise<Reached> {
    const { signal } = this.#over;
    signal.throwIfAborted();
    const { ask, network: granted, upstream = null } = this.#policy;
    const judge = (under: Network): Promise<Judged> => {
      const proxy = proxyFor(upstream, under, place, isPlain);
      return judgeHost(
        under,
        place,
        { resolve: this.#lookUps.find, isOwn: this.#outside.isOwn, proxy },
        signal,
      );
    };
    let network = granted;
    let judged = await judge(network);
    if (judged.kind === "refused" && judged.because === "unlisted" && ask !== null) {
      const amended = await this.#askOnce(place, ask);
      if (amended.kind === "refused") return this.refuse(place, amended.because, amended.reason);
      ({ network } = amended);
      judged = await judge(network);
    }
    if (judged.kind === "refused") return this.refuse(place, judged.because, judged.reason, judged.address);
    const isStrict = typeof network === "object" && network.strictSni === true;
    if (judged.kind === "reachable") {
      const socket = await this.#dial(judged.targets);
      return { kind: "reached", connection: this.#counted(place, socket, { isStrict, pagesBy: null }, null) };
    }
    const { proxy } = judged;
    const socket = await this.#dialBy(place, proxy, isPlain);
    const pagesBy = isPlain ? proxy : null;
    return { kind: "reached", connection: this.#counted(place, socket, { isStrict, pagesBy }, proxy.url) };
  }

  /** Asked once for each host and port: what is answered holds for the call. */
  #askOnce(place: Place, ask: NonNullable<EgressPolicy["ask"]>): Promise<Amended> {
    const key = `${place.host} ${place.port}`;
    const known = this.#asked.get(key);
    if (known !== undefined) return known;
    const asked: Promise<Amended> =
      this.#asked.size < MOST_ASKED
        ? ask(place, this.#over.signal)
        : Promise.resolve({ kind: "refused", because: "limit", reason: TOO_MANY_ASKED });
    if (this.#asked.size < MOST_ASKED) this.#asked.set(key, asked);
    return asked;
  }

  async #dial(targets: Targets): Promise<Socket> {
    using stopped = new AnySignal(this.#over.signal, AbortSignal.timeout(CONNECT_MS));
    const { signal } = stopped;
    const socket = this.#outside.dial(targets);
    // What happens to it later is told by its end.
    socket.on("error", () => undefined);
    try {
      await once(socket, "connect", { signal });
      return socket;
    } catch (cause) {
      socket.destroy();
      throw signal.aborted ? new Error("nobody answered in time", { cause }) : cause;
    }
  }

  async #dialBy(place: Place, proxy: UpstreamProxy, isPlain: boolean): Promise<Socket> {
    using stopped = new AnySignal(this.#over.signal, AbortSignal.timeout(CONNECT_MS));
    const { signal } = stopped;
    const by = { proxy, isPlain, resolve: this.#lookUps.find, signal };
    const connected = await connectBy(place, by, { dial: this.#outside.dial, ca: null }).catch((cause) => {
      throw signal.aborted
        ? this.withoutProxy(place, `the proxy ${proxy.url} did not answer in time`)
        : cause;
    });
    if (connected.kind === "failed") throw this.withoutProxy(place, connected.error.message);
    connected.socket.on("error", () => undefined);
    return connected.socket;
  }

  #counted(
    place: Place,
    socket: Socket,
    kind: Pick<Connection, "isStrict" | "pagesBy">,
    by: string | null,
  ): Connection {
    const counts = this.#account.connected(place, by);
    const connection = new Connection(place, socket, kind, {
      limits: this.#policy.limits,
      add: (sentBytes, receivedBytes) => {
        counts(sentBytes, receivedBytes);
        this.#transferred += sentBytes + receivedBytes;
        return this.#transferred;
      },
      onBound: (reason) => this.refuse(place, "limit", reason),
      onClosed: (closed) => this.#connections.delete(closed),
    });
    this.#connections.add(connection);
    return connection;
  }

  get #mostConnections(): number {
    return this.#policy.limits.connections ?? MOST_CONNECTIONS;
  }

  #whyFull(): string | null {
    const { transferBytes } = this.#policy.limits;
    if (this.#connections.size + this.#pending >= this.#mostConnections)
      return `${this.#mostConnections} connections of the call are open already`;
    return transferBytes !== undefined && this.#transferred > transferBytes ? ALL_TRANSFERRED : null;
  }
}

function whatItAsks(serverName: string | null): string {
  if (serverName === null) return "can't be read";
  if (serverName === "") return "asks for no host";
  return `asks for \`${escapeInvisible(serverName).slice(0, MOST_HOST)}\``;
}

const TOO_MANY_ASKED = `${MOST_ASKED} other hosts were asked about in this call`;
