/** An operation that the kernel allows or refuses, on a target in the trial's folder or on this machine's loopback. */
export type Act =
  | { readonly kind: "start" }
  | { readonly kind: "read" | "write" | "create" | "mkdir" | "remove"; readonly path: string }
  | { readonly kind: "rename" | "swap" | "link" | "clone"; readonly from: string; readonly to: string }
  | { readonly kind: "connect" | "bind"; readonly host: string; readonly port: number }
  | { readonly kind: "connect-socket"; readonly path: string }
  /** About another process, the machine's registry of devices, its firmware's variables; and loading a library. */
  | { readonly kind: "inspect" | "registry" | "firmware" | "load" }
  /** A sandbox inside this one, which is refused with that status. */
  | { readonly kind: "nest"; readonly status: number };

/** The act as a line of POSIX shell: status 0 means that it was allowed. */
export function lineOf(act: Act): string {
  switch (act.kind) {
    case "start":
      return ":";
    case "read":
      return `: <${word(act.path)}`;
    case "write":
      return `: >>${word(act.path)}`;
    case "create":
      return `: >${word(act.path)}`;
    case "mkdir":
      return `mkdir ${word(act.path)}`;
    case "remove":
      return `perl -e 'unlink($ARGV[0]) or exit 1' ${word(act.path)}`;
    case "rename":
      return `perl -e 'rename($ARGV[0], $ARGV[1]) or exit 1' ${word(act.from)} ${word(act.to)}`;
    case "link":
      return `perl -e 'link($ARGV[0], $ARGV[1]) or exit 1' ${word(act.from)} ${word(act.to)}`;
    case "swap":
      return `${byNumber(`${RENAMEATX_NP}, ${AT_FDCWD}, $f, ${AT_FDCWD}, $t, ${RENAME_SWAP}`)} ${word(act.from)} ${word(act.to)}`;
    case "clone":
      return `${byNumber(`${CLONEFILEAT}, ${AT_FDCWD}, $f, ${AT_FDCWD}, $t, 0`)} ${word(act.from)} ${word(act.to)}`;
    case "connect":
      return socketLine(`connect(S, ${addressOf(act)})`, act);
    case "bind":
      return socketLine(`bind(S, ${addressOf(act)})`, act);
    case "connect-socket":
      return `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un($ARGV[0])) or exit($! + 0 == ${EPERM} ? 1 : 0)' ${word(act.path)}`;
    case "inspect":
      return `perl -e '$^O eq "darwin" or exit 1; my $b = "\\0" x 512; exit(syscall(${PROC_INFO}, ${PIDINFO}, $ARGV[0], ${PIDTBSDINFO}, 0, $b, 512) > 0 ? 0 : 1)' "$PPID"`;
    case "registry":
      return "ioreg -rd1 -c IOPlatformExpertDevice | grep -q IOPlatformUUID";
    case "firmware":
      return "nvram -p | grep -q .";
    case "load":
      return "perl -MSocket -e 1";
    case "nest":
      return `/usr/bin/sandbox-exec -p '(version 1)(allow default)' /usr/bin/true; [ $? = ${act.status} ]`;
  }
}

/** Syscall numbers and their arguments (bsd/kern/syscalls.master, sys/fcntl.h, sys/stdio.h, sys/proc_info.h). */
const RENAMEATX_NP = 488;
const CLONEFILEAT = 462;
const AT_FDCWD = -2;
const RENAME_SWAP = 2;
const PROC_INFO = 336;
const PIDINFO = 2;
const PIDTBSDINFO = 3;

/** The kernel's error for a refusal by a sandbox. A missing listener does not count. */
const EPERM = 1;

/** Elsewhere the numbers mean other calls. */
function byNumber(call: string): string {
  return `perl -e '$^O eq "darwin" or exit 1; my ($f, $t) = @ARGV; exit(syscall(${call}) == 0 ? 0 : 1)'`;
}

/** Does not wait for an answer: a refusal comes at once. */
function socketLine(call: string, { host }: { readonly host: string }): string {
  const family = host.includes(":") ? "AF_INET6" : "AF_INET";
  return `perl -MSocket -MFcntl -e 'socket(S, ${family}, SOCK_STREAM, 0) or exit 1; fcntl(S, F_SETFL, O_NONBLOCK); ${call} or exit($! + 0 == ${EPERM} ? 1 : 0)'`;
}

function addressOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(":")
    ? `Socket::pack_sockaddr_in6(${port}, Socket::inet_pton(AF_INET6, "${host}"))`
    : `pack_sockaddr_in(${port}, inet_aton("${host}"))`;
}

/** One word of a line. No path of a trial contains a quote. */
function word(text: string): string {
  return `'${text}'`;
}
