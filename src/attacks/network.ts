import { type Attack, type AttackTarget, granted, on, row, sameOutside } from "./attack.ts";

/** Families and types of sockets (bits/socket.h; the same on both machines). */
const UNIX = 1;
const INET = 2;
const INET6 = 10;
const STREAM = 1;
const DATAGRAM = 2;

/** With the network off nothing of the host and nothing beyond is reached, and the own loopback works. */
export function ofNetwork({ ws, outside: elsewhere, port, abstract }: AttackTarget): readonly Attack[] {
  const perl = (text: string): string => `perl -MSocket -e '${text}'`;
  const connect = (family: number, type: number, address: string): string =>
    perl(`socket(S, ${family}, ${type}, 0) && connect(S, ${address}) or exit 1`);
  const toHost = `pack_sockaddr_in(${port}, inet_aton("127.0.0.1"))`;
  const named = (path: string): string => `pack_sockaddr_un("${path}")`;
  const listening = `socket(L, ${INET}, ${STREAM}, 0); bind(L, pack_sockaddr_in(0, inet_aton("127.0.0.1"))) or exit 1; listen(L, 1);`;
  const ownPort = perl(
    `${listening} my ($p) = unpack_sockaddr_in(getsockname(L)); socket(S, ${INET}, ${STREAM}, 0) && connect(S, pack_sockaddr_in($p, inet_aton("127.0.0.1"))) or exit 1`,
  );
  const ownSocket = perl(
    `unlink "${ws}/own-socket"; socket(L, ${UNIX}, ${STREAM}, 0); bind(L, ${named(`${ws}/own-socket`)}) or exit 1; listen(L, 1); socket(S, ${UNIX}, ${STREAM}, 0) && connect(S, ${named(`${ws}/own-socket`)}) or exit 1`,
  );
  return on("linux", [
    sameOutside(
      "net.none",
      "a server on the host's loopback cannot be reached",
      connect(INET, STREAM, toHost),
    ),
    row(
      "net.none",
      "no datagram is sent to an address for documentation",
      perl(
        `socket(S, ${INET}, ${DATAGRAM}, 0) && defined send(S, "x", 0, pack_sockaddr_in(9, inet_aton("192.0.2.1"))) or exit 1`,
      ),
      granted(
        perl(
          `socket(S, ${INET}, ${DATAGRAM}, 0) && defined send(S, "x", 0, pack_sockaddr_in(9, inet_aton("127.0.0.1"))) or exit 1`,
        ),
      ),
    ),
    row(
      "net.none",
      "there is no route for IPv4 or IPv6",
      "[ \"$(sed 1d /proc/net/route | wc -l)\" -gt 0 ] || grep -qv ' lo$' /proc/net/ipv6_route",
      granted("[ -r /proc/net/route ]"),
    ),
    row(
      "net.none",
      "no name is resolved except its own",
      "timeout 10 getent ahosts example.com",
      granted("getent ahosts localhost"),
    ),
    row(
      "net.loopback",
      "the host's loopback is separate: a server inside does not use its port",
      `${connect(INET6, STREAM, `pack_sockaddr_in6(${port}, inet_pton(${INET6}, "::1"))`)} || ${connect(INET, STREAM, toHost)}`,
      granted(ownPort),
    ),
    sameOutside(
      "sock",
      "a socket in a folder that is not granted cannot be reached",
      connect(UNIX, STREAM, named(`${elsewhere}/socket`)),
    ),
    row(
      "sock",
      "a socket that is not granted cannot be reached through /proc/1/root",
      connect(UNIX, STREAM, named(`/proc/1/root${elsewhere}/socket`)),
      granted(ownSocket),
    ),
    sameOutside(
      "sock",
      "an abstract socket of the host cannot be reached",
      connect(UNIX, STREAM, `pack_sockaddr_un("\\0${abstract}")`),
    ),
  ]);
}
