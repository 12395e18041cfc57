import type { HostRule } from "../profile/host-rule.ts";
import type { Network } from "../profile/network.ts";
import type { Profile } from "../profile/profile.ts";
import type { ProgramStart } from "../tool/launch.ts";

/** The user name for the egress proxy; the password is the call's own secret. */
export const PROXY_USER = "cofferdam";

/** The egress proxy's port in sandboxes with their own loopback: outside of Linux's ephemeral ports (ip(7)). */
export const OWN_LOOPBACK_PORT = 61_080;

/** The settings by which programs inside find the egress proxy. */
export interface ProxyWay {
  readonly port: number;
  /** Names of the variables for it. Each is set right before the program starts, and is in no command line. */
  readonly variables: readonly string[];
  /** Hosts that programs connect to without it. */
  readonly direct: readonly string[];
}

/** The start program's variable into which the secret is read, and the one in which the proxy's URL is made. */
const SECRET = "cofferdam_secret";
const URL_MADE = "cofferdam_proxy";

/**
 * URLs of the proxy. Most programs read the usual ones, some in small letters alone (curl(1), wget(1)); Yarn 2 has its
 * own (https://yarnpkg.com/configuration/yarnrc#httpProxy). A SOCKS URL in `ALL_PROXY` would stop programs that lack a
 * library for it.
 */
const URLS = [
  ...["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
  ...["YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"],
] as const;

const DIRECT = ["no_proxy", "NO_PROXY"] as const;

/** Node reads the others only with it (https://nodejs.org/api/cli.html#node_use_env_proxy1), from 22.21 and 24.5 on. */
const NODE = "NODE_USE_ENV_PROXY";

const OWN_LOOPBACK = ["localhost", "127.0.0.1", "::1"] as const;

/** True if a program reaches hosts through the egress proxy, or may be allowed to reach some. */
export function isProxied(
  { network }: Pick<Profile, "network">,
  { asksForHosts }: Pick<ProgramStart, "asksForHosts">,
): boolean {
  if (network === "host") return false;
  return network !== "none" || asksForHosts === true;
}

/** The way to a proxy that listens on the port; if loopback itself is listed, the host's is meant. */
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

/** The line that lets a start program go on, without its end: whether standard input is given, and any secret. */
export function goLine(hasInput: boolean, secret: string | null): string {
  return ["go", hasInput ? "pipe" : "null", ...(secret === null ? [] : [secret])].join(" ");
}

/** The names into which a start program's shell reads that line, after the one for its first word. */
export function goWords(way: ProxyWay | null): string {
  return way === null ? "cofferdam_in" : `cofferdam_in ${SECRET}`;
}

/** The lines of a POSIX shell that set the proxy variables for programs; the secret read is gone after them. */
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

/** The call's limits that nothing enforces, in words: traffic past the proxy is not counted. */
export function unboundedNetwork({
  network,
  limits,
}: Pick<Profile, "network" | "limits">): readonly string[] {
  const { connections, transferBytes, connectionMs } = limits;
  const isBounded = [connections, transferBytes, connectionMs].some((bound) => bound !== undefined);
  return isBounded && network === "host"
    ? ["connections: absent: they are not counted on the machine's own network"]
    : [];
}
