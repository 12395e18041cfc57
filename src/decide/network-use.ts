import type { EventBody } from "../event/event.ts";
import type { EgressUse } from "../network/account.ts";

/** The tool name that rules and grants use for requests about unlisted hosts. */
export const NETWORK_TOOL = "network";

/** An unlisted host that a call was allowed to reach, and who allowed it. */
export interface HostApproval {
  readonly host: string;
  readonly port: number;
  /** A person's name, or the mode or rule that approved it without asking. */
  readonly by: string;
}

/** The network use of one call, as its receipt reports it. */
export interface NetworkUse extends EgressUse {
  readonly amendments: readonly HostApproval[];
}

/** The event that reports the network use of a call. */
export function usedEvent({ hosts, others, refused, moreRefused }: NetworkUse): EventBody {
  const times = refused.reduce((sum, one) => sum + one.times, moreRefused);
  return { type: "network.used", hosts: hosts.map((host) => ({ ...host })), others, refusals: times };
}
