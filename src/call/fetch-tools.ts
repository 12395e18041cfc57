import type { Broker } from "../approval/broker.ts";
import type { Ceiling } from "../config/config.ts";
import type { Host } from "../host/look/host.ts";
import { packageVersion } from "../host/look/version.ts";
import type { FetchMeans } from "../network/fetch.ts";
import { grantedHosts } from "../policy/grant.ts";
import { type HostRule, meetRules, parseHostRule } from "../profile/host-rule.ts";
import { proxiesOf, type Upstream } from "../profile/upstream.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { type AddDomainPolicy, type AddedHost, addDomainTool } from "../tool/fetch/add-domain.ts";
import { type FetchPolicy, webFetchTool } from "../tool/fetch/web-fetch.ts";
import type { WebFetchSection } from "../tool/settings.ts";

/** The settings of one session's fetch tools; each is read when a call is decided, because a config may change. */
export interface FetchToolsOptions {
  readonly settings: WebFetchSection;
  /** The settings of a changed config that is not trusted: they apply as well. */
  readonly changed?: WebFetchSection | undefined;
  readonly ceiling: Pick<Ceiling, "layers"> & {
    readonly approval: Pick<Ceiling["approval"], "sessionGrants">;
  };
  /** Keeps the session's grants, including those for hosts. */
  readonly broker: Pick<Broker, "grants" | "saveGrant">;
  readonly sessionId: string;
  readonly host: Pick<Host, "id" | "now" | "outside">;
  /** Name lookup and connections; the host's own by default. */
  readonly means?: FetchMeans;
  /** The proxies for reaching hosts, where every layer of the ceiling allows them. */
  readonly upstream?: Upstream | undefined;
}

/**
 * `web_fetch` and `web_fetch_add_domain` of one session, for use behind its gate. They run in this process, outside of
 * any sandbox. They reach hosts that the config lists, the session was granted or a person approved once, if every
 * layer of the ceiling reaches them. Throws `HOST_INVALID` for invalid settings that come from no config.
 */
export function fetchTools(options: FetchToolsOptions): readonly DefinedTool[] {
  const { host, means } = options;
  const policy = new FetchPolicyNow(options);
  return [
    webFetchTool(policy, async (request) => {
      const { fetchPage, meansOf } = await import("../network/fetch.ts");
      const agent = `cofferdam/${packageVersion()}`;
      return fetchPage(request, means ?? meansOf(host.outside, agent, options.upstream ?? null));
    }),
    addDomainTool(policy),
  ];
}

/** The policy for fetching pages at each moment. */
class FetchPolicyNow implements FetchPolicy, AddDomainPolicy {
  readonly #options: FetchToolsOptions;
  #parsed: { readonly written: readonly string[]; readonly domains: readonly HostRule[] } | null = null;

  constructor(options: FetchToolsOptions) {
    this.#options = options;
    this.#listed(options.settings.domains);
  }

  /** `never`, if either says so: no page of another host. */
  get approval(): WebFetchSection["approval"] {
    const { settings, changed } = this.#options;
    return changed?.approval === "never" ? "never" : settings.approval;
  }

  get asksAlways(): boolean {
    const { settings, changed } = this.#options;
    return settings.approval === "always" || changed?.approval === "always";
  }

  get domains(): readonly HostRule[] {
    const { settings, changed } = this.#options;
    const listed = this.#listed(settings.domains);
    if (changed === undefined) return listed;
    const others = changed.domains.map(parseHostRule);
    return listed.flatMap((rule) => others.flatMap((other) => meetRules(rule, other) ?? []));
  }

  get layers(): Ceiling["layers"] {
    return this.#options.ceiling.layers;
  }

  get proxies(): readonly string[] {
    const { upstream } = this.#options;
    return upstream === undefined ? [] : proxiesOf(upstream);
  }

  get sessionGrants(): boolean {
    return this.#options.ceiling.approval.sessionGrants;
  }

  readonly granted = async (): Promise<readonly HostRule[]> => {
    const { broker, sessionId } = this.#options;
    return grantedHosts(await broker.grants(sessionId));
  };

  readonly add = async ({ by, ports, ...added }: AddedHost): Promise<void> => {
    const { broker, host, sessionId } = this.#options;
    await broker.saveGrant({
      ...added,
      kind: "host",
      grantId: host.id(),
      sessionId,
      ports: [...ports],
      by: by ?? "a rule or mode",
      grantedAt: host.now(),
    });
  };

  #listed(written: readonly string[]): readonly HostRule[] {
    if (this.#parsed?.written === written) return this.#parsed.domains;
    const domains = written.map(parseHostRule);
    this.#parsed = { written, domains };
    return domains;
  }
}
