import type { ClaimId } from "../../../src/attacks/claims.ts";

/** How a claim holds on macOS, and how far; the text above the table in SECURITY.md explains the words. */
export const ON_MACOS: Readonly<Record<ClaimId, string>> = {
  "fs.read": "by rules; not for hard links that existed before",
  "fs.write": "by rules; not for hard links that existed before",
  "fs.rename": "by rules",
  "fs.missing":
    "by rules, and the same for a wildcard's names when a path is created under such a name. A folder that is filled under another name and then renamed may bring one along, which the receipt reports",
  own: "by rules",
  planted: "by rules, and by the host",
  "fs.views":
    "no: all processes share one view. HOME and TMPDIR are the call's own folders, without a size limit. The names in `/` are visible",
  "fs.mounts": "no: a mount below a granted path is granted with it",
  "fs.residue": "by the host: nothing is put into a root, and the call's own folder is removed with the call",
  "fs.dest": "by the host: nothing is put into a root",
  suffix: "by rules",
  "files.race": "by the same code, and rules around it",
  "git.exec": "by rules; the host reports new repositories",
  pages: "by the same code",
  "net.none": "by rules; with `sockets: any`, the resolver's socket can be reached too",
  "net.hosts":
    "by rules: one port of loopback can be reached. There, the supervisor's proxy serves all calls and tells them apart by their secrets. A program that got another call's secret counts as that call. With `sockets: any`, the resolver can be asked too",
  "net.open": "as for listed hosts",
  "net.ports":
    "by rules on binding to loopback. Whether a port is free is only tried before. `doctor --attest` finds out whether the kernel keeps every address and other ports closed (`listening`)",
  "net.loopback": "no: all processes share one loopback. Nothing on it is reached while the network is off",
  sock: "by rules, also for sockets in granted folders",
  proc: "in part, by rules: other processes cannot be signalled, traced or listed. A process that ends the start program and its cleanup may outlive the call, which the receipt reports",
  priv: "in part: programs that gain rights do not start, nothing is mounted, and no kernel variable is set. Root's own calls are refused, unless the roots belong to another user or `require_os_sandbox` is off, which the receipt reports",
  sys: "no: no call is filtered by number. Rules refuse set-uid bits",
  services: "by rules: a list of names, and no others",
  tty: "by rules, and the same code",
  env: "by the host; rules refuse access to the environment of other processes",
  identity:
    "in part, by rules: other processes, the list of accounts and the machine's id are refused. The machine's name and single accounts are visible",
  helper: "by the host",
  grants: "by the same code",
  fd: "by the host, and checked by the start program",
  limit:
    "in part: file size, open files, output, processor time and wall time are limited. Memory, processes and scratch space are not, which the receipt reports",
  proof:
    "by the start program, which tries acts of each kind, each with a control, before the program starts",
  "never-weaker": "as a law, and by rules",
  "approve.once": "by the same code",
  "approve.forge": "by the same code",
  "approve.race": "by the same code",
  "approve.deny": "by the same code",
  "approve.bound": "by the same code",
  "approve.cover": "by the same code",
  "approve.review": "by the same code",
  "approve.webhook": "by the same code",
  "http.auth": "by the same code",
  "mcp.gate": "by the same code",
  "journal.chain": "by the same code",
  "config.strict": "by the same code",
  "config.trust": "by the same code",
  "config.live": "by the same code",
};
