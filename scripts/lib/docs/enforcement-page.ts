import type { Protection } from "../../../src/backend/plan.ts";
import { page, table } from "./markdown.ts";

/** The enforcement of each protection on a platform. A new protection does not compile until it has a row. */
const ROWS: Readonly<Record<Protection, readonly [linux: string, macos: string]>> = {
  files: [
    "mounts: a file that is not granted is not there. Git's hooks and configuration cannot be changed, whether they exist or not",
    "rules by path: a file that is not granted cannot be read or written under any of its names. A protected file, and every folder above it, cannot be moved",
  ],
  network: [
    "a loopback of its own. Hosts by name through the egress proxy, all public hosts, or none; or the network of the machine",
    "one port of the loopback, which leads to the egress proxy. Hosts by name, all public hosts, or none; or the network of the machine",
  ],
  sockets: [
    "IPv4, IPv6, unix, and netlink for routes; no other family. Unix sockets of the machine only if they are listed or lie in a granted folder, or none",
    "unix sockets that are listed, and those that the call makes in its own folders, or none",
  ],
  processes: [
    "its own pid namespace. Every process ends with the call, and with the supervisor, however that ends",
    "other processes cannot be signalled, traced or listed. Remaining processes are ended from inside the sandbox. A process may remain if it ends the launcher; the receipt then says so",
  ],
  capabilities: [
    "none, and no new privileges, also as root",
    "set-uid programs never start. Root is refused, unless the roots belong to another user or `require_os_sandbox` is off; the receipt then says so",
  ],
  syscalls: [
    "seccomp, on x86_64 and aarch64: refuses mounts, namespaces, modules, tracing, io_uring, keyrings, terminal input, setuid files, foreign ABIs, and every call that is newer than the list",
    "not by number: rules on what calls do, and everything else is denied. Services of the system only by name",
  ],
  terminal: ["none, or a new one in the sandbox; never the caller's", "none"],
  environment: [
    "only the planned variables, checked before the program starts",
    "only the planned variables, checked before the program starts",
  ],
  descriptors: [
    "only the planned descriptors, checked before the program starts",
    "only the planned descriptors, checked before the program starts",
  ],
  limits: [
    "for each process: CPU, file size, open files. For the whole call: wall time, output, scratch space, processes, and memory if a cgroup can be made",
    "for each process: CPU, file size, open files. For the whole call: wall time, output. No others; the receipt says so",
  ],
};

/** The page that compares both platforms. */
export function enforcementPage(): string {
  return page(
    "Enforcement on Linux and macOS",
    "How each protection of a call is enforced. The receipt of a call says for each one whether it was enforced as the profile says, tighter, in part, or not at all.",
    table(
      ["protection", "Linux, bubblewrap", "macOS, Seatbelt"],
      Object.entries(ROWS).map(([name, [linux, macos]]) => [name, linux, macos]),
    ),
    "`cofferdam doctor` says what this machine can enforce. `cofferdam selftest` attacks the sandbox of this machine. [SECURITY.md](../../SECURITY.md) lists the claims, and what is not protected.",
  );
}
