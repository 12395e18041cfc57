import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { escapeInvisible } from "../errors.ts";
import { AnySignal } from "../host/any-signal.ts";
import type { Outside, Targets } from "../host/look/outside.ts";
import type { Limits } from "../profile/limits.ts";
import { meetNetworks, type Network, saysItsHost } from "../profile/network.ts";
import { proxyFor } from "../profile/proxy-for.ts";
import type { Upstream, UpstreamProxy } from "../profile/upstream.ts";
import type { HostAndPort } from "../tool/fetch/reach.ts";
import { Account, type EgressBecause, type EgressRefusal, type EgressUse } from "./account.ts";
import { connectBy } from "./by-proxy.ts";
import { ALL_TRANSFERRED, CountedConnection } from "./connection.ts";
import { inWords } from "./in-words.ts";
import { type Judged, judgeHost } from "./judge.ts";
import { LookUps } from "./look-ups.ts";
import { placeOf } from "./place-of.ts";

/** A decision about a host that is not listed: the network it allows, or the reason for none. */
export type HostAnswer =
  | {
      readonly kind: "granted";
      /** The network at the moment of a connection: later changes of the config reduce it. */
      readonly network: () => Promise<Network>;
    }
  | { readonly kind: "refused"; readonly because: EgressBecause; readonly reason: string };

/** The network that one call may reach, and who receives its reports. */
export interface EgressPolicy {
  readonly network: Network;
  /** The rest of it at the moment of a connection; absent if nothing can change it. */
  readonly networkNow?: () => Promise<Network>;
  readonly limits: Pick<Limits, "connections" | "transferBytes" | "connectionMs">;
  /** The upstream proxies that hosts are reached by, if the network allows them. */
  readonly upstream?: Upstream | null;
  /** Asks about a host that is not listed; the answer holds for the call. Null: no one is asked. */
  readonly ask: ((place: HostAndPort, signal: AbortSignal) => Promise<HostAnswer>) | null;
  /** Called for each refusal, the first time. */
  readonly onRefused: (refusal: Omit<EgressRefusal, "times">) => void;
}

/** The result of connecting to a host. */
export type EgressResult = { readonly kind: "reached"; readonly connection: CountedConnection } | NotReached;

/** Why there is no connection: it was rejected, or could not be made. */
export type NotReached =
  | { readonly kind: "refused"; readonly because: EgressBecause; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

/** Default maximum of concurrent connections: a supervisor has a limited number of descriptors. */
const MAX_CONNECTIONS = 256;

/** Maximum of programs that are connected to the proxy in addition to those with a connection. */
const MAX_WAITING = 64;

/** How often the transferred bytes are checked, if they are limited, in milliseconds. */
const TICK_MS = 100;

/** How long a server may take to accept a connection, in milliseconds. */
const CONNECT_MS = 30_000;

/** Maximum of hosts that one call may ask about. */
const MAX_ASKED = 20;

/** Maximum of characters reported of a host name. */
const MAX_HOST = 300;

/** The network access of one call: the hosts it may reach, the ones it has reached, and its end. */
export class CallEgress implements Disposable {
  /**
   * The credential that programs of the call show to the proxy: 192 random bits. In hex, because scripts take it out of
   * `http_proxy` and pass it on: one secret in 64 would begin with `-` in base64url and be taken for an option.
   */
  readonly secret = randomBytes(24).toString("hex");
  readonly #policy: EgressPolicy;
  readonly #outside: Outside;
  readonly #account = new Account();
  readonly #over = new AbortController();
  readonly #lookUps: LookUps;
  /** Counts bytes that are reported by no event: heads, and incomplete answers. */
  readonly #ticker: NodeJS.Timeout | undefined;
  readonly #clients = new Set<Socket>();
  readonly #connections = new Set<CountedConnection>();
  readonly #asked = new Map<string, Promise<HostAnswer>>();
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

  /** True if the call has ended: it can reach nothing more. */
  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Maximum of connected programs of the call: some wait for an answer or a rejection. */
  get maxClients(): number {
    return this.#maxConnections + MAX_WAITING;
  }

  /** Accepts a program that has shown the secret until the end of the call; closes it if there are too many. */
  admit(client: Socket): boolean {
    if (this.#clients.has(client)) return true;
    if (this.isOver || this.#clients.size >= this.maxClients) {
      const reason = `${this.maxClients} programs are already connected to the proxy`;
      if (!this.isOver) this.refuse({ host: null, port: null }, "limit", reason);
      client.destroy();
      return false;
    }
    this.#clients.add(client);
    client.once("close", () => this.#clients.delete(client));
    return true;
  }

  use(): EgressUse {
    for (const connection of this.#connections) connection.tally();
    return this.#account.use();
  }

  /** Connects to a host as named by a program, if the call may. Never rejects. */
  async reach(host: string, port: number, wants: "tunnel" | "page" = "tunnel"): Promise<EgressResult> {
    const place = placeOf(host, port);
    if (place === null) return this.refuse({ host, port }, "malformed", "it has no valid host and port");
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

  refuse(
    { host, port }: Pick<EgressRefusal, "host" | "port">,
    because: EgressBecause,
    reason: string,
    address?: string,
  ): Extract<NotReached, { readonly kind: "refused" }> {
    const led = address === undefined ? {} : { address };
    const refusal = { host: host?.slice(0, MAX_HOST) ?? null, port, because, reason, ...led };
    // Use after the end is not recorded: the final report was made.
    if (!this.isOver && this.#account.refused(refusal)) this.#policy.onRefused(refusal);
    return { kind: "refused", because, reason };
  }

  withoutProxy(place: HostAndPort, reason: string): Error {
    this.refuse(place, "proxy", reason);
    return new Error(reason);
  }

  /** True if a hello may ask for this server; null is an unreadable name. Otherwise closes the connection. */
  maySay({ place, socket }: CountedConnection, serverName: string | null): boolean {
    const { host, port } = place;
    // Servers compare without case, and some without a final dot; no other spelling means the same host.
    const asked = serverName?.toLowerCase().replace(/(?<=.)\.$/, "");
    if (asked !== undefined && saysItsHost({ host, port, address: host, serverName: asked })) return true;
    this.refuse(place, "server-name", `the TLS hello for \`${host}\` ${whatItAsks(serverName)}`);
    socket.destroy();
    return false;
  }

  /** Ends the call: closes all of its connections, and fails those that are waited for. */
  [Symbol.dispose](): void {
    this.#over.abort(new Error("the call has ended"));
    clearInterval(this.#ticker);
    for (const { socket } of this.#connections) socket.destroy();
    for (const client of this.#clients) client.destroy();
  }

  async #reach(place: HostAndPort, isPlain: boolean): Promise<EgressResult> {
    const { signal } = this.#over;
    signal.throwIfAborted();
    const { ask, network: granted, networkNow, upstream = null } = this.#policy;
    const judge = (under: Network): Promise<Judged> => {
      const proxy = proxyFor(upstream, under, place, isPlain);
      return judgeHost(
        under,
        place,
        { resolve: this.#lookUps.find, isOwn: this.#outside.isOwn, proxy },
        signal,
      );
    };
    let network = networkNow === undefined ? granted : meetNetworks(granted, await networkNow());
    signal.throwIfAborted();
    let judged = await judge(network);
    if (judged.kind === "refused" && judged.because === "unlisted" && ask !== null) {
      const answer = await this.#askOnce(place, ask);
      if (answer.kind === "refused") return this.refuse(place, answer.because, answer.reason);
      network = await answer.network();
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

  /** Asks once for each host and port: the answer holds for the call. */
  #askOnce(place: HostAndPort, ask: NonNullable<EgressPolicy["ask"]>): Promise<HostAnswer> {
    const key = `${place.host} ${place.port}`;
    const known = this.#asked.get(key);
    if (known !== undefined) return known;
    const asked: Promise<HostAnswer> =
      this.#asked.size < MAX_ASKED
        ? ask(place, this.#over.signal)
        : Promise.resolve({ kind: "refused", because: "limit", reason: TOO_MANY_ASKED });
    if (this.#asked.size < MAX_ASKED) this.#asked.set(key, asked);
    return asked;
  }

  async #dial(targets: Targets): Promise<Socket> {
    using stopped = new AnySignal(this.#over.signal, AbortSignal.timeout(CONNECT_MS));
    const { signal } = stopped;
    const socket = this.#outside.dial(targets);
    // Later errors are reported by its end.
    socket.on("error", () => undefined);
    try {
      await once(socket, "connect", { signal });
      return socket;
    } catch (cause) {
      socket.destroy();
      throw signal.aborted ? new Error("the request was not answered in time", { cause }) : cause;
    }
  }

  async #dialBy(place: HostAndPort, proxy: UpstreamProxy, isPlain: boolean): Promise<Socket> {
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
    place: HostAndPort,
    socket: Socket,
    kind: Pick<CountedConnection, "isStrict" | "pagesBy">,
    by: string | null,
  ): CountedConnection {
    const counts = this.#account.connected(place, by);
    const connection = new CountedConnection(place, socket, kind, {
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

  get #maxConnections(): number {
    return this.#policy.limits.connections ?? MAX_CONNECTIONS;
  }

  #whyFull(): string | null {
    const { transferBytes } = this.#policy.limits;
    if (this.#connections.size + this.#pending >= this.#maxConnections)
      return `${this.#maxConnections} connections of the call are already open`;
    return transferBytes !== undefined && this.#transferred > transferBytes ? ALL_TRANSFERRED : null;
  }
}

function whatItAsks(serverName: string | null): string {
  if (serverName === null) return "can't be read";
  if (serverName === "") return "names no host";
  return `names \`${escapeInvisible(serverName).slice(0, MAX_HOST)}\``;
}

const TOO_MANY_ASKED = `this call already requested ${MAX_ASKED} other hosts`;
