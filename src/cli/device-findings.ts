import type { Facts } from "../backend/facts.ts";
import type { Config } from "../config/config.ts";
import { type ConfigFinding, placeOf, warning } from "../config/finding.ts";
import { mayOpen, wayToOpen } from "../host/launch/device-access.ts";
import { nodesOf } from "../host/launch/device-nodes.ts";
import type { DeviceGroup } from "../profile/devices.ts";
import type { Profile } from "../profile/profile.ts";

/** Names of groups of which this machine has no device. */
const NAMES: Readonly<Record<DeviceGroup, string>> = {
  gpu: "graphics card",
  kvm: "/dev/kvm",
  fuse: "/dev/fuse",
  serial: "serial port",
};

/** Devices that a config grants but a call does not get or cannot use. */
export function deviceFindings(
  config: Config,
  granted: Pick<Profile, "devices">,
  { user }: Pick<Facts, "user">,
  nodes: typeof nodesOf = nodesOf,
): readonly ConfigFinding[] {
  const at = placeOf(config, ["sandbox", "devices"]);
  const [uid, gid] = [user.uid, user.gid];
  return config.sandbox.devices.flatMap((group): readonly ConfigFinding[] => {
    // Devices that a profile removes are reported with the other missing access.
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
