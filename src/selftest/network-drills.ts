import { type ClosingServer, closingServer } from "../host/launch/closing-server.ts";
import {
  type Drill,
  type DrillFault,
  type DrillSite,
  undone,
  unless,
  withSupervisor,
  writeBeside,
} from "./drill.ts";

/** Asks the egress proxy, by SOCKS and with the secret in `http_proxy`, for an address and a port; 0 if it connects. */
const asks = (address: string, port: number): string =>
  `perl -MSocket -e 'my ($secret, $host, $at) = $ENV{http_proxy} =~ m{cofferdam:(.*)\\@(.*):(\\d+)} or exit 2; socket(S, 2, 1, 0) && connect(S, pack_sockaddr_in($at, inet_aton($host))) or exit 3; syswrite S, pack("C3", 5, 1, 2); sysread S, $_, 2; syswrite S, pack("C C/a* C/a*", 1, "cofferdam", $secret); sysread S, $_, 2; syswrite S, pack("C4 a4 n", 5, 1, 0, 1, inet_aton("${address}"), ${port}); sysread S, $_, 10; exit ord substr $_, 1, 1'`;

/** Drills with a network of listed hosts: a server of this machine is one, by its address and port. */
export const NETWORK_DRILLS: readonly Drill[] = [
  {
    on: "both",
    claim: "net.hosts",
    title: "of two servers of this machine, only the listed one is reached, and only through the proxy",
    holds: async (site) => {
      using listed = await closingServer();
      return await withHost(site, listed.port, async (session) => {
        const { port } = site.target;
        const past = `perl -MSocket -e 'socket(S, 2, 1, 0) && connect(S, pack_sockaddr_in(${listed.port}, inet_aton("127.0.0.1"))) or exit 1'`;
        const tried = {
          "another port is reached": asks("127.0.0.1", port),
          "another address is reached": asks("127.0.0.2", listed.port),
          "the metadata address of clouds is reached": asks("169.254.169.254", 80),
          "it is reached past the proxy": past,
        };
        for (const [fault, line] of Object.entries(tried))
          if ((await undone(session, line)) === null) return fault;
        return connected(listed, 0);
      });
    },
    control: async (site) => {
      using listed = await closingServer();
      return await withHost(site, listed.port, async (session) => {
        const fault = await undone(session, asks("127.0.0.1", listed.port));
        return fault ?? connected(listed, 1);
      });
    },
  },
];

async function withHost(
  site: DrillSite,
  port: number,
  work: Parameters<typeof withSupervisor<DrillFault>>[2],
): Promise<DrillFault> {
  const paths = { ws: { root: site.ground.ws, mode: "rw", write_approval: false } };
  const shell = { network: { hosts: [`127.0.0.1:${port}`] } };
  const sandbox = { paths, runtimes: ["system"] };
  const config = writeBeside(site, "hosts.yaml", { version: 1, sandbox, shell });
  return withSupervisor(site, { config }, work);
}

function connected({ connections }: Pick<ClosingServer, "connections">, expected: number): DrillFault {
  return unless({ [`the server saw ${connections()} connections`]: connections() === expected });
}
