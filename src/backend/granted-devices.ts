import { printDeviceGroup } from "../profile/devices.ts";
import { type AbsolutePath, byPath } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import type { Link } from "../tool/facts.ts";
import type { DeviceNode, SysFile } from "./device-node.ts";
import type { Facts } from "./facts.ts";
import type { Plan } from "./plan.ts";

/** The machine's devices that a profile grants: each place once, in order. */
export interface GrantedDevices {
  readonly nodes: readonly DeviceNode[];
  readonly links: readonly Link[];
  readonly files: readonly SysFile[];
  readonly folders: readonly AbsolutePath[];
}

/** Returns the nodes of the groups that the profile grants, with their descriptions in `/sys`. */
export function grantedDevices(
  { devices }: Pick<Profile, "devices">,
  { deviceNodes }: Pick<Facts, "deviceNodes">,
): GrantedDevices {
  const nodes = deviceNodes.filter(({ group }) => devices.includes(group));
  return {
    nodes,
    links: onePerPath(nodes.flatMap(({ links }) => links)),
    files: onePerPath(nodes.flatMap(({ files }) => files)),
    folders: [...new Set(nodes.flatMap(({ folders }) => folders))].sort(byPath),
  };
}

/** The devices in the form of a plan; empty if there are none. */
export function shownDevices({ nodes }: GrantedDevices): Pick<Plan, "devices"> {
  if (nodes.length === 0) return {};
  return { devices: nodes.map(({ path, group }) => ({ path, may: printDeviceGroup(group) })) };
}

function onePerPath<Placed extends { readonly path: AbsolutePath }>(
  all: readonly Placed[],
): readonly Placed[] {
  return [...new Map(all.map((one) => [one.path, one])).values()].sort((a, b) => byPath(a.path, b.path));
}
