import { z } from "zod";

/**
 * Devices of this machine, which a call sees only where they are granted:
 * - `gpu`: what computes and renders on graphics cards and accelerators, without the nodes that set the screen;
 * - `kvm`: virtual machines run by the kernel;
 * - `fuse`: the node of file systems in user space, whose mounting stays refused;
 * - `serial`: serial ports, but for the machine's console.
 */
export const DeviceGroup = z.enum(["gpu", "kvm", "fuse", "serial"]);
export type DeviceGroup = z.infer<typeof DeviceGroup>;

/** `devices:` in YAML: groups by their names, none in an empty list. */
export const DevicesSection = z.array(DeviceGroup).max(16);

/** The groups of devices that are granted, none being the least. */
export type Devices = readonly DeviceGroup[];

/** Every group there is. */
export const DEVICE_GROUPS: Devices = DeviceGroup.options;

/** The groups in order, each once. */
export function normalDevices(groups: Devices): Devices {
  return DEVICE_GROUPS.filter((group) => groups.includes(group));
}

/** The groups that both grant. */
export function meetDevices(a: Devices, b: Devices): Devices {
  return a.filter((group) => b.includes(group));
}

/** What a group lets a call do, in words that follow "may" or "to". */
export function printDeviceGroup(group: DeviceGroup): string {
  switch (group) {
    case "gpu":
      return "use graphics cards, whose drivers run in the kernel and whose memory other programs use as well";
    case "kvm":
      return "run virtual machines with the kernel's help, by /dev/kvm";
    case "fuse":
      return "open /dev/fuse, though not mount a file system";
    case "serial":
      return "read from and write to whatever is connected to a serial port";
  }
}
