import type { HostRule } from "../profile/host-rule.ts";
import type { Network } from "../profile/network.ts";
import type { Profile } from "../profile/profile.ts";
import type { Launch } from "../tool/launch.ts";

/** The user that programs name to the egress proxy; the password beside it is the call's own secret. */
export const PROXY_USER = "cofferdam";

/** Where the egress proxy listens for every sandbox that has a loopback of its own: outside of the ports that Linux gives out (ip(7)). */
export const OWN_LOOPBACK_PORT = 61_080;

/** How programs inside find the egress proxy. */
export interface ProxyWay {
  /** Its port on the loopback that they see. */
  readonly port: number;
  /** Names of the variables that tell them; each is set right before the program starts, and stands in no word of anybody. */
  readonly variables: readonly string[];
  /** What those hosts are that programs connect to without it. */
  readonly direct: readonly string[];
}

/** The gate's variable in which the secret is read, and the one that the proxy's URL is made in. */
const SECRET = "cofferdam_secret";
const URL_MADE = "cofferdam_proxy";

/**
 * Variables whose value is the proxy's URL. curl, git, wget, pip, cargo, go and most others read the usual ones, some in
 * small letters alone (curl(1), wget(1)); Yarn from its second version on has its own
 * (https://yarnpkg.com/configuration/yarnrc#httpProxy). A SOCKS URL in `ALL_PROXY` would stop programs that lack a library for it.
 */
const URLS = [
  ...["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
  ...["YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"],
] as const;

/** Variables whose value lists hosts that are connected to directly. */
const DIRECT = ["no_proxy", "NO_PROXY"] as const;

/** Node obeys the others only with this one (https://nodejs.org/api/cli.html#node_use_env_proxy1), from 22.21 and 24.5 on. */
const NODE = "NODE_USE_ENV_PROXY";

/** What every sandbox has for itself, by name and by address. */
const OWN_LOOPBACK = ["localhost", "127.0.0.1", "::1"] as const;

/** True where a program reaches hosts through the egress proxy, or may be let reach some. */
export function isProxied(
  { network }: Pick<Profile, "network">,
  { asksForHosts }: Pick<Launch, "asksForHosts">,
): boolean {
  if (network === "host") return false;
  return network !== "none" || asksForHosts === true;
}

/** The way to a proxy that listens on the port; where loopback itself is listed, it is the host's that is meant. */
export function proxyWay({ network }: Pick<Profile, "network">, port: number): ProxyWay {
  const listed = hostsOf(network).map(({ name }) => name);
  return {
    port,
    variables: [...URLS, ...DIRECT, NODE],
    direct: OWN_LOOPBACK.filter((name) => !listed.includes(name)),
  };
}

function hostsOf(network: Network): readonly HostRule[] {
  return typeof network === "string" ? [] : network.hosts;
}

/** The line that opens a gate, without its end: whether standard input is handed in, and the call's secret, where it has one. */
export function goLine(hasInput: boolean, secret: string | null): string {
  return ["go", hasInput ? "pipe" : "null", ...(secret === null ? [] : [secret])].join(" ");
}

/** The names into which a gate's shell reads that line, behind the one for its first word. */
export function goWords(way: ProxyWay | null): string {
  return way === null ? "cofferdam_in" : `cofferdam_in ${SECRET}`;
}

/** The lines of a POSIX shell that tell programs where the proxy is; what was read is gone after them. */
export function proxyLines(way: ProxyWay | null): readonly string[] {
  if (way === null) return [];
  return [
    `${URL_MADE}="http://${PROXY_USER}:$${SECRET}@127.0.0.1:${way.port}"`,
    ...URLS.map((name) => `${name}=$${URL_MADE}`),
    ...DIRECT.map((name) => `${name}='${way.direct.join(",")}'`),
    `${NODE}=1`,
    `export ${way.variables.join(" ")}`,
    `unset ${SECRET} ${URL_MADE}`,
  ];
}

/** What of a call's limits nobody holds, in words: what goes past the proxy is not counted. */
export function unboundedNetwork({
  network,
  limits,
}: Pick<Profile, "network" | "limits">): readonly string[] {
  const { connections, transferBytes, connectionMs } = limits;
  const isBounded = [connections, transferBytes, connectionMs].some((bound) => bound !== undefined);
  return isBounded && network === "host"
    ? ["connections: absent: on the machine's own network nobody counts them"]
    : [];
}
