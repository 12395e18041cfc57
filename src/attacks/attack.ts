import type { ClaimId } from "./claims.ts";

/**
 * One act that the sandbox must refuse, and its control: the same act in a place where it must succeed. Without a
 * control a refusal could be the act's own fault. Both are lines of POSIX shell; status 0 means success.
 */
export interface Attack {
  readonly on: On;
  readonly claim: ClaimId;
  /** The forbidden act, as a sentence. No two attacks of one claim have the same. */
  readonly title: string;
  readonly line: string;
  readonly control: Control;
  /** Set if only root's control is tried: an ordinary user is refused outside as well, or root had to prepare it. */
  readonly controlFor?: "root";
  /** The reason why the control may fail on a healthy machine; then the attack was not tried. */
  readonly controlMayFail?: string;
  /** Under root the act succeeds if no device nodes can be made for tools; the receipt then says so. */
  readonly isOpenWithoutDevices?: true;
  readonly atStart?: AtStart;
}

/** An attack without its platform, which `on` adds. */
export interface Row<Claim extends ClaimId = ClaimId> extends Omit<Attack, "on" | "claim"> {
  readonly claim: Claim;
}

type More = Pick<Attack, "controlFor" | "controlMayFail" | "isOpenWithoutDevices">;

/** The platforms on which an attack is tried. */
export type On = "both" | "linux" | "darwin";

/** Requirements of the start-up check besides the attack itself. */
export interface AtStart {
  /** The act of a process if the attack succeeds, such as "make a user namespace". `doctor` prints it. */
  readonly act: string;
  /** Linux checks these in place of the control: nothing is done outside at each start. macOS runs the control. */
  readonly needs: Need | null;
}

/** A property of the machine that is checked, not tried. */
export type Need = readonly [kind: "readable" | "writable" | "owned" | "program", pathOrName: string];

/** The control's place: inside; inside under a wider config; outside as the same user; outside in own namespaces. */
export interface Control {
  readonly where: "granted" | "wider" | "outside" | "own";
  readonly line: string;
}

/** Targets of the lines of the start-up check. Every path is plain enough to be in a line as it is. */
export interface StartTarget {
  /** An ungranted folder with the files `canary`, `moved`, `program`, and on macOS `socket` of a listening server. */
  readonly outside: string;
  /** A folder of the control's own: the same files are in its folder `inner`, and `program` in itself. */
  readonly ws: string;
  /** A process of the same user on the host, and its name in `/proc`. */
  readonly pid: number;
  readonly comm: string;
  /** The first process of another sandbox, on macOS. */
  readonly neighbour: number;
  /** A TCP port on loopback with a server of the host. */
  readonly port: number;
  /** The shell that is the first process of a sandbox on Linux. */
  readonly shell: string;
}

/** Targets of the lines of all attacks. */
export interface AttackTarget extends StartTarget {
  /** A root to read; `ws` is the writable one. Its files are those that `prepareGround` makes. */
  readonly docs: string;
  /** A root with the suffix `.md`. */
  readonly notes: string;
  /** A word in the command line of `pid`. */
  readonly word: string;
  /** The name of an abstract socket of the host, on Linux. */
  readonly abstract: string;
  readonly home: string;
  readonly arch: "x64" | "arm64";
}

/** Attacks that are all of one platform, or of both. */
export function on(platform: On, rows: readonly Row[]): readonly Attack[] {
  return rows.map((row) => ({ ...row, on: platform }));
}

/** An attack: the claim that it proves, its title, its line, and its control. */
export function row<Claim extends ClaimId>(
  claim: Claim,
  title: string,
  line: string,
  control: Control,
  more: More = {},
): Row<Claim> {
  return { claim, title, line, control, ...more };
}

type SameLine = <Claim extends ClaimId>(claim: Claim, title: string, line: string, more?: More) => Row<Claim>;

export const sameOutside: SameLine = same("outside");
export const sameWider: SameLine = same("wider");
export const sameOwn: SameLine = same("own");

function same(where: Control["where"]): SameLine {
  return (claim, title, line, more) => row(claim, title, line, { where, line }, more);
}

/** A control inside, where the act is granted. */
export function granted(line: string): Control {
  return { where: "granted", line };
}

/** A control of the same user's without a sandbox. */
export function outside(line: string): Control {
  return { where: "outside", line };
}

/** A control in namespaces of its own. */
export function own(line: string): Control {
  return { where: "own", line };
}
