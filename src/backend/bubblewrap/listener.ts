import { quoted } from "../../shell/quote.ts";
import type { Facts } from "../facts.ts";
import { OWN_LOOPBACK_PORT } from "../proxy-way.ts";

/** The start program's descriptor that sends the listening socket to the supervisor: a socket, of one digit. */
export const LISTEN_FD = 4;

/** Names of sendmsg(2) by number (arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h). */
const SENDMSG = { x64: "46", arm64: "211" } as const satisfies Readonly<Record<Facts["arch"], string>>;

/** Variables that make perl run other code first (perlrun(1)). */
const PERLS_OWN = ["PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "PERLIO", "PERL_USE_UNSAFE_INC"] as const;

/**
 * The perl program that makes the way out, before the sandbox is proven and so before any program runs. It makes a
 * socket that listens on the sandbox's own loopback and sends it to the supervisor, which then accepts the connections
 * itself. Nothing of this stays inside. The message is one of Node's own channel for handles
 * (lib/internal/child_process.js), with the descriptor as ancillary data (unix(7), `SCM_RIGHTS`; cmsg(3)): 64-bit
 * layouts of `struct msghdr`, `iovec` and `cmsghdr`, the same on both architectures. The socket never blocks
 * (`SOCK_NONBLOCK`, 2048): all owners share that flag, and without free descriptors libuv accepts until no connection
 * is left (src/unix/stream.c, `uv__emfile_trick`). The text must not contain single quotes.
 */
const LISTEN = `
my ($sendmsg, $out, $port) = @ARGV;
socket(my $listener, 2, 2049, 6) or exit 1;
bind($listener, pack "S n a4 x8", 2, $port, "\\x7f\\0\\0\\1") or exit 1;
listen($listener, 4096) or exit 1;
my $said = qq({"cmd":"NODE_HANDLE","type":"net.Server","msg":"listening"}\\n);
my $vector = pack "P Q", $said, length $said;
my $rights = pack "Q i3 x4", 20, 1, 1, fileno $listener;
my $message = pack "Q L x4 P Q P Q i x4", 0, 0, $vector, 1, $rights, length $rights, 0;
exit(syscall($sendmsg + 0, $out + 0, $message, 0) != length $said);
`;

/** The lines of the start program that send the listening socket out, or say `n` if that fails; none without perl. */
export function listenerLines({ arch, launcher: { perl } }: Facts, startFd: number): readonly string[] {
  if (perl === null) return [];
  const words = ["--", SENDMSG[arch], String(LISTEN_FD), String(OWN_LOOPBACK_PORT)];
  return [
    `(unset ${PERLS_OWN.join(" ")}; exec ${quoted([perl, "-C0", "-e"])} '${LISTEN}' ${words.join(" ")}) 2>/dev/null || { printf n >&${startFd}; exit 125; }`,
    `exec ${LISTEN_FD}>&-`,
  ];
}
