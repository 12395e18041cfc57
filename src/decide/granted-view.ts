import type { GrantedView } from "../policy/request.ts";
import { printDeviceGroup } from "../profile/devices.ts";
import { printLimits, printNetwork } from "../profile/in-words.ts";
import { listedPorts } from "../profile/ports.ts";
import { printShortfall } from "../profile/shortfall.ts";
import type { ToolSettings } from "../tool/derive.ts";
import type { EffectiveProfile } from "./call-policy.ts";

/** The grants of a call in words that a person can decide on. Folders of runtimes appear as the runtime. */
export function grantedView(
  { profile, digest, shortfall }: EffectiveProfile,
  settings: ToolSettings,
): GrantedView {
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

function waysIn({ ports }: EffectiveProfile["profile"]): readonly string[] {
  return listedPorts(ports).map((port) => `port ${port} of this machine's loopback leads into the sandbox`);
}
