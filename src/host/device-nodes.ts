import type { Stats } from "node:fs";
import { readdirSync, readFileSync } from "node:fs";
import type { DeviceNode, SysFile } from "../backend/device-node.ts";
import type { Facts } from "../backend/facts.ts";
import type { DeviceGroup, Devices } from "../profile/devices.ts";
import { type AbsolutePath, isAbsolutePath, joinPath, nameOf, ROOT, upwards } from "../profile/path.ts";
import type { Link } from "../tool/facts.ts";
import { madeNodeFor } from "./devices.ts";
import type { Host } from "./host.ts";
import { linkAt, numbersOf, realPathOf, statsOf } from "./nodes.ts";

/** A folder of `/dev`, and which of its nodes are meant. */
type Place = readonly [folder: string, names: RegExp];

/**
 * Which nodes belong to a group. Of graphics cards those that compute and render: `card0` and `nvidia-modeset` set what a
 * screen shows, and whoever opens the first one first owns the screen (drm(7)).
 */
const PLACES: Readonly<Record<DeviceGroup, readonly Place[]>> = {
  gpu: [
    ["", /^(kfd|dxg|mali\d*|nvidia\d+|nvidiactl|nvidia-uvm(-tools)?)$/],
    ["dri", /^renderD\d+$/],
    ["accel", /^accel\d+$/],
    ["nvidia-caps", /^nvidia-cap\d+$/],
  ],
  kvm: [["", /^kvm$/]],
  fuse: [["", /^fuse$/]],
  serial: [["", /^tty(USB|ACM|AMA|XRUSB|S)\d+$/]],
};

/** Folders of `/dev` in which nodes have other names. */
const OTHER_NAMES = ["serial/by-id", "serial/by-path", "dri/by-path"] as const;

/** Files of `/sys` that tell which device it is (sysfs-bus-pci, sysfs-bus-usb of the kernel's ABI). */
const ATTRIBUTES = [
  ...["dev", "uevent", "class", "modalias", "revision", "numa_node", "local_cpulist"],
  ...["vendor", "device", "subsystem_vendor", "subsystem_device"],
  ...["idVendor", "idProduct", "bcdDevice", "manufacturer", "product", "serial", "interface"],
  ...["bInterfaceNumber", "busnum", "devnum"],
] as const;

/** Links in a folder of `/sys` that say what kind of device it is. */
const SYS_LINKS = ["device", "driver", "subsystem"] as const;

/** From a serial port by USB to the hub there are so many folders. */
const MOST_LEVELS = 6;

/** Whom the sandbox runs as. */
type Whose = Pick<Facts, "user" | "devices">;

/** The nodes of these groups that this machine has, in order. `top` is the root of the file system; tests give another. */
export function lookAtDeviceNodes(
  host: Pick<Host, "stateFolder">,
  whose: Whose,
  groups: Devices,
  top: AbsolutePath = ROOT,
): readonly DeviceNode[] {
  return groups.flatMap((group) =>
    nodesOf(group, top).map(({ path, stats }): DeviceNode => {
      const isOwn = stats.uid === whose.user.uid;
      const made = isOwn && whose.devices.kind === "made" ? madeNodeFor(host, path, stats.rdev) : null;
      const about = sysOf(stats.rdev, top);
      return {
        group,
        path,
        source: made ?? path,
        isExposed: isOwn && made === null,
        links: [...otherNames(path, top), ...about.links],
        files: about.files,
        folders: about.folders,
      };
    }),
  );
}

/** A node as it stands in `/dev`. */
export interface FoundNode {
  readonly path: AbsolutePath;
  readonly stats: Stats;
}

/** The nodes of a group in `/dev`: character devices by their own names, no links. */
export function nodesOf(group: DeviceGroup, top: AbsolutePath = ROOT): readonly FoundNode[] {
  return PLACES[group].flatMap(([folder, names]) => {
    const at = placeIn(top, "dev", folder);
    return namesIn(at)
      .filter((name) => names.test(name) && (group !== "serial" || isFreePort(name, top)))
      .flatMap((name): FoundNode[] => {
        const path = joinPath(at, name);
        const stats = statsOf(path);
        return stats?.isCharacterDevice() === true ? [{ path, stats }] : [];
      });
  });
}

/** Not the machine's console, at which people type passwords, nor a number without a port (`PORT_UNKNOWN`). */
function isFreePort(name: string, top: AbsolutePath): boolean {
  const ttys = placeIn(top, "sys/class/tty");
  const consoles = textOf(joinPath(ttys, "console/active"))?.trim().split(/\s+/) ?? [];
  if (consoles.includes(name)) return false;
  return !/^ttyS\d/.test(name) || textOf(placeIn(ttys, name, "type"))?.trim() !== "0";
}

function otherNames(node: AbsolutePath, top: AbsolutePath): readonly Link[] {
  return OTHER_NAMES.flatMap((folder) => {
    const at = placeIn(top, "dev", folder);
    return namesIn(at)
      .map((name) => joinPath(at, name))
      .filter((path) => realPathOf(path) === node)
      .flatMap(linked);
  });
}

/** The entries of `/sys` for the device with these numbers, and for the devices that it is a part of. */
function sysOf(rdev: number, top: AbsolutePath): Pick<DeviceNode, "links" | "files" | "folders"> {
  const byNumber = placeIn(top, "sys/dev/char", numbersOf(rdev).join(":"));
  const device = realPathOf(byNumber);
  const all = placeIn(top, "sys/devices");
  if (device === null || !device.startsWith(`${all}/`)) return { links: [], files: [], folders: [] };
  const levels = [...upwards(device)].filter((at) => at.startsWith(`${all}/`)).slice(0, MOST_LEVELS);
  // The topmost is a bus as such, which is no device.
  const parts = levels.filter((at) => at.slice(all.length + 1).includes("/"));
  const topology = joinPath(device, "topology");
  return {
    links: [...linked(byNumber), ...parts.flatMap(linksOf)],
    files: parts.flatMap(filesOf),
    folders: nameOf(device) === "kfd" && statsOf(topology)?.isDirectory() === true ? [topology] : [],
  };
}

function linksOf(part: AbsolutePath): readonly Link[] {
  const own = SYS_LINKS.flatMap((name) => linked(joinPath(part, name)));
  const kind = realPathOf(joinPath(part, "subsystem"));
  if (kind === null) return own;
  return [...own, ...linked(joinPath(kind, nameOf(part))), ...linked(placeIn(kind, "devices", nameOf(part)))];
}

function filesOf(part: AbsolutePath): readonly SysFile[] {
  return ATTRIBUTES.flatMap((name) => {
    const path = joinPath(part, name);
    const stats = statsOf(path);
    const text = stats?.isFile() === true && (stats.mode & 0o004) !== 0 ? textOf(path) : null;
    return text === null ? [] : [{ path, text }];
  });
}

function linked(path: AbsolutePath): readonly Link[] {
  const target = linkAt(path);
  return target === null ? [] : [{ path, target }];
}

function placeIn(top: AbsolutePath, ...names: readonly string[]): AbsolutePath {
  return names
    .flatMap((name) => name.split("/"))
    .filter((name) => name !== "")
    .reduce<AbsolutePath>(joinPath, top);
}

function namesIn(folder: AbsolutePath): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => isAbsolutePath(`/${name}`))
      .sort();
  } catch {
    return [];
  }
}

function textOf(path: AbsolutePath): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
