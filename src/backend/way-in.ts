import { listedPorts } from "../profile/ports.ts";
import type { Profile } from "../profile/profile.ts";
import type { Refusal } from "./plan.ts";

/** The ports of this machine's loopback that lead into a call under this profile. */
export function portsIn({ ports }: Pick<Profile, "ports">): readonly number[] {
  return listedPorts(ports);
}

/** On the machine's own network nobody keeps a port to loopback, and what listens there is reached without us. */
export function portsRefusal(profile: Pick<Profile, "ports" | "network">): Refusal | null {
  const [port] = portsIn(profile);
  if (port === undefined || profile.network !== "host") return null;
  return {
    field: "ports",
    reason: `with \`network: host\` the port ${port} is the machine's own: its server may be reached from anywhere`,
    remedy: "do without the port: what listens is reached as it is; or use listed hosts, or `network: false`",
  };
}
