import type { GrantedView } from "../policy/request.ts";
import { printDeviceGroup } from "../profile/devices.ts";
import { printLimits, printNetwork } from "../profile/in-words.ts";
import { listedPorts } from "../profile/ports.ts";
import { printShortfall } from "../profile/shortfall.ts";
import type { ToolSettings } from "../tool/derive.ts";
import type { Granted } from "./standing.ts";

/** What a call gets, in words that a person can decide on. The folders of runtimes stand under their names. */
export function grantedView({ profile, digest, shortfall }: Granted, settings: ToolSettings): GrantedView {
  const { runtimes } = settings;
  const isRuntime = (path: string): boolean =>
    runtimes.some((runtime) => runtime.read.some((one) => one === path));
  const paths = (access: "read" | "write"): string[] =>
    profile.files
      .filter((entry) => entry.access === access && !isRuntime(entry.path))
      .map((entry) => entry.path);
  return {
    digest,
    write: paths("write"),
    read: paths("read"),
    runtimes: runtimes.map((runtime) => runtime.name),
    network: [printNetwork(profile.network), ...waysIn(profile)].join("; "),
    ...(profile.devices.length === 0 ? {} : { devices: profile.devices.map(printDeviceGroup) }),
    limits: [...printLimits(profile.limits)],
    shortfall: shortfall.map(printShortfall),
  };
}

/** By which ports of this machine its servers are reached. */
function waysIn({ ports }: Granted["profile"]): readonly string[] {
  return listedPorts(ports).map((port) => `port ${port} of this machine's loopback leads in`);
}
