import type { Host } from "../host/host.ts";
import { engineSocketIn } from "../host/installation/engine-sockets.ts";
import { statsOf } from "../host/nodes.ts";
import { type AbsolutePath, absolutePath, isInside, parentOf } from "../profile/path.ts";
import { realPath } from "./operator-path.ts";

/** What a system keeps where, on one platform. */
interface SystemFolders {
  /** Neither they nor what lies below may be a writable root. */
  readonly whole: readonly string[];
  /** Only they themselves may not: projects lie below. */
  readonly itself: readonly string[];
  /** Folders in one of `whole` below which is what people have: temporary files, disks. */
  readonly others: readonly string[];
}

/** By the Filesystem Hierarchy Standard 3.0 and hier(7), and those of package managers with folders of their own. */
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
 * Why tools must not write in a folder, because programs of the system lie there or read what does: the end of a sentence, or
 * null. A real path. Where the caller's home lies in such a folder, as that of a service may, what is below the home is theirs.
 * There the user database comes first: `HOME` may not open a folder of the system.
 */
export function whySystemFolder(host: Host, path: AbsolutePath): string | null {
  const { whole, itself, others } = foldersOn(host);
  const inside = whole.find((folder) => isInside(path, folder));
  if (path === inside) return "is a folder of the system";
  if (inside !== undefined) {
    const home = realPath(host.user.listedHome ?? host.user.home);
    const own = [...others, ...(home === inside ? [] : [home])].filter((folder) => isInside(folder, inside));
    if (!own.some((folder) => path !== folder && isInside(path, folder)))
      return `lies in ${inside}, a folder of the system`;
  }
  if (OF_A_MANAGER.test(path)) return "is where a service manager or a message bus looks for what to start";
  if (itself.includes(path) || parentOf(path) === "/run/user")
    return "is shared by all that is installed or logged in here";
  const held = [...whole, ...itself].find((folder) => isInside(folder, path));
  if (held !== undefined) return `holds ${held}, a folder of the system`;
  const libraries = host
    .installation()
    .libraryFolders.find((folder) => isInside(path, folder) || isInside(folder, path));
  if (libraries !== undefined)
    return `${isInside(path, libraries) ? "lies in" : "holds"} ${libraries}, from which programs of the system load libraries`;
  const socket = engineSocketIn(host, path);
  if (socket === null) return null;
  return `holds ${socket}, ${statsOf(socket) === null ? "where a container engine would listen" : "the socket of a container engine"}`;
}

function foldersOn({ platform }: Host) {
  const { whole, itself, others } = FOLDERS[platform];
  const paths = (list: readonly string[]): readonly AbsolutePath[] => list.map(absolutePath);
  return { whole: paths(whole), itself: paths(itself), others: paths(others) };
}
