import { close, openSync, readdirSync, readlinkSync } from "node:fs";
import type { HostMount } from "../../backend/facts.ts";
import type { Expectation, ExpectedMount, Protection } from "../../backend/plan.ts";
import { visible } from "../../errors.ts";
import { type AbsolutePath, upwards } from "../../profile/path.ts";
import { MountTableParser } from "../look/mount-table.ts";
import { bytesFrom, procText } from "../look/proc-files.ts";
import { isInheritable } from "./inherited.ts";

/** One difference from the plan. */
export interface Discrepancy {
  readonly protection: Protection;
  readonly message: string;
}

/** The state of a waiting process in `/proc`. */
export interface Observation {
  readonly status: ReadonlyMap<string, string>;
  readonly namespaces: ReadonlyMap<string, string>;
  /** Only those that the plan does not name, with their targets. */
  readonly descriptors: ReadonlyMap<number, string>;
  readonly environment: readonly string[];
}

/** A sandbox's mount table; its open file holds the mount namespace (fs/proc_namespace.c, `mounts_open_common`). */
export class MountWatch {
  readonly #fd: number;
  readonly #parser = new MountTableParser();

  constructor(pid: number) {
    this.#fd = openSync(`/proc/${pid}/mountinfo`, "r");
  }

  /** The table as it was last read; empty before. */
  last: readonly HostMount[] = [];

  /** The table as it is now: the same object as long as nothing changes. */
  read(): readonly HostMount[] {
    this.last = this.#parser.parse(bytesFrom(this.#fd));
    return this.last;
  }

  /** Off the main thread: if this holds the namespace last, the kernel removes its mounts meanwhile. */
  [Symbol.dispose](): void {
    close(this.#fd);
  }
}

/**
 * Reads the facts for the proof about one process; `cover` is the name in `/proc` of the cover over leaking
 * descriptors. Throws the system's error if the process is gone or not ours.
 */
export function observe(
  pid: number,
  { namespaces, descriptors }: Pick<Expectation, "namespaces" | "descriptors">,
  cover: string | null,
): Observation {
  const status = procText(`/proc/${pid}/status`)
    .split("\n")
    .map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
  return {
    status: new Map(status),
    namespaces: new Map(namespaces.map((name) => [name, readlinkSync(`/proc/${pid}/ns/${name}`)])),
    descriptors: unplannedDescriptors(pid, descriptors, cover),
    environment: namesOf(procText(`/proc/${pid}/environ`)),
  };
}

/** Descriptors that the program would have, except covers, and those of a start program that exec closes. */
function unplannedDescriptors(
  pid: number,
  planned: readonly number[],
  cover: string | null,
): ReadonlyMap<number, string> {
  const fds = readdirSync(`/proc/${pid}/fd`)
    .map(Number)
    .filter((fd) => !planned.includes(fd) && isInheritable(pid, fd));
  const targets = fds.map((fd): [number, string] => [fd, readlinkSync(`/proc/${pid}/fd/${fd}`)]);
  return new Map(targets.filter(([, target]) => target !== cover));
}

function namesOf(environ: string): readonly string[] {
  return environ.split("\0").flatMap((line) => (line === "" ? [] : [line.split("=", 1)[0] ?? ""]));
}

/** All differences between the observed process and the plan; an empty list is the proof. */
export function discrepancies(
  expects: Expectation,
  seen: Observation,
  own: ReadonlyMap<string, string>,
  mounts: readonly HostMount[],
): readonly Discrepancy[] {
  return [...processDiscrepancies(expects, seen, own), ...mountDiscrepancies(expects.mounts, mounts)];
}

function processDiscrepancies(
  expects: Expectation,
  seen: Observation,
  own: ReadonlyMap<string, string>,
): readonly Discrepancy[] {
  const found: Discrepancy[] = [];
  const report = (protection: Protection, message: string): void => void found.push({ protection, message });
  for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]) {
    if (!/^0+$/.test(seen.status.get(set) ?? ""))
      report("capabilities", `${set} is ${seen.status.get(set) ?? "unknown"}, not empty`);
  }
  if (seen.status.get("NoNewPrivs") !== "1") report("capabilities", "no_new_privs is not set");
  if (expects.hasSeccomp && seen.status.get("Seccomp") !== "2")
    report("syscalls", "no system call filter is active");
  for (const name of expects.namespaces) {
    const theirs = seen.namespaces.get(name);
    if (theirs === undefined || theirs === own.get(name))
      report(name === "net" ? "network" : "processes", `the ${name} namespace is not a new one`);
  }
  for (const [fd, target] of seen.descriptors)
    report("descriptors", `descriptor ${fd} is open: ${visible(target)}`);
  for (const name of seen.environment) {
    if (!expects.environment.includes(name))
      report("environment", `the variable ${visible(name)} was not planned`);
  }
  return found;
}

/**
 * The table must hold exactly the planned mounts, each with its flags; of several on one point the last counts. One
 * below a later mount can't be seen: it counts as missing, and is ignored if it was not planned.
 */
export function mountDiscrepancies(
  expected: readonly ExpectedMount[],
  seen: readonly HostMount[],
): readonly Discrepancy[] {
  const planned = new Map(expected.map((mount) => [mount.point, mount]));
  const found = new Map(uncovered(seen).map((mount) => [mount.point, mount]));
  return [
    ...missing(planned, found).map(
      (mount): Discrepancy => ({ protection: "files", message: printMissing(mount.point) }),
    ),
    ...[...found.values()].flatMap((mount): Discrepancy[] => {
      const difference = differenceOf(planned.get(mount.point), mount);
      return difference === null
        ? []
        : [{ protection: "files", message: `the mount at ${mount.point} ${difference}` }];
    }),
  ];
}

/** The text for a planned mount that is missing. */
export function printMissing(point: AbsolutePath): string {
  return `the mount at ${point} is missing`;
}

/**
 * The points of planned mounts that protected a path from writes, and are missing while it is writable now: the kernel
 * takes a mount off if its point is removed on the host, or replaced by a rename (fs/namei.c, `detach_mounts`). Those
 * that hide are reported apart: see `uncoveredPoints`.
 */
export function unprotectedPoints(
  expected: readonly ExpectedMount[],
  seen: readonly HostMount[],
): readonly AbsolutePath[] {
  const planned = new Map(expected.map((mount) => [mount.point, mount]));
  const found = new Map(uncovered(seen).map((mount) => [mount.point, mount]));
  return missing(planned, found).flatMap(({ point, readOnly, hides }) => {
    const around = [...upwards(point)].map((at) => found.get(at)).find((mount) => mount !== undefined);
    return readOnly && !hides && around?.readOnly === false ? [point] : [];
  });
}

function missing(
  planned: ReadonlyMap<AbsolutePath, ExpectedMount>,
  found: ReadonlyMap<AbsolutePath, HostMount>,
): readonly ExpectedMount[] {
  return [...planned.values()].filter((mount) => !mount.optional && !found.has(mount.point));
}

/** The visible mounts. The kernel lists them as they were made: a later one on a folder above hides those below. */
function uncovered(seen: readonly HostMount[]): readonly HostMount[] {
  const last = new Map(seen.map((mount, at) => [mount.point, at]));
  return seen.filter(({ point }, at) =>
    [...upwards(point)].every((above) => above === point || (last.get(above) ?? -1) < at),
  );
}

function differenceOf(planned: ExpectedMount | undefined, seen: HostMount): string | null {
  if (planned === undefined) return "was not planned";
  if (planned.readOnly && !seen.readOnly) return "is writable";
  if (!planned.readOnly && seen.readOnly) return "is read-only";
  if (planned.type !== null && planned.type !== seen.type) return `is ${seen.type}, not ${planned.type}`;
  if (planned.source === null) return null;
  const isSame = planned.source.device === seen.device && planned.source.root === seen.root;
  return isSame
    ? null
    : `shows ${seen.root} of ${seen.device}, not ${planned.source.root} of ${planned.source.device}`;
}
