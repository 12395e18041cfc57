import { CONTROLLERS, type Controller, type TreeBound } from "../../backend/facts.ts";
import { visible } from "../../errors.ts";
import { codeOf } from "../system-error.ts";
import type { CgroupFiles } from "./files.ts";
import { type OwnCgroup, ownCgroups } from "./own.ts";

/** The folder in which a cgroup can be made for each call, for one controller. */
export interface Seat {
  readonly kind: "seat";
  readonly version: 1 | 2;
  readonly folder: string;
  /** How `/proc/<pid>/cgroup` calls it. */
  readonly path: string;
  /** This process is in there by itself, and has to go into a leaf first. */
  readonly isOccupied: boolean;
}

/** Why there is none. */
export type NoSeat = Extract<TreeBound, { readonly kind: "absent" }>;

/** The seats of all controllers. */
export type Seats = Readonly<Record<Controller, Seat | NoSeat>>;

/** The leaf that a supervisor goes into: of this name, beside its calls. */
export const LEAF = "cofferdam";

const NONE_ON_MACOS = absent(
  "macOS has no cgroups",
  "use Linux where a whole tree of processes must be bounded",
);

/** What `/run/systemd/system` says (sd_booted(3)), and what it means for who may make cgroups. */
const SYSTEMD = "/run/systemd/system";

/**
 * Where cgroups for calls can be made, without making anything. Of version 1 that is below this process's own cgroup. Of
 * version 2 it must be a folder that no process is in (cgroups(7), "no internal processes"): its own, where it is in it
 * alone and can make itself a leaf; or, where it is in such a leaf, the one above. Of no other cgroup a call would be in
 * the one above: what bounds this process bounds its calls.
 */
export function findSeats(
  files: CgroupFiles,
  uid: number,
  platform: NodeJS.Platform = process.platform,
): Seats {
  if (platform === "darwin") return { memory: NONE_ON_MACOS, pids: NONE_ON_MACOS };
  const own = ownCgroups(files);
  const hasSystemd = files.refusal(SYSTEMD) !== "ENOENT";
  const find = (name: Controller): Seat | NoSeat => {
    const at = own[name];
    if (at === null)
      return absent(
        `the kernel has no controller \`${name}\` where this process could see it`,
        "mount the cgroup file system, with this controller in it",
      );
    return at.version === 1
      ? seatBelow(files, at, uid, hasSystemd)
      : seatBeside(files, at, name, uid, hasSystemd);
  };
  return { memory: find("memory"), pids: find("pids") };
}

function seatBelow(files: CgroupFiles, own: OwnCgroup, uid: number, hasSystemd: boolean): Seat | NoSeat {
  const { folder, path } = own;
  const refusal = files.refusal(folder);
  return refusal === null
    ? { kind: "seat", version: 1, folder, path, isOccupied: false }
    : refused(own, refusal, uid, hasSystemd);
}

function seatBeside(
  files: CgroupFiles,
  own: OwnCgroup,
  name: Controller,
  uid: number,
  hasSystemd: boolean,
): Seat | NoSeat {
  const seat = folderForCalls(files, own, uid, hasSystemd);
  if (seat.kind === "absent") return seat;
  const available = wordsIn(files, `${seat.folder}/cgroup.controllers`);
  return available.includes(name)
    ? seat
    : absent(
        `the controller \`${name}\` is not handed down to ${visible(seat.path)}`,
        startFix(uid, hasSystemd),
      );
}

function folderForCalls(files: CgroupFiles, own: OwnCgroup, uid: number, hasSystemd: boolean): Seat | NoSeat {
  const { folder, path } = own;
  const above = { folder: parentOf(folder), path: parentOf(path) || "/" };
  if (
    folder !== own.top &&
    nameOf(folder) === LEAF &&
    refusalOf(files, above.folder) === null &&
    (isRoot(files, above.folder) || processesIn(files, above.folder).length === 0)
  )
    return { kind: "seat", version: 2, ...above, isOccupied: false };
  const refusal = refusalOf(files, folder);
  if (refusal !== null) return refused(own, refusal, uid, hasSystemd);
  const [other] = processesIn(files, folder).filter((pid) => pid !== String(process.pid));
  if (other === undefined || isRoot(files, folder))
    return { kind: "seat", version: 2, folder, path, isOccupied: !isRoot(files, folder) };
  return absent(
    `process ${other} is in ${visible(path)} beside this one, where calls would have to be alone`,
    startFix(uid, hasSystemd),
  );
}

/** What a delegatee may write is the folder, its list of processes and of controllers (cgroups(7), "delegation"). */
function refusalOf(files: CgroupFiles, folder: string): string | null {
  return (
    files.refusal(folder) ??
    files.refusal(`${folder}/cgroup.procs`) ??
    files.refusal(`${folder}/cgroup.subtree_control`)
  );
}

/** The one cgroup of version 2 that has no type, and in which processes may be beside others. */
function isRoot(files: CgroupFiles, folder: string): boolean {
  return files.read(`${folder}/cgroup.type`) === null;
}

function processesIn(files: CgroupFiles, folder: string): readonly string[] {
  return wordsIn(files, `${folder}/cgroup.procs`);
}

/** The words of a control file; none where it can't be read. */
export function wordsIn(files: CgroupFiles, path: string): readonly string[] {
  return (files.read(path) ?? "").split(/\s+/).filter((word) => word !== "");
}

function refused({ path }: OwnCgroup, refusal: string, uid: number, hasSystemd: boolean): NoSeat {
  return refusal === "EROFS"
    ? absent(
        "the cgroup file system is mounted read-only",
        "start the container with a writable /sys/fs/cgroup",
      )
    : absent(`${visible(path)} is not this user's to make one in`, startFix(uid, hasSystemd));
}

function startFix(uid: number, hasSystemd: boolean): string {
  const who = uid === 0 ? "" : "--user ";
  return hasSystemd
    ? `start cofferdam by \`systemd-run ${who}--scope -p Delegate=yes cofferdam …\``
    : "start cofferdam in a cgroup of its own, which this user may write";
}

function absent(reason: string, fix: string): NoSeat {
  return { kind: "absent", reason, fix };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/**
 * Version 1 counts what TCP holds to be sent or read apart from memory, and no bound on it is whole: data for an empty queue
 * is taken above it too (net/core/sock.c, `__sk_mem_raise_allocated`; net/ipv4/tcp_input.c, `sk_forced_mem_schedule`), so
 * that each connection has 139 KiB more at the most, seen on Linux 6.18. Version 2 counts all as memory, and ends processes.
 */
const TCP_APART = "cgroups of version 1 do not bound what TCP connections hold; those of version 2 do";

/** The same as plans are made from: whether each controller can be had, and by which door. */
export function treeOf(seats: Seats): Readonly<Record<Controller, TreeBound>> {
  const folders = doorFolders(seats);
  const boundOf = (name: Controller): TreeBound => {
    const seat = seats[name];
    if (seat.kind === "absent") return seat;
    const door = folders.indexOf(seat.folder);
    const except = name === "memory" && seat.version === 1 ? TCP_APART : null;
    return { kind: "held", door: door === 0 || door === 1 ? door : null, except };
  };
  return { memory: boundOf("memory"), pids: boundOf("pids") };
}

/** The folders whose cgroups have a door, in order: those of version 1. */
function doorFolders(seats: Seats): readonly string[] {
  const v1 = CONTROLLERS.flatMap((name) => {
    const seat = seats[name];
    return seat.kind === "seat" && seat.version === 1 ? [seat.folder] : [];
  });
  return [...new Set(v1)];
}

/**
 * The same, ready to be used: where needed, this process goes into a leaf, and the controllers are handed down to what is
 * made beside it. What can't be had after all counts as absent.
 */
export function readySeats(files: CgroupFiles, uid: number): Seats {
  const found = findSeats(files, uid);
  const names = CONTROLLERS.filter((name) => found[name].kind === "seat" && found[name].version === 2);
  const [seat] = names.map((name) => found[name]);
  if (seat?.kind !== "seat") return found;
  try {
    if (seat.isOccupied) stepAside(files, seat.folder);
    handDown(files, seat.folder, names);
  } catch (cause) {
    const none = absent(
      `${visible(seat.path)} can't be made ready: ${codeOf(cause)}`,
      "start cofferdam in a cgroup that nothing else uses",
    );
    return { ...found, ...Object.fromEntries(names.map((name) => [name, none])) };
  }
  return findSeats(files, uid);
}

function stepAside(files: CgroupFiles, folder: string): void {
  const leaf = `${folder}/${LEAF}`;
  if (!files.list(folder).includes(LEAF)) files.makeFolder(leaf);
  files.write(`${leaf}/cgroup.procs`, String(process.pid));
}

function handDown(files: CgroupFiles, folder: string, names: readonly Controller[]): void {
  const file = `${folder}/cgroup.subtree_control`;
  const missing = names.filter((name) => !wordsIn(files, file).includes(name));
  if (missing.length > 0) files.write(file, missing.map((name) => `+${name}`).join(" "));
}
