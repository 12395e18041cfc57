import { LIMITS, type Limits } from "../../profile/limits.ts";
import type { Profile } from "../../profile/profile.ts";
import type { Standing, Standings } from "../plan.ts";

/** No gate waits inside these walls yet, so nothing of them has been observed when the program starts. */
const UNSEEN = "denied by rule, but never seen to be";

/** How each protection stands under a plan: none is claimed whole before a gate lets it be observed. */
export function standings(profile: Profile): Standings {
  return {
    files: partial(
      `${UNSEEN}; a hard link elsewhere to a hidden file shows it; names in \`/\` can be listed`,
    ),
    network: partial(UNSEEN),
    sockets: partial(UNSEEN),
    processes: partial(
      `${UNSEEN}; signals and questions stay in the sandbox, but there is no process table of its own`,
    ),
    capabilities: partial(
      `${UNSEEN}; set-uid programs do not start, but what root may do besides files stays allowed to root`,
    ),
    syscalls: absent("system calls are not filtered"),
    terminal: absent("the program stays in the caller's session"),
    environment: absent("the program's variables and folder are not handed over without a gate"),
    descriptors: absent("open descriptors are not looked at without a gate"),
    limits: limitsStanding(profile.limits),
  };
}

/** Wall time and output are bounded by the host; whatever else is, by the gate. */
function limitsStanding(limits: Limits): Standing {
  const bounds = LIMITS.filter(
    (name) => name !== "wallMs" && name !== "outputBytes" && limits[name] !== undefined,
  );
  return bounds.length === 0 ? { kind: "enforced" } : absent("limits are not set without a gate");
}

function partial(reason: string): Standing {
  return { kind: "partial", reason };
}

function absent(reason: string): Standing {
  return { kind: "absent", reason };
}
