import type { Server } from "node:net";
import type { HostApproval, NetworkUse } from "../decide/network-use.ts";
import type { EventBody } from "../event/event.ts";
import type { WayOut } from "../host/launch/run-options.ts";
import type { EgressRefusal } from "../network/account.ts";
import { CallEgress, type EgressPolicy } from "../network/call-egress.ts";
import { Callers } from "../network/callers.ts";
import { HEAD_MS } from "../network/clients.ts";
import { EgressProxy } from "../network/proxy.ts";
import type { Network } from "../profile/network.ts";
import type { Profile } from "../profile/profile.ts";
import type { Upstream } from "../profile/upstream.ts";
import type { SupervisorContext } from "./supervisor-context.ts";

/** Asks about unlisted hosts, and keeps a list of those it approved. */
export interface HostPrompt {
  readonly ask: NonNullable<EgressPolicy["ask"]>;
  readonly amendments: readonly HostApproval[];
}

/** The reachable hosts of a call, and its proxies. */
export interface WayOutBy {
  readonly profile: Profile;
  readonly upstream: Upstream | null;
  /** The network that the config leaves to such calls at this moment: it may have changed since the start. */
  readonly networkNow: () => Promise<Network>;
}

/** The network access of one call, while it runs. */
export class CallWayOut implements WayOut, Disposable {
  readonly #egress: CallEgress;
  readonly #prompt: HostPrompt | null;
  /** Disposed with it, the last first. */
  readonly #ends: Disposable[] = [];

  constructor(
    { host, egressProxy }: Pick<SupervisorContext, "host" | "egressProxy">,
    { profile, upstream, networkNow }: WayOutBy,
    prompt: HostPrompt | null,
    record: (body: EventBody) => void,
  ) {
    const { network, limits } = profile;
    this.#prompt = prompt;
    this.#egress = new CallEgress(
      {
        network,
        limits,
        upstream,
        networkNow,
        ask: prompt?.ask ?? null,
        onRefused: (refusal) => quietly(() => record(refusedEvent(refusal))),
      },
      host.outside,
    );
    this.#ends.push(this.#egress);
    if (egressProxy !== null) this.#ends.push(egressProxy.callers.add(this.#egress));
  }

  get secret(): string {
    return this.#egress.secret;
  }

  serve(listener: Server): void {
    const { maxClients } = this.#egress;
    const proxy = new EgressProxy(new Callers(this.#egress), { maxClients, headMs: HEAD_MS });
    this.#ends.push(proxy);
    proxy.listen(listener);
  }

  use(): NetworkUse {
    return { ...this.#egress.use(), amendments: this.#prompt?.amendments ?? [] };
  }

  [Symbol.dispose](): void {
    for (const one of this.#ends.splice(0).reverse()) one[Symbol.dispose]();
  }
}

function refusedEvent({ host, port, because, reason }: Omit<EgressRefusal, "times">): EventBody {
  return { type: "network.refused", host, port, because, reason };
}

/** Ignores a failed write: the end of the call can't be recorded then either, and reports that. */
function quietly(write: () => void): void {
  try {
    write();
  } catch {
    return;
  }
}
