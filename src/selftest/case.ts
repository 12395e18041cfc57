import type { ClaimId } from "./claims.ts";

/**
 * One act that the walls must refuse, beside a twin that succeeds: without it a refusal could be the act's own fault. Both
 * are lines of POSIX shell that do the same thing; status 0 says that it was done.
 */
export interface Case {
  readonly on: On;
  readonly claim: ClaimId;
  /** What can't be done, as a sentence. No two cases of one claim have the same. */
  readonly title: string;
  readonly attack: string;
  readonly twin: Twin;
  /** Whose twin is tried: only root's where an ordinary user is refused outside as well, or where root had to prepare it. */
  readonly twinFor?: "root";
  /** Why the twin may fail on a machine that is in order; then the case was not tried. */
  readonly twinMayFail?: string;
  /** As root the act is done where no device nodes can be made for tools; the receipt then says so. */
  readonly isOpenWithoutDevices?: true;
}

/** Where a case is tried: with the walls of both platforms, or of one. */
export type On = "both" | "linux" | "darwin";

/**
 * Where the twin is done: inside, where it is granted; inside under a config that grants more; outside, as the same user
 * without walls; or outside in namespaces of its own, where nothing of the machine is touched.
 */
export interface Twin {
  readonly where: "granted" | "wider" | "outside" | "own";
  readonly line: string;
}

/** What the lines of cases speak of. Every path is plain enough to stand in a line as it is. */
export interface Target {
  /** The writable root. Its files are those that `prepareGround` makes. */
  readonly ws: string;
  /** A root to read. */
  readonly docs: string;
  /** A root with the suffix `.md`. */
  readonly notes: string;
  /** A folder that nobody granted, with a file `canary`; `ws/inner` is its twin. */
  readonly outside: string;
  /** A process of the same user on the host, and a word that stands in its command line. */
  readonly pid: number;
  readonly word: string;
  /** Of servers on the host: a TCP port on loopback; on Linux, the name of an abstract socket; `outside/socket` is one, too. */
  readonly port: number;
  readonly abstract: string;
  /** The user's home. */
  readonly home: string;
}

/** Cases that are all of one platform, or of both. */
export function on(platform: On, cases: readonly Omit<Case, "on">[]): readonly Case[] {
  return cases.map((one) => ({ ...one, on: platform }));
}

/** A twin inside, where the act is granted. */
export function granted(line: string): Twin {
  return { where: "granted", line };
}

/** A twin inside, under the config that grants more: see `prepareGround`. */
export function wider(line: string): Twin {
  return { where: "wider", line };
}

/** A twin of the same user's without walls. */
export function outside(line: string): Twin {
  return { where: "outside", line };
}

/** A twin in namespaces of its own. */
export function own(line: string): Twin {
  return { where: "own", line };
}
