import { type Case, granted, on, outside, type Target, wider } from "../../case.ts";
import { withSockets } from "./kernel-call.ts";

/** With the network off nothing is reached: no address, no port of this machine's loopback, no resolver, no unix socket. */
export function ofMacNetwork({ ws, outside: elsewhere, port }: Target): readonly Case[] {
  const connect = (address: string, type = "SOCK_STREAM"): string =>
    withSockets(`socket(S, PF_INET, ${type}, 0) && connect(S, ${address}) or exit 1`);
  const toHost = `pack_sockaddr_in(${port}, inet_aton("127.0.0.1"))`;
  const sent = (address: string): string =>
    withSockets(
      `socket(S, PF_INET, SOCK_DGRAM, 0) && defined send(S, "x", 0, pack_sockaddr_in(9, inet_aton("${address}"))) or exit 1`,
    );
  const resolved = withSockets('exit(defined gethostbyname("example.com") ? 0 : 1)');
  const unix = (path: string): string =>
    withSockets(`socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un("${path}")) or exit 1`);
  const ownUnix = withSockets(
    'my $p = "$ENV{TMPDIR}/own"; unlink $p; socket(L, PF_UNIX, SOCK_STREAM, 0); bind(L, pack_sockaddr_un($p)) && listen(L, 1) or exit 1; socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un($p)) or exit 1',
  );
  const listening = withSockets(
    'socket(L, PF_INET, SOCK_STREAM, 0); bind(L, pack_sockaddr_in(0, inet_aton("127.0.0.1"))) && listen(L, 1) or exit 1',
  );
  const resolvers = "scutil --dns | grep -q nameserver";
  return on("darwin", [
    {
      claim: "net.none",
      title: "a server on this machine's loopback cannot be reached",
      attack: connect(toHost),
      twin: outside(connect(toHost)),
    },
    {
      claim: "net.none",
      title: "nor by a datagram",
      attack: sent("127.0.0.1"),
      twin: outside(sent("127.0.0.1")),
    },
    {
      claim: "net.none",
      title: "no datagram leaves for an address of the documentation's own",
      attack: sent("192.0.2.1"),
      twin: outside(sent("192.0.2.1")),
      twinMayFail: "this machine has no way out",
    },
    {
      claim: "net.none",
      title: "no name is resolved",
      attack: resolved,
      twin: outside(resolved),
      twinMayFail: "no name can be resolved on this machine now",
    },
    {
      claim: "net.none",
      title: "the machine's resolvers are not told",
      attack: resolvers,
      twin: outside(resolvers),
      twinMayFail: "this machine has none now",
    },
    {
      claim: "net.none",
      title: "nothing listens on loopback unless `listen` is given",
      attack: listening,
      twin: wider(listening),
    },
    {
      claim: "sock",
      title: "a socket in a folder that nobody granted cannot be reached",
      attack: unix(`${elsewhere}/socket`),
      twin: outside(unix(`${elsewhere}/socket`)),
    },
    {
      claim: "sock",
      title: "nor one of the host's in a granted folder",
      attack: unix(`${ws}/socket`),
      twin: outside(unix(`${ws}/socket`)),
    },
    {
      claim: "sock",
      title: "nor by a link to it that is made in the call's own place",
      attack: `ln -sfn ${elsewhere}/socket "$TMPDIR/to-socket" && ${withSockets('socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un("$ENV{TMPDIR}/to-socket")) or exit 1')}`,
      twin: granted(ownUnix),
    },
  ]);
}
