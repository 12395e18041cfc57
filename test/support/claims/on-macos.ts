import type { ClaimId } from "../../../src/selftest/claims.ts";

/** By what a claim holds on macOS, and how far: see the text above the table in SECURITY.md. */
export const ON_MACOS: Readonly<Record<ClaimId, string>> = {
  "fs.read": "by rules, but for hard links that were there before",
  "fs.write": "by rules, but for hard links that were there before",
  "fs.rename": "by rules",
  "fs.missing":
    "by rules, and so for what a wildcard names, when it is made by that name; a folder that is filled under another name and then renamed may bring it along, which the receipt tells",
  own: "by rules",
  planted: "by rules, and by the host",
  "fs.views":
    "no: there is one view for all. HOME and TMPDIR are folders of the call's own, without a bound; the names in `/` are seen",
  "fs.mounts": "no: what is mounted below a granted path is granted with it",
  "fs.residue": "by the host: nothing is put into a root; the call's own folder goes with the call",
  "fs.dest": "by the host: nothing is put into a root",
  suffix: "by rules",
  "files.race": "by the same code, and rules around it",
  "git.exec": "by rules; new repositories are told by the host",
  pages: "by the same code",
  "net.none": "by rules; where every unix socket is given (`sockets: any`), the resolver's is one",
  "net.hosts":
    "rules let one port of loopback be reached, on which the proxy of the supervisor listens for all its calls, and tells them apart by their secrets: a program that was handed another call's is taken for one of that call; with `sockets: any` the resolver can be asked, too",
  "net.open": "as for listed hosts",
  "net.ports":
    "by rules on binding to loopback; that a port is free is only tried before, and whether the kernel keeps every address and other ports shut is what `doctor --attest` finds out (`listening`)",
  "net.loopback": "no: there is one loopback for all, of which nothing is reached while the network is off",
  sock: "by rules, and so for sockets in granted folders",
  proc: "in part: others can't be signalled, traced or listed, by rules; a process that ends the gate and what kills for it may outlive the call, which the receipt says",
  priv: "in part: programs that gain rights do not start, nothing is mounted, no variable of the kernel is set; root's own calls are refused, unless the roots are another user's or `require_os_sandbox` is off, which the receipt says",
  sys: "no: no call is filtered by its number; set-uid bits are refused by rules",
  services: "by rules: a list of names, and no others",
  tty: "by rules, and the same code",
  env: "by the host; what another process was started with is refused by rules",
  identity:
    "in part: other processes, other people's accounts as a list and the machine's id are refused by rules; its name and single accounts are told",
  helper: "by the host",
  grants: "by the same code",
  fd: "by the host, and looked at by the gate",
  limit:
    "in part: file size, open files, output, processor and wall time; memory, processes and scratch space of no call are bounded, which the receipt says",
  proof: "by the gate, which tries acts of each kind, each beside a twin, before the program starts",
  "never-weaker": "as a law, and by rules",
  "approve.once": "by the same code",
  "approve.forge": "by the same code",
  "approve.race": "by the same code",
  "approve.deny": "by the same code",
  "approve.bound": "by the same code",
  "http.auth": "by the same code",
  "mcp.gate": "by the same code",
  "journal.chain": "by the same code",
  "config.strict": "by the same code",
  "config.trust": "by the same code",
};
