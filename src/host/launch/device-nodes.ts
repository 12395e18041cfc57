import type { Stats } from "node:fs";
import { readFileSync } from "node:fs";
import type { DeviceNode, SysFile } from "../../backend/device-node.ts";
import type { Facts } from "../../backend/facts.ts";
import type { DeviceGroup, Devices } from "../../profile/devices.ts";
import { type AbsolutePath, isAbsolutePath, joinPath, nameOf, ROOT, upwards } from "../../profile/path.ts";
import type { Link } from "../../tool/facts.ts";
import type { Host } from "../look/host.ts";
import { namesIn } from "../look/names-in.ts";
import { linkAt, numbersOf, realPathOf, statsOf } from "../look/nodes.ts";
import { orNull } from "../or-null.ts";
import { madeNodeFor } from "./devices.ts";

type NodePlace = readonly [folder: string, names: RegExp];

/**
 * The nodes of each group. Of graphics cards only those that compute and render: `card0` and `nvidia-modeset` set the
 * screen's picture, and the first to open the former owns the screen (drm(7)).
 */
const PLACES: Readonly<Record<DeviceGroup, readonly NodePlace[]>> = {
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

/** Files of `/sys` that identify a device (sysfs-bus-pci, sysfs-bus-usb of the kernel's ABI). */
const ATTRIBUTES = [
  ...["dev", "uevent", "class", "modalias", "revision", "numa_node", "local_cpulist"],
  ...["vendor", "device", "subsystem_vendor", "subsystem_device"],
  ...["idVendor", "idProduct", "bcdDevice", "manufacturer", "product", "serial", "interface"],
  ...["bInterfaceNumber", "busnum", "devnum"],
] as const;

/** Links in a folder of `/sys` that give the kind of a device. */
const SYS_LINKS = ["device", "driver", "subsystem"] as const;

/** The number of folders from a USB serial port up to the hub. */
const MAX_LEVELS = 6;

type Whose = Pick<Facts, "user" | "devices">;

/** The nodes of these groups on this machine, in order. `top` is the root of the file system; tests give another. */
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

/** A node in `/dev`. */
export interface FoundNode {
  readonly path: AbsolutePath;
  readonly stats: Stats;
}

/** The nodes of a group in `/dev`: character devices by their own names, no links. */
export function nodesOf(group: DeviceGroup, top: AbsolutePath = ROOT): readonly FoundNode[] {
  return PLACES[group].flatMap(([folder, names]) => {
    const at = placeIn(top, "dev", folder);
    return pathNamesIn(at)
      .filter((name) => names.test(name) && (group !== "serial" || isFreePort(name, top)))
      .flatMap((name): FoundNode[] => {
        const path = joinPath(at, name);
        const stats = statsOf(path);
        return stats?.isCharacterDevice() === true ? [{ path, stats }] : [];
      });
  });
}

/** Excludes the machine's console, at which people type passwords, and numbers without a port (`PORT_UNKNOWN`). */
function isFreePort(name: string, top: AbsolutePath): boolean {
  const ttys = placeIn(top, "sys/class/tty");
  const consoles = textOf(joinPath(ttys, "console/active"))?.trim().split(/\s+/) ?? [];
  if (consoles.includes(name)) return false;
  return !/^ttyS\d/.test(name) || textOf(placeIn(ttys, name, "type"))?.trim() !== "0";
}

function otherNames(node: AbsolutePath, top: AbsolutePath): readonly Link[] {
  return OTHER_NAMES.flatMap((folder) => {
    const at = placeIn(top, "dev", folder);
    return pathNamesIn(at)
      .map((name) => joinPath(at, name))
      .filter((path) => realPathOf(path) === node)
      .flatMap(linked);
  });
}

/** The entries of `/sys` for the device with these numbers, and for its parent devices. */
function sysOf(rdev: number, top: AbsolutePath): Pick<DeviceNode, "links" | "files" | "folders"> {
  const byNumber = placeIn(top, "sys/dev/char", numbersOf(rdev).join(":"));
  const device = realPathOf(byNumber);
  const all = placeIn(top, "sys/devices");
  if (device === null || !device.startsWith(`${all}/`)) return { links: [], files: [], folders: [] };
  const levels = [...upwards(device)].filter((at) => at.startsWith(`${all}/`)).slice(0, MAX_LEVELS);
  // The topmost is the bus itself, which is not a device.
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

function pathNamesIn(folder: AbsolutePath): readonly string[] {
  return namesIn(folder)
    .filter((name) => isAbsolutePath(`/${name}`))
    .toSorted();
}

function textOf(path: AbsolutePath): string | null {
  return orNull(() => readFileSync(path, "utf8"));
}
