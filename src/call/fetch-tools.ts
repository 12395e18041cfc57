import type { Broker } from "../approval/broker.ts";
import type { Ceiling } from "../config/config.ts";
import type { Host } from "../host/look/host.ts";
import { packageVersion } from "../host/look/version.ts";
import type { FetchMeans } from "../network/fetch.ts";
import { grantedHosts } from "../policy/grant.ts";
import { parseHostRule } from "../profile/host-rule.ts";
import { proxiesOf, type Upstream } from "../profile/upstream.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { addDomainTool } from "../tool/fetch/add-domain.ts";
import { webFetchTool } from "../tool/fetch/web-fetch.ts";
import type { WebFetchSection } from "../tool/settings.ts";

/** The settings of one session's fetch tools. */
export interface FetchToolsOptions {
  readonly settings: WebFetchSection;
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
export function fetchTools({
  settings,
  ceiling,
  broker,
  sessionId,
  host,
  means,
  upstream,
}: FetchToolsOptions): readonly DefinedTool[] {
  const policy = {
    approval: settings.approval,
    domains: settings.domains.map(parseHostRule),
    layers: ceiling.layers,
    proxies: upstream === undefined ? [] : proxiesOf(upstream),
    granted: async () => grantedHosts(await broker.grants(sessionId)),
  };
  return [
    webFetchTool(policy, async (request) => {
      const { fetchPage, meansOf } = await import("../network/fetch.ts");
      const agent = `cofferdam/${packageVersion()}`;
      return fetchPage(request, means ?? meansOf(host.outside, agent, upstream ?? null));
    }),
    addDomainTool({
      ...policy,
      sessionGrants: ceiling.approval.sessionGrants,
      add: ({ by, ports, ...added }) =>
        broker.saveGrant({
          ...added,
          kind: "host",
          grantId: host.id(),
          sessionId,
          ports: [...ports],
          by: by ?? "a rule or mode",
          grantedAt: host.now(),
        }),
    }),
  ];
}
