import type { AbsolutePath } from "../../profile/path.ts";
import type { Facts } from "../facts.ts";

/** Numbers of setns(2) and sendmsg(2) (arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h). */
const SYSCALLS = {
  x64: ["308", "46"],
  arm64: ["268", "211"],
} as const satisfies Readonly<Record<Facts["arch"], readonly string[]>>;

/**
 * The perl program that connects to servers inside. It runs outside the sandbox, as the user who started it, and is
 * only given the sandbox's network. Processes inside can neither see it nor send it anything.
 * 1. Its standard input is a Node channel for handles, its standard output the sandbox's network namespace. It enters
 *    the owning user namespace (`NS_GET_USERNS`, ioctl_nsfs(2)), which needs no rights on the machine but gives those
 *    over the network, then the network (setns(2)), and says `"ready"`.
 * 2. For each line `[id,port]` it connects a socket to that port of the sandbox's loopback, first 127.0.0.1, then ::1.
 *    It sends the socket out with its id, as `listener.ts` does, or the id alone if nothing listens. It blocks for a
 *    twentieth of a second at most: if the server is busy, the socket is sent while it connects.
 * 3. It ends with the channel, and so with the supervisor. Other lines are the channel's own.
 *
 * Linux numbers: `CLONE_NEWUSER`, `CLONE_NEWNET`, `SOCK_STREAM | SOCK_NONBLOCK`, `EINPROGRESS`, `SO_ERROR`.
 */
const CONNECT = `
my ($setns, $sendmsg) = @ARGV;
open my $channel, "+<&=", 0 or exit 1;
my $owner = ioctl STDOUT, 0xb701, 0 or exit 1;
syscall($setns + 0, $owner + 0, 0x10000000) == 0 or exit 1;
syscall($setns + 0, 1, 0x40000000) == 0 or exit 1;
sub say_it { my $said = shift; syswrite $channel, $said, length $said or exit 1 }
sub connected {
  my ($domain, $address) = @_;
  socket my $socket, $domain, 2049, 6 or return;
  connect $socket, $address or $! == 115 or return;
  my $ready = "";
  vec($ready, fileno $socket, 1) = 1;
  select undef, $ready, undef, 0.05;
  unpack("i", getsockopt $socket, 1, 4) == 0 or return;
  return $socket;
}
say_it qq("ready"\\n);
my $lines = "";
while (sysread $channel, $lines, 65536, length $lines) {
  while ($lines =~ s/^([^\\n]*)\\n//) {
    $1 =~ /^\\[(\\d+),(\\d+)\\]$/ or next;
    my ($id, $port) = ($1, $2);
    my $socket = connected(2, pack "S n a4 x8", 2, $port, "\\x7f\\0\\0\\1");
    $socket = connected(10, pack "S n N x15 C N", 10, $port, 0, 1, 0) unless $socket;
    say_it("$id\\n"), next unless $socket;
    my $said = qq({"cmd":"NODE_HANDLE","type":"net.Socket","msg":$id}\\n);
    my $vector = pack "P Q", $said, length $said;
    my $rights = pack "Q i3 x4", 20, 1, 1, fileno $socket;
    my $message = pack "Q L x4 P Q P Q i x4", 0, 0, $vector, 1, $rights, length $rights, 0;
    syscall($sendmsg + 0, 0, $message, 0) == length $said or exit 1;
  }
}
`;

/** The command that starts it. */
export function connectorWords(
  perl: AbsolutePath,
  { arch }: Pick<Facts, "arch">,
): readonly [AbsolutePath, ...string[]] {
  return [perl, "-C0", "-e", CONNECT, "--", ...SYSCALLS[arch]];
}
