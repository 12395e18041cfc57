import type { Broker } from "../approval/broker.ts";
import type { Ceiling } from "../config/config.ts";
import type { Host } from "../host/host.ts";
import { packageVersion } from "../host/version.ts";
import type { FetchMeans } from "../network/fetch.ts";
import { grantedHosts } from "../policy/grant.ts";
import { parseHostRule } from "../profile/host-rule.ts";
import { proxiesOf, type Upstream } from "../profile/upstream.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import { addDomainTool } from "../tool/fetch/add-domain.ts";
import { webFetchTool } from "../tool/fetch/web-fetch.ts";
import type { WebFetchSection } from "../tool/settings.ts";

/** What the fetch tools of one session are made from. */
export interface FetchToolsOptions {
  /** `web_fetch:` of the config. */
  readonly settings: WebFetchSection;
  readonly ceiling: Pick<Ceiling, "layers"> & {
    readonly approval: Pick<Ceiling["approval"], "sessionGrants">;
  };
  /** Keeps the session's grants, those to hosts among them. */
  readonly broker: Pick<Broker, "grants" | "saveGrant">;
  readonly sessionId: string;
  readonly host: Pick<Host, "id" | "now" | "outside">;
  /** How names are looked up and connections made; the host's way where it is left out. */
  readonly means?: FetchMeans;
  /** The proxies that hosts are reached by, where every layer of the ceiling lets them be. */
  readonly upstream?: Upstream | undefined;
}

/**
 * `web_fetch` and `web_fetch_add_domain` of one session, to be put behind its gate. They run in this process, outside of
 * any walls, and reach what the config lists, what the session was granted and what a person said yes to once; of that
 * only what every layer of the ceiling reaches. Throws `HOST_INVALID` for settings that no config was read from.
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
