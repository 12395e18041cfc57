import { accessTo } from "../../profile/access-to.ts";
import type { Profile } from "../../profile/profile.ts";
import type { Launch } from "../../tool/launch.ts";
import type { Facts } from "../facts.ts";
import type { Refusal } from "../plan.ts";
import { isProxied, OWN_LOOPBACK_PORT } from "../proxy-way.ts";
import { portsIn, portsRefusal } from "../way-in.ts";
import { INSTALL_PERL } from "./terminal.ts";

/** Without a terminal that was demanded nothing runs: what a program does without one is another thing. */
export function terminalRefusal(profile: Profile, facts: Facts): Refusal | null {
  if (!profile.terminal) return null;
  const remedy = `${INSTALL_PERL}, or do without: \`shell.terminal: false\`, \`--no-terminal\``;
  return perlRefusal("terminal", "a terminal of its own is made by perl", remedy, profile, facts);
}

/** The way to the egress proxy is made inside, before the program starts. */
export function wayOutRefusal(profile: Profile, facts: Facts): Refusal | null {
  const remedy = `${INSTALL_PERL}, or use \`network: false\``;
  return perlRefusal("network", "the way to the egress proxy is made by perl", remedy, profile, facts);
}

/** Connections are made inside by perl, which needs to be granted to nobody for that: it runs outside. */
export function wayInRefusal(profile: Profile, launch: Launch, facts: Facts): Refusal | null {
  const ports = portsIn(profile);
  if (ports.length === 0) return null;
  if (ports.includes(OWN_LOOPBACK_PORT) && isProxied(profile, launch))
    return {
      field: "ports",
      reason: `inside, the port ${OWN_LOOPBACK_PORT} is the egress proxy's`,
      remedy: "let the server listen on another port",
    };
  if (facts.launcher.perl !== null) return portsRefusal(profile);
  return {
    field: "ports",
    reason: "the way in to a port is made by perl, and the system's own is not here",
    remedy: `${INSTALL_PERL}, or do without the port`,
  };
}

function perlRefusal(
  field: Refusal["field"],
  what: string,
  remedy: string,
  profile: Profile,
  { launcher: { perl } }: Facts,
): Refusal | null {
  if (perl === null) return { field, reason: `${what}, and the system's own is not here`, remedy };
  if (accessTo(profile, perl) !== "none") return null;
  return { field, reason: `${what}, and ${perl} is not granted`, remedy };
}
