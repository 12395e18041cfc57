import { z } from "zod";

/**
 * Devices of this machine, which a call sees only if they are granted:
 * - `gpu`: computing and rendering on graphics cards and accelerators, without the nodes that set the screen;
 * - `kvm`: virtual machines run by the kernel;
 * - `fuse`: the node of file systems in user space, whose mounting stays refused;
 * - `serial`: serial ports, except the machine's console.
 */
export const DeviceGroup = z.enum(["gpu", "kvm", "fuse", "serial"]);
export type DeviceGroup = z.infer<typeof DeviceGroup>;

/** `devices:` in YAML: groups by their names, none in an empty list. */
export const DevicesSection = z.array(DeviceGroup).max(16);

/** The granted groups of devices; the least is none. */
export type Devices = readonly DeviceGroup[];

/** All groups. */
export const DEVICE_GROUPS: Devices = DeviceGroup.options;

/** The effect of a group, in words that follow "may" or "to". */
export function printDeviceGroup(group: DeviceGroup): string {
  return EFFECTS[group];
}

const EFFECTS: Readonly<Record<DeviceGroup, string>> = {
  gpu: "use graphics cards, whose drivers run in the kernel and whose memory other programs share",
  kvm: "run virtual machines with /dev/kvm",
  fuse: "open /dev/fuse, but not mount a file system",
  serial: "read from and write to devices at serial ports",
};
