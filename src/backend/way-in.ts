import { listedPorts } from "../profile/ports.ts";
import type { Profile } from "../profile/profile.ts";
import type { NotEnforceable } from "./plan.ts";

/** The ports of this machine's loopback that lead into a call under this profile. */
export function portsIn({ ports }: Pick<Profile, "ports">): readonly number[] {
  return listedPorts(ports);
}

/** Refuses ports on the machine's own network: none is kept to loopback there, and servers need no way in. */
export function portsRefusal(profile: Pick<Profile, "ports" | "network">): NotEnforceable | null {
  const [port] = portsIn(profile);
  if (port === undefined || profile.network !== "host") return null;
  return {
    field: "ports",
    reason: `with \`network: host\` the port ${port} is a port of the machine: its server may be reached from anywhere`,
    remedy:
      "remove the port, because servers are reached without it; or use listed hosts, or `network: false`",
  };
}
