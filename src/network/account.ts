import type { HostAndPort } from "../tool/fetch/reach.ts";

/** Bytes sent to and received from one host and port, as on the wire: TLS overhead included. */
export interface HostUse extends HostAndPort {
  /** The URL of the proxy that was used; left out for a direct connection. */
  readonly by?: string;
  readonly connections: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** A rejected connection, with how often it was rejected. */
export interface EgressRefusal {
  /** The host as requested, in its canonical spelling where it has one; null if unreadable. */
  readonly host: string | null;
  /** Null if unreadable. */
  readonly port: number | null;
  readonly because: EgressBecause;
  /** One line of text, without anything that a server sent. */
  readonly reason: string;
  /** The address that the name resolves to, if that is the reason. */
  readonly address?: string;
  readonly times: number;
}

/** Why a connection is rejected, as a word for callers. */
export type EgressBecause =
  | "unlisted"
  | "never"
  | "no-address"
  | "private"
  | "special"
  | "answered-no"
  | "malformed"
  | "credential"
  | "server-name"
  | "proxy"
  | "limit";

/** The network use of one call. */
export interface EgressUse {
  /** Most bytes first; beyond a hundred, the rest is summed up in `others`. */
  readonly hosts: readonly HostUse[];
  readonly others: Omit<HostUse, "host" | "port"> | null;
  /** In order of arrival; beyond a hundred, the rest is counted in `moreRefused`. */
  readonly refused: readonly EgressRefusal[];
  readonly moreRefused: number;
}

/** More hosts and refusals than these are counted, not named: a program can make up any number of them. */
const MAX_NAMED = 100;

type Mutable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

/** Counts what one call does to the network. */
export class Account {
  readonly #hosts = new Map<string, Mutable<HostUse>>();
  readonly #others = { connections: 0, sentBytes: 0, receivedBytes: 0 };
  readonly #refused = new Map<string, Mutable<EgressRefusal>>();
  #moreRefused = 0;

  /** Counts a connection to a host; the returned counter takes its bytes. */
  connected(
    { host, port }: HostAndPort,
    by: string | null = null,
  ): (sentBytes: number, receivedBytes: number) => void {
    const use = this.#useOf(host, port, by);
    use.connections += 1;
    return (sentBytes, receivedBytes) => {
      use.sentBytes += sentBytes;
      use.receivedBytes += receivedBytes;
    };
  }

  /** Counts a refusal; true if it is new and so worth reporting. */
  refused(refusal: Omit<EgressRefusal, "times">): boolean {
    const key = JSON.stringify([refusal.host, refusal.port, refusal.because]);
    const known = this.#refused.get(key);
    if (known !== undefined) known.times += 1;
    else if (this.#refused.size >= MAX_NAMED) this.#moreRefused += 1;
    else this.#refused.set(key, { ...refusal, times: 1 });
    return known === undefined && this.#refused.has(key);
  }

  use(): EgressUse {
    const hosts = [...this.#hosts.values()].map((use) => ({ ...use }));
    const size = (use: HostUse): number => use.sentBytes + use.receivedBytes;
    return {
      hosts: hosts.sort((a, b) => size(b) - size(a)),
      others: this.#others.connections === 0 ? null : { ...this.#others },
      refused: [...this.#refused.values()].map((one) => ({ ...one })),
      moreRefused: this.#moreRefused,
    };
  }

  #useOf(host: string, port: number, by: string | null): Omit<Mutable<HostUse>, "host" | "port"> {
    const key = `${host} ${port} ${by ?? ""}`;
    const known = this.#hosts.get(key);
    if (known !== undefined) return known;
    if (this.#hosts.size >= MAX_NAMED) return this.#others;
    const way = by === null ? {} : { by };
    const made = { host, port, ...way, connections: 0, sentBytes: 0, receivedBytes: 0 };
    this.#hosts.set(key, made);
    return made;
  }
}
