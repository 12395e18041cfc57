import { quoted } from "../../shell/quote.ts";
import type { Facts } from "../facts.ts";
import { OWN_LOOPBACK_PORT } from "../proxy-way.ts";

/** The gate's descriptor on which the listening socket is handed out: a socket to the supervisor, of one digit. */
export const LISTEN_FD = 4;

/** Names of sendmsg(2) by number (arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h). */
const SENDMSG = { x64: "46", arm64: "211" } as const satisfies Readonly<Record<Facts["arch"], string>>;

/** Variables by which perl would run something else first (perlrun(1)). */
const PERLS_OWN = ["PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "PERLIO", "PERL_USE_UNSAFE_INC"] as const;

/**
 * What makes the way out, as perl, before the walls are proven and so before any program runs: a socket that listens on
 * the sandbox's own loopback, handed to the supervisor, which then accepts the sandbox's connections itself. Nothing of
 * this stays inside. The message is one of Node's own channel for handles (lib/internal/child_process.js), with the
 * descriptor as ancillary data (unix(7), `SCM_RIGHTS`; cmsg(3)): 64-bit layouts of `struct msghdr`, `iovec` and `cmsghdr`,
 * the same on both architectures. It never blocks (`SOCK_NONBLOCK`, 2048): whether it does is one for all who have it, and
 * where no descriptors are left libuv accepts until there is nobody more (src/unix/stream.c, `uv__emfile_trick`). Single
 * quotes must not stand in it.
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

/** The lines of the gate that hand the listening socket out, or say `n` where that fails; none without a perl. */
export function listenerLines({ arch, launcher: { perl } }: Facts, gateFd: number): readonly string[] {
  if (perl === null) return [];
  const words = ["--", SENDMSG[arch], String(LISTEN_FD), String(OWN_LOOPBACK_PORT)];
  return [
    `(unset ${PERLS_OWN.join(" ")}; exec ${quoted([perl, "-C0", "-e"])} '${LISTEN}' ${words.join(" ")}) 2>/dev/null || { printf n >&${gateFd}; exit 125; }`,
    `exec ${LISTEN_FD}>&-`,
  ];
}
