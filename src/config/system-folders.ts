import type { Host } from "../host/look/host.ts";
import { engineSocketIn } from "../host/look/installation/engine-sockets.ts";
import { statsOf } from "../host/look/nodes.ts";
import { type AbsolutePath, absolutePath, isInside, parentOf } from "../profile/path.ts";
import { realPath } from "./operator-path.ts";

interface SystemFolders {
  /** Neither these nor folders below them may be a writable root. */
  readonly whole: readonly string[];
  /** Only these themselves may not: projects are below them. */
  readonly itself: readonly string[];
  /** Folders in one of `whole` with people's own files below: temporary files, disks. */
  readonly others: readonly string[];
}

/** From the Filesystem Hierarchy Standard 3.0 and hier(7), and package managers with folders of their own. */
const FOLDERS: Readonly<Record<Host["platform"], SystemFolders>> = {
  linux: {
    whole: [
      ...["/etc", "/usr", "/var", "/boot", "/efi", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"],
      ...["/nix", "/gnu", "/snap", "/run", "/home/linuxbrew"],
    ],
    itself: ["/opt", "/home", "/run/user"],
    others: ["/var/tmp", "/run/user", "/run/media"],
  },
  darwin: {
    whole: [
      ...["/System", "/Library", "/usr", "/bin", "/sbin", "/private/etc", "/private/var", "/nix"],
      ...["/opt/homebrew", "/opt/local"],
    ],
    itself: ["/opt", "/Users", "/Applications", "/Volumes", "/private"],
    others: ["/private/var/tmp", "/private/var/folders"],
  },
};

/** Folders of the programs that manage a session of a user: systemd.unit(5), dbus-daemon(1). */
const OF_A_MANAGER = /^\/run\/user\/[^/]+\/(?:systemd|dbus-1)(?:\/|$)/;

/**
 * Why tools must not write in a folder, because programs of the system are there or read files there: the end of a
 * sentence, or null. A real path. If the caller's home is in such a folder, as for a service, paths below the home are
 * allowed. The user database takes precedence: `HOME` may not open a folder of the system.
 */
export function whySystemFolder(host: Host, path: AbsolutePath): string | null {
  const why = whyFixedFolder(host, path);
  if (why !== null) return why;
  const libraries = host
    .installation()
    .libraryFolders.find((folder) => isInside(path, folder) || isInside(folder, path));
  if (libraries !== undefined)
    return `${isInside(path, libraries) ? "is in" : "contains"} ${libraries}, from which system programs load libraries`;
  const socket = engineSocketIn(host, path);
  if (socket === null) return null;
  return `contains ${socket}, ${statsOf(socket) === null ? "where a container engine would listen" : "the socket of a container engine"}`;
}

/** The same by fixed paths alone: the answer tells a model nothing about this machine. */
export function whyFixedFolder(host: Host, path: AbsolutePath): string | null {
  const { whole, itself, others } = foldersOn(host);
  const inside = whole.find((folder) => isInside(path, folder));
  if (path === inside) return "is a system folder";
  if (inside !== undefined) {
    const home = realPath(host.user.listedHome ?? host.user.home);
    const own = [...others, ...(home === inside ? [] : [home])].filter((folder) => isInside(folder, inside));
    if (!own.some((folder) => path !== folder && isInside(path, folder)))
      return `is in the system folder ${inside}`;
  }
  if (OF_A_MANAGER.test(path)) return "is read by a service manager or a message bus for programs to start";
  if (itself.includes(path) || parentOf(path) === "/run/user")
    return "is shared by all programs or users of this machine";
  const held = [...whole, ...itself].find((folder) => isInside(folder, path));
  return held === undefined ? null : `contains the system folder ${held}`;
}

function foldersOn({ platform }: Host) {
  const { whole, itself, others } = FOLDERS[platform];
  const paths = (list: readonly string[]): readonly AbsolutePath[] => list.map(absolutePath);
  return { whole: paths(whole), itself: paths(itself), others: paths(others) };
}
