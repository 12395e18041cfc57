import type { Place } from "../tool/fetch/reach.ts";

/** What went to and from one host and port; bytes as they were sent, those of TLS included. */
export interface HostUse extends Place {
  /** The URL of the proxy that it was reached by; left out where it was reached directly. */
  readonly by?: string;
  readonly connections: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** Something that was not let through, so many times. */
export interface EgressRefusal {
  /** As it was asked for, in the one spelling where it has one; null where nothing could be read. */
  readonly host: string | null;
  /** Null where none could be read. */
  readonly port: number | null;
  readonly because: EgressBecause;
  /** In words, without what a server said. */
  readonly reason: string;
  /** Where the name leads, if that is why. */
  readonly address?: string;
  readonly times: number;
}

/** Why a connection is not let through, as a word that callers can tell apart. */
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

/** All that one call did to the network. */
export interface EgressUse {
  /** Most of them first; of more than a hundred the rest together stand in `others`. */
  readonly hosts: readonly HostUse[];
  readonly others: Omit<HostUse, "host" | "port"> | null;
  /** As they came; those that came when a hundred were known stand in `moreRefused`. */
  readonly refused: readonly EgressRefusal[];
  readonly moreRefused: number;
}

/** More hosts and refusals than these are counted, not named: a program can make up as many as it likes. */
const MOST_NAMED = 100;

type Mutable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

/** Counts what one call does to the network. */
export class Account {
  readonly #hosts = new Map<string, Mutable<HostUse>>();
  readonly #others = { connections: 0, sentBytes: 0, receivedBytes: 0 };
  readonly #refused = new Map<string, Mutable<EgressRefusal>>();
  #moreRefused = 0;

  /** A connection to a host begins; what is returned counts its bytes. */
  connected(
    { host, port }: Place,
    by: string | null = null,
  ): (sentBytes: number, receivedBytes: number) => void {
    const use = this.#useOf(host, port, by);
    use.connections += 1;
    return (sentBytes, receivedBytes) => {
      use.sentBytes += sentBytes;
      use.receivedBytes += receivedBytes;
    };
  }

  /** Something was not let through; true where it was not before, so that it is worth telling. */
  refused(refusal: Omit<EgressRefusal, "times">): boolean {
    const key = JSON.stringify([refusal.host, refusal.port, refusal.because]);
    const known = this.#refused.get(key);
    if (known !== undefined) known.times += 1;
    else if (this.#refused.size >= MOST_NAMED) this.#moreRefused += 1;
    else this.#refused.set(key, { ...refusal, times: 1 });
    return known === undefined && this.#refused.has(key);
  }

  /** All of it until now. */
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
    if (this.#hosts.size >= MOST_NAMED) return this.#others;
    const way = by === null ? {} : { by };
    const made = { host, port, ...way, connections: 0, sentBytes: 0, receivedBytes: 0 };
    this.#hosts.set(key, made);
    return made;
  }
}
