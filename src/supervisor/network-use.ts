import type { EventBody } from "../event/event.ts";
import type { EgressUse } from "../network/account.ts";

/** The tool that a request for another host is one of: rules and grants know it by this name. */
export const NETWORK_TOOL = "network";

/** A host that a call was let reach besides those that are listed, and who said so. */
export interface Amendment {
  readonly host: string;
  readonly port: number;
  /** A person's name, or what let it pass without asking. */
  readonly by: string;
}

/** What one call did to the network, as its receipt tells it. */
export interface NetworkUse extends EgressUse {
  readonly amendments: readonly Amendment[];
}

/** The event that tells all that a call did to the network. */
export function usedEvent({ hosts, others, refused, moreRefused }: NetworkUse): EventBody {
  const times = refused.reduce((sum, one) => sum + one.times, moreRefused);
  return { type: "network.used", hosts: hosts.map((host) => ({ ...host })), others, refusals: times };
}
