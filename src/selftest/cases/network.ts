import { type Case, granted, on, outside, type Target } from "../case.ts";

/** Families and types of sockets (bits/socket.h; the same on both machines). */
const UNIX = 1;
const INET = 2;
const INET6 = 10;
const STREAM = 1;
const DATAGRAM = 2;

/** With the network off nothing of the host and nothing beyond is reached, and the own loopback works. */
export function ofNetwork({ ws, outside: elsewhere, port, abstract }: Target): readonly Case[] {
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
    {
      claim: "net.none",
      title: "a server on the host's loopback cannot be reached",
      attack: connect(INET, STREAM, toHost),
      twin: outside(connect(INET, STREAM, toHost)),
    },
    {
      claim: "net.none",
      title: "no datagram leaves for an address of the documentation's own",
      attack: perl(
        `socket(S, ${INET}, ${DATAGRAM}, 0) && defined send(S, "x", 0, pack_sockaddr_in(9, inet_aton("192.0.2.1"))) or exit 1`,
      ),
      twin: granted(
        perl(
          `socket(S, ${INET}, ${DATAGRAM}, 0) && defined send(S, "x", 0, pack_sockaddr_in(9, inet_aton("127.0.0.1"))) or exit 1`,
        ),
      ),
    },
    {
      claim: "net.none",
      title: "there is no interface but a loopback",
      attack: "sed 1,2d /proc/net/dev | grep -qv '^ *lo:'",
      twin: granted("sed 1,2d /proc/net/dev | grep -q '^ *lo:'"),
    },
    {
      claim: "net.none",
      title: "no route leads anywhere, of either family",
      attack: "[ \"$(sed 1d /proc/net/route | wc -l)\" -gt 0 ] || grep -qv ' lo$' /proc/net/ipv6_route",
      twin: granted("[ -r /proc/net/route ]"),
    },
    {
      claim: "net.none",
      title: "no name is resolved but the own",
      attack: "timeout 10 getent ahosts example.com",
      twin: granted("getent ahosts localhost"),
    },
    {
      claim: "net.loopback",
      title: "the host's loopback is another one: what listens inside is not its port",
      attack: `${connect(INET6, STREAM, `pack_sockaddr_in6(${port}, inet_pton(${INET6}, "::1"))`)} || ${connect(INET, STREAM, toHost)}`,
      twin: granted(ownPort),
    },
    {
      claim: "sock",
      title: "a socket in a folder that nobody granted cannot be reached",
      attack: connect(UNIX, STREAM, named(`${elsewhere}/socket`)),
      twin: outside(connect(UNIX, STREAM, named(`${elsewhere}/socket`))),
    },
    {
      claim: "sock",
      title: "nor through /proc/1/root",
      attack: connect(UNIX, STREAM, named(`/proc/1/root${elsewhere}/socket`)),
      twin: granted(ownSocket),
    },
    {
      claim: "sock",
      title: "an abstract socket of the host cannot be reached",
      attack: connect(UNIX, STREAM, `pack_sockaddr_un("\\0${abstract}")`),
      twin: outside(connect(UNIX, STREAM, `pack_sockaddr_un("\\0${abstract}")`)),
    },
  ]);
}
