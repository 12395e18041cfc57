import { CONTROLLERS, type Controller, type TreeBound } from "../../../backend/facts.ts";
import { visible } from "../../../errors.ts";
import { codeOf } from "../../system-error.ts";
import type { CgroupFiles } from "./files.ts";
import { type OwnCgroup, ownCgroups } from "./own.ts";

/** The folder in which a cgroup can be made for each call, for one controller. */
export interface Seat {
  readonly kind: "seat";
  readonly version: 1 | 2;
  readonly folder: string;
  /** Its name in `/proc/<pid>/cgroup`. */
  readonly path: string;
  /** True if this process is in there alone, and has to go into a leaf first. */
  readonly isOccupied: boolean;
}

/** The reason why there is no seat. */
export type NoSeat = Extract<TreeBound, { readonly kind: "absent" }>;

export type Seats = Readonly<Record<Controller, Seat | NoSeat>>;

/** The name of the leaf that a supervisor goes into, beside its calls. */
export const LEAF = "cofferdam";

const NONE_ON_MACOS = absent(
  "macOS has no cgroups",
  "use Linux if a limit must cover all processes of a call together",
);

/** The mark of systemd (sd_booted(3)), which decides who may make cgroups. */
const SYSTEMD = "/run/systemd/system";

/**
 * Finds folders for cgroups of calls, without making anything. For version 1 they lie below this process's own cgroup.
 * For version 2 it must be a folder without processes (cgroups(7), "no internal processes"): its own, if it is alone
 * there and can make itself a leaf; or, if it is in such a leaf, the one above. Only these keep calls within the bounds
 * of this process.
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
        `the kernel shows this process no controller \`${name}\``,
        "mount the cgroup file system with this controller",
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
    : absent(`the controller \`${name}\` is not enabled in ${visible(seat.path)}`, startFix(uid, hasSystemd));
}

function folderForCalls(files: CgroupFiles, own: OwnCgroup, uid: number, hasSystemd: boolean): Seat | NoSeat {
  const { folder, path } = own;
  const above = { folder: parentOf(folder), path: parentOf(path) || "/" };
  if (
    folder !== own.top &&
    folder.endsWith(`/${LEAF}`) &&
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
    `process ${other} is also in ${visible(path)}, but only calls may be there`,
    startFix(uid, hasSystemd),
  );
}

/** A delegatee may write the folder, its list of processes and of controllers (cgroups(7), "delegation"). */
function refusalOf(files: CgroupFiles, folder: string): string | null {
  return (
    files.refusal(folder) ??
    files.refusal(`${folder}/cgroup.procs`) ??
    files.refusal(`${folder}/cgroup.subtree_control`)
  );
}

/** True for the one cgroup of version 2 that has no type, and in which processes may be beside others. */
function isRoot(files: CgroupFiles, folder: string): boolean {
  return files.read(`${folder}/cgroup.type`) === null;
}

function processesIn(files: CgroupFiles, folder: string): readonly string[] {
  return wordsIn(files, `${folder}/cgroup.procs`);
}

/** The words of a control file; none if it can't be read. */
export function wordsIn(files: CgroupFiles, path: string): readonly string[] {
  return (files.read(path) ?? "").split(/\s+/).filter((word) => word !== "");
}

function refused({ path }: OwnCgroup, refusal: string, uid: number, hasSystemd: boolean): NoSeat {
  return refusal === "EROFS"
    ? absent(
        "the cgroup file system is mounted read-only",
        "start the container with a writable /sys/fs/cgroup",
      )
    : absent(`this user may not create a cgroup in ${visible(path)}`, startFix(uid, hasSystemd));
}

function startFix(uid: number, hasSystemd: boolean): string {
  const who = uid === 0 ? "" : "--user ";
  return hasSystemd
    ? `start cofferdam by \`systemd-run ${who}--scope -p Delegate=yes cofferdam …\``
    : "start cofferdam in a separate cgroup that this user can write";
}

function absent(reason: string, fix: string): NoSeat {
  return { kind: "absent", reason, fix };
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/**
 * Version 1 counts the data that TCP holds to be sent or read apart from memory, and no bound on it is whole: data for
 * an empty queue exceeds it (net/core/sock.c, `__sk_mem_raise_allocated`; net/ipv4/tcp_input.c,
 * `sk_forced_mem_schedule`), so each connection has at most 139 KiB more, seen on Linux 6.18. Version 2 counts all as
 * memory, and ends processes.
 */
const TCP_APART = "cgroups of version 1 do not count the memory of TCP connections; version 2 does";

/** The seats in the form for plans: whether each controller is available, and by which door. */
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

function doorFolders(seats: Seats): readonly string[] {
  const v1 = CONTROLLERS.flatMap((name) => {
    const seat = seats[name];
    return seat.kind === "seat" && seat.version === 1 ? [seat.folder] : [];
  });
  return [...new Set(v1)];
}

/**
 * The same, ready to be used: if needed, this process goes into a leaf, and the controllers are handed down to the
 * cgroups beside it. Seats that turn out to be unavailable count as absent.
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
      `${visible(seat.path)} can't be prepared: ${codeOf(cause)}`,
      "start cofferdam in a cgroup that no other program uses",
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
