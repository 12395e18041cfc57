import { accessTo } from "../../profile/access-to.ts";
import type { Profile } from "../../profile/profile.ts";
import type { ProgramStart } from "../../tool/launch.ts";
import type { Facts } from "../facts.ts";
import type { NotEnforceable } from "../plan.ts";
import { isProxied, OWN_LOOPBACK_PORT } from "../proxy-way.ts";
import { portsIn, portsRefusal } from "../way-in.ts";
import { INSTALL_PERL } from "./terminal.ts";

/** Refuses to run without a demanded terminal: programs behave differently without one. */
export function terminalRefusal(profile: Profile, facts: Facts): NotEnforceable | null {
  if (!profile.terminal) return null;
  const remedy = `${INSTALL_PERL}, or use no terminal: \`shell.terminal: false\`, \`--no-terminal\``;
  return perlRefusal("terminal", "a terminal needs perl", remedy, profile, facts);
}

/** The way to the egress proxy is made inside, before the program starts. */
export function wayOutRefusal(profile: Profile, facts: Facts): NotEnforceable | null {
  const remedy = `${INSTALL_PERL}, or set \`shell.network: false\``;
  return perlRefusal("network", "the egress proxy needs perl", remedy, profile, facts);
}

/** Refuses ports without perl, which connects inside. It runs outside, so no profile has to grant it. */
export function wayInRefusal(profile: Profile, launch: ProgramStart, facts: Facts): NotEnforceable | null {
  const ports = portsIn(profile);
  if (ports.length === 0) return null;
  if (ports.includes(OWN_LOOPBACK_PORT) && isProxied(profile, launch))
    return {
      field: "ports",
      reason: `the egress proxy uses the port ${OWN_LOOPBACK_PORT} in the sandbox`,
      remedy: "use another port for the server",
    };
  if (facts.launcher.perl !== null) return portsRefusal(profile);
  return {
    field: "ports",
    reason: "a port needs perl, and the system's perl is missing",
    remedy: `${INSTALL_PERL}, or remove the port`,
  };
}

function perlRefusal(
  field: NotEnforceable["field"],
  what: string,
  remedy: string,
  profile: Profile,
  { launcher: { perl } }: Facts,
): NotEnforceable | null {
  if (perl === null) return { field, reason: `${what}, and the system's perl is missing`, remedy };
  if (accessTo(profile, perl) !== "none") return null;
  return { field, reason: `${what}, and ${perl} is not granted`, remedy };
}
