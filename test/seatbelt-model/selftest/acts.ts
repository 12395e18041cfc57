import type { Query } from "../query.ts";
import { TIOCSTI } from "../world/calls/open.ts";

/** What the kernel asks for an act that is no plain work on files, and for its control where that is inside. */
export interface Asked {
  readonly attack: readonly Query[];
  readonly control?: readonly Query[];
}

const named = (operation: string, name: string): Query => ({ operation, name });
const service = (name: string): Asked => ({ attack: [named("mach-lookup", name)] });
const inet = (operation: string, transport: "tcp" | "udp", host: string, port: number): Query => ({
  operation,
  socket: {
    domain: "AF_INET",
    type: transport === "tcp" ? "SOCK_STREAM" : "SOCK_DGRAM",
    transport,
    ...(operation === "network-outbound" ? { remote: { host, port } } : { local: { host, port } }),
  },
});
const unix = (operation: string, path: string): Query => ({
  operation,
  path,
  vnode: "SOCKET",
  socket: { domain: "AF_UNIX", type: "SOCK_STREAM" },
});
const listening = [
  inet("network-bind", "tcp", "127.0.0.1", 0),
  inet("network-inbound", "tcp", "127.0.0.1", 0),
];
const character = (operation: string, path: string, more: Partial<Query> = {}): Query => ({
  operation,
  path,
  vnode: "CHARACTER-DEVICE",
  ...more,
});

/** By the claim and title of the selftest's cases; what their services are called is written down by nobody but others' profiles. */
export function askedBy({ ws, outside, port, home, tmp }: Places): Readonly<Record<string, Asked>> {
  const own = [unix("network-bind", `${tmp}/own`), unix("network-outbound", `${tmp}/own`)];
  const flags = (file: string): readonly Query[] => [
    { operation: "file-write-flags", path: file, vnode: "REGULAR-FILE" },
  ];
  const running = (path: string): readonly Query[] =>
    ["process-exec", "file-read-data"].map((operation) => ({ operation, path, vnode: "REGULAR-FILE" }));
  return {
    "fs.write: a read-only file cannot be given flags": {
      attack: flags(`${ws}/locked`),
      control: flags(`${ws}/free/13/locked`),
    },
    "fs.read: a program outside cannot be run": {
      attack: running(`${outside}/program`),
      control: running(`${ws}/program`),
    },
    "fs.read: the user's keychain cannot be opened": {
      attack: [
        {
          operation: "file-read-data",
          path: `${home}/Library/Keychains/login.keychain-db`,
          vnode: "REGULAR-FILE",
        },
      ],
    },
    "net.none: a server on this machine's loopback cannot be reached": {
      attack: [inet("network-outbound", "tcp", "127.0.0.1", port)],
    },
    "net.none: a server on this machine's loopback cannot be reached by nc or bash": {
      attack: [inet("network-outbound", "tcp", "127.0.0.1", port)],
    },
    "net.none: no datagram reaches this machine's loopback": {
      attack: [inet("network-outbound", "udp", "127.0.0.1", 9)],
    },
    "net.none: no datagram is sent to an address for documentation": {
      attack: [inet("network-outbound", "udp", "192.0.2.1", 9)],
    },
    "net.none: no name is resolved": {
      attack: [unix("network-outbound", "/private/var/run/mDNSResponder")],
    },
    "net.none: the machine's resolvers are not visible": service("com.apple.SystemConfiguration.configd"),
    "net.none: no program can listen on loopback without `listen`": { attack: listening, control: listening },
    "sock: a socket in a folder that is not granted cannot be reached": {
      attack: [unix("network-outbound", `${outside}/socket`)],
    },
    "sock: a socket of the host in a granted folder cannot be reached": {
      attack: [unix("network-outbound", `${ws}/socket`)],
    },
    "sock: a socket of the host cannot be reached by a new link in the call's own folder": {
      attack: [unix("network-outbound", `${outside}/socket`)],
      control: own,
    },
    "proc: no process of the host can be signalled": { attack: [{ operation: "signal", target: "others" }] },
    "proc: no process in another sandbox can be signalled": {
      attack: [{ operation: "signal", target: "others" }],
    },
    "proc: the list of processes is refused without `processes`": {
      attack: [named("sysctl-read", "kern.proc.all")],
      control: [named("sysctl-read", "kern.proc.all")],
    },
    "proc: another system call does not return the list of processes": {
      attack: [{ operation: "process-info-listpids", target: "others" }],
    },
    "proc: the arguments and variables of another process of this user are not visible": {
      attack: [named("sysctl-read", "kern.procargs2")],
    },
    "proc: no data of a process outside is visible": {
      attack: [{ operation: "process-info-pidinfo", target: "others" }],
    },
    "priv: an unlisted kernel variable cannot be read": {
      attack: [named("sysctl-read", "kern.bootsessionuuid")],
      control: [named("sysctl-read", "hw.ncpu")],
    },
    "services: no named semaphore can be opened without `python`": {
      attack: [named("ipc-posix-sem-create", "/cofferdam-1")],
      control: [named("ipc-posix-sem-create", "/cofferdam-1")],
    },
    "services: no named shared memory can be opened": {
      attack: [named("ipc-posix-shm-write-create", "/cofferdam-1")],
    },
    "services: no System V shared memory can be opened": { attack: [{ operation: "ipc-sysv-shm" }] },
    "services: LaunchServices, which opens applications, does not answer": service(
      "com.apple.coreservices.launchservicesd",
    ),
    "services: no pasteboard can be read": service("com.apple.pasteboard.1"),
    "services: the rights that need a password are not visible": service("com.apple.authd"),
    "services: the user's preferences are not visible": service("com.apple.cfprefsd.agent"),
    "services: the disks are not visible": service("com.apple.DiskArbitration.diskarbitrationd"),
    "services: the index of all files cannot be searched": service("com.apple.metadata.mds"),
    "services: the user accounts are not visible": service("com.apple.system.opendirectoryd.api"),
    "identity: the unique id of this machine is not visible": {
      attack: [{ operation: "iokit-get-properties" }],
    },
    "tty: no input can be pushed into a terminal (TIOCSTI)": {
      attack: [character("file-ioctl", "/dev/null", { command: TIOCSTI })],
    },
    "tty: no terminal can be created without `pty`": {
      attack: [character("file-read-data", "/dev/ptmx")],
      control: [character("file-read-data", "/dev/ptmx"), character("file-write-data", "/dev/ptmx")],
    },
  };
}

interface Places {
  readonly ws: string;
  readonly outside: string;
  readonly port: number;
  readonly home: string;
  readonly tmp: string;
}

/** What is no matter of rules, or of which nobody has written down what the kernel asks. */
export const NOT_ASKED: Readonly<Record<string, string>> = {
  "limit: no file grows beyond `file_size`": "a limit of the process",
  "limit: no process opens more than `open_files`": "a limit of the process",
  "proc: ps, which gains rights when it starts, does not list processes": "refused to every sandbox",
  "priv: a program that gains rights when it starts cannot be started": "refused to every sandbox",
  "priv: no sandbox with other rules can be entered": "refused to every sandbox",
  "services: the jobs of launchd are not visible": "nobody has written down what it asks",
  "services: the jobs of the session at the screen are not visible": "nobody has written down what it asks",
  "env: an unlisted variable of the caller is not visible": "what the program is handed",
  "env: no variable of the caller that affects the loader is visible": "what the program is handed",
};
