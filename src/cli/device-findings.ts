import type { Facts } from "../backend/facts.ts";
import type { Config } from "../config/config.ts";
import { type Finding, placeOf, warning } from "../config/finding.ts";
import { mayOpen, wayToOpen } from "../host/device-access.ts";
import { nodesOf } from "../host/device-nodes.ts";
import type { DeviceGroup } from "../profile/devices.ts";
import type { Profile } from "../profile/profile.ts";

/** What a group is called where this machine has none of it. */
const NAMES: Readonly<Record<DeviceGroup, string>> = {
  gpu: "graphics card",
  kvm: "/dev/kvm",
  fuse: "/dev/fuse",
  serial: "serial port",
};

/** Devices that a config grants and that a call does not get, or can't use. */
export function deviceFindings(
  config: Config,
  granted: Pick<Profile, "devices">,
  { user }: Pick<Facts, "user">,
  nodes: typeof nodesOf = nodesOf,
): readonly Finding[] {
  const at = placeOf(config, ["sandbox", "devices"]);
  const [uid, gid] = [user.uid, user.gid];
  return config.sandbox.devices.flatMap((group): readonly Finding[] => {
    // What a profile takes away is told with the rest of the shortfall.
    if (!granted.devices.includes(group)) return [];
    const found = nodes(group);
    const [first] = found;
    if (first === undefined)
      return [
        warning(
          `\`devices: [${group}]\` has no effect: this machine has no ${NAMES[group]}`,
          "leave it out, or connect the device and load its driver",
          at,
        ),
      ];
    const mount =
      group === "fuse"
        ? [
            warning(
              "`devices: [fuse]` shows /dev/fuse, and mounting stays refused inside the sandbox",
              "leave it out; mount file systems outside, and list their folders under `sandbox.paths`",
              at,
            ),
          ]
        : [];
    if (found.some((node) => mayOpen(node, user))) return mount;
    const groups = user.isCaller ? "" : `; tools run as user ${uid} with group ${gid} alone`;
    return [
      ...mount,
      warning(
        `\`devices: [${group}]\` has no effect: user ${uid} may not open ${first.path}${groups}`,
        wayToOpen(first, user),
        at,
      ),
    ];
  });
}
