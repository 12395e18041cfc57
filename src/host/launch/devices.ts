import {
  chownSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename } from "node:path";
import { DEVICES, type DeviceName } from "../../backend/bubblewrap/views.ts";
import type { DeviceNodes } from "../../backend/facts.ts";
import { CofferdamError } from "../../errors.ts";
import { type AbsolutePath, joinPath, knownPath, upwards } from "../../profile/path.ts";
import type { Host } from "../look/host.ts";
import { numbersOf, realPathOf, statsOf } from "../look/nodes.ts";
import { orNull } from "../or-null.ts";
import { findHelper } from "./launcher.ts";
import { ask } from "./spawn.ts";
import { removeIfAbandoned } from "./state-files.ts";

/** Major and minor numbers (Documentation/admin-guide/devices.txt). */
const NUMBERS: Readonly<Record<DeviceName, readonly [major: number, minor: number]>> = {
  null: [1, 3],
  zero: [1, 5],
  full: [1, 7],
  random: [1, 8],
  urandom: [1, 9],
  tty: [5, 0],
};

/** The owner of created nodes, who is no user inside a sandbox: only owners change modes. */
const NOBODY = 65534;

/** The capability to create a device node (include/uapi/linux/capability.h). */
const CAP_MKNOD = 27n;

type Uid = Pick<Host["user"], "uid">;

/**
 * The origin of a sandbox's device nodes for this user. Writes nothing: nodes that could be created count as present.
 */
export function lookAtDevices(host: Host, { uid }: Uid): DeviceNodes {
  if (host.platform !== "linux" || DEVICES.every((name) => statsOf(knownPath(`/dev/${name}`))?.uid !== uid))
    return { kind: "host" };
  const folder = folderOf(host);
  const reason = mayMakeNodes() && statsOf(folder) === null ? null : obstacle(folder, uid);
  return reason === null ? { kind: "made", folder } : { kind: "exposed", reason };
}

/** Creates missing or wrong nodes that a sandbox of this user needs. The following look reports the failed ones. */
export async function makeDevices(host: Host, user: Uid, writable: readonly AbsolutePath[]): Promise<void> {
  if (lookAtDevices(host, user).kind === "host" || !mayMakeNodes()) return;
  const folder = folderOf(host);
  if (!isOwnFolder(folder, host.user.uid)) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  sweep(folder, host.now());
  const mknod = findMknod(host, writable);
  if (mknod === null) return;
  for (const name of DEVICES)
    if (!isNode(folder, name) && !(await makeNode(mknod, joinPath(folder, name), rdevOf(name), host.id())))
      return;
}

/** The folder for nodes of devices that a config grants, one for each name in `/dev`, like the others in theirs. */
function grantedFolderOf({ stateFolder }: Pick<Host, "stateFolder">): AbsolutePath {
  return joinPath(realPathOf(stateFolder) ?? stateFolder, "granted-devices");
}

/** A node that replaces one of `/dev` with these numbers, and which its user can't change; null if none was created. */
export function madeNodeFor(
  host: Pick<Host, "stateFolder">,
  path: AbsolutePath,
  rdev: number,
): AbsolutePath | null {
  const made = joinPath(grantedFolderOf(host), flatName(path));
  return isNodeAt(made, rdev) ? made : null;
}

/** Creates a node for each of these that the sandbox's user owns. The following look reports the failed ones. */
export async function makeGrantedNodes(
  host: Host,
  user: Uid,
  nodes: readonly { readonly path: AbsolutePath; readonly rdev: number; readonly uid: number }[],
  writable: readonly AbsolutePath[],
): Promise<void> {
  const missing = nodes.filter(
    ({ path, rdev, uid }) => uid === user.uid && madeNodeFor(host, path, rdev) === null,
  );
  if (missing.length === 0 || !mayMakeNodes()) return;
  const folder = grantedFolderOf(host);
  if (!isOwnFolder(folder, host.user.uid)) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const mknod = findMknod(host, writable);
  if (mknod === null) return;
  for (const { path, rdev } of missing) {
    const at = joinPath(folder, flatName(path));
    if (!(await makeNode(mknod, at, rdev, host.id()))) return;
  }
}

function flatName(path: AbsolutePath): string {
  return path.slice(1).replaceAll("/", ":");
}

/** The path that the kernel reports in the mount table, so without links. */
function folderOf({ stateFolder }: Host): AbsolutePath {
  return joinPath(realPathOf(stateFolder) ?? stateFolder, "devices");
}

/** Why the nodes in this folder can't replace the host's, or null. */
function obstacle(folder: AbsolutePath, uid: number): string | null {
  if (!isOwnFolder(folder, uid) || !DEVICES.every((name) => isNode(folder, name)))
    return mayMakeNodes() ? `none could be made in ${folder}` : "others can't be made without CAP_MKNOD";
  if (!canOpen(joinPath(folder, "null"))) return `${folder} is on a file system without devices (nodev)`;
  const closed = [...upwards(folder)].find((at) => !canPass(at, uid));
  return closed === undefined ? null : `a process without capabilities can't enter ${closed}`;
}

function sweep(folder: AbsolutePath, now: number): void {
  const names: readonly string[] = DEVICES;
  for (const name of readdirSync(folder))
    if (!names.includes(name)) removeIfAbandoned(joinPath(folder, name), now);
}

function isOwnFolder(folder: AbsolutePath, uid: number): boolean {
  const stats = statsOf(folder);
  return stats?.isDirectory() === true && stats.uid === uid && (stats.mode & 0o7777) === 0o700;
}

/** True for the device itself, usable by every user and owned by none. */
function isNode(folder: AbsolutePath, name: DeviceName): boolean {
  return isNodeAt(joinPath(folder, name), rdevOf(name));
}

function rdevOf(name: DeviceName): number {
  const [major, minor] = NUMBERS[name];
  return major * 256 + minor;
}

function isNodeAt(path: AbsolutePath, rdev: number): boolean {
  const stats = statsOf(path);
  return (
    stats?.isCharacterDevice() === true &&
    stats.rdev === rdev &&
    (stats.mode & 0o7777) === 0o666 &&
    stats.uid === NOBODY &&
    stats.gid === NOBODY
  );
}

function canOpen(path: AbsolutePath): boolean {
  return orNull(() => closeSync(openSync(path, "r+"))) !== null;
}

/** The launcher looks for its sources as a user without capabilities over files of others (user_namespaces(7)). */
function canPass(folder: AbsolutePath, uid: number): boolean {
  const stats = statsOf(folder);
  return stats !== null && (stats.mode & (stats.uid === uid ? 0o100 : 0o001)) !== 0;
}

function mayMakeNodes(): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  return ((BigInt(`0x${effective}`) >> CAP_MKNOD) & 1n) === 1n;
}

/** The words to start `mknod` with; null if it is missing. A multi-call program picks the command by its first word. */
function findMknod(
  host: Host,
  writable: readonly AbsolutePath[],
): readonly [AbsolutePath, ...string[]] | null {
  try {
    const path = findHelper(host, "mknod", writable);
    return basename(path) === "mknod" ? [path] : [path, "mknod"];
  } catch (cause) {
    if (cause instanceof CofferdamError) return null;
    throw cause;
  }
}

/** True if it was created. The node appears under its name when it is complete: another supervisor may be looking. */
async function makeNode(
  [mknod, ...words]: readonly [AbsolutePath, ...string[]],
  at: AbsolutePath,
  rdev: number,
  id: string,
): Promise<boolean> {
  const made = knownPath(`${at}-${id}`);
  const { status } = await ask(mknod, [...words, "-m", "666", made, "c", ...numbersOf(rdev).map(String)]);
  if (status !== 0) return false;
  try {
    chownSync(made, NOBODY, NOBODY);
    // Never over one that another supervisor has just created: its sandboxes show that one already.
    if (statsOf(at) !== null && !isNodeAt(at, rdev)) renameSync(made, at);
    else linkSync(made, at);
    return true;
  } catch {
    return isNodeAt(at, rdev);
  } finally {
    rmSync(made, { force: true });
  }
}
