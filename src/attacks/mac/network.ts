import { type Attack, type AttackTarget, granted, on, row, sameOutside, sameWider } from "../attack.ts";
import { withSockets } from "./kernel-call.ts";

/** With the network off nothing is reached: no address, no port of the loopback, no resolver, no unix socket. */
export function ofMacNetwork({ ws, outside: elsewhere, port }: AttackTarget): readonly Attack[] {
  const connected = withSockets(
    `socket(S, PF_INET, SOCK_STREAM, 0) && connect(S, pack_sockaddr_in(${port}, inet_aton("127.0.0.1"))) or exit 1`,
  );
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
    sameOutside("net.none", "a server on this machine's loopback cannot be reached", connected),
    sameOutside("net.none", "no datagram reaches this machine's loopback", sent("127.0.0.1")),
    sameOutside("net.none", "no datagram is sent to an address for documentation", sent("192.0.2.1"), {
      controlMayFail: "this machine has no network",
    }),
    sameOutside("net.none", "no name is resolved", resolved, {
      controlMayFail: "no name can be resolved on this machine now",
    }),
    sameOutside("net.none", "the machine's resolvers are not visible", resolvers, {
      controlMayFail: "this machine has none now",
    }),
    sameWider("net.none", "no program can listen on loopback without `listen`", listening),
    sameOutside("sock", "a socket of the host in a granted folder cannot be reached", unix(`${ws}/socket`)),
    row(
      "sock",
      "a socket of the host cannot be reached by a new link in the call's own folder",
      `ln -sfn ${elsewhere}/socket "$TMPDIR/to-socket" && ${unix("$ENV{TMPDIR}/to-socket")}`,
      granted(ownUnix),
    ),
  ]);
}
