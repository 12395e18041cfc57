import type { Query } from "../../sbpl/query.ts";
import { TIOCSTI } from "../../sbpl/world/calls/open.ts";

/** What the kernel asks for an act that is no plain work on files, and for its twin where that is inside. */
export interface Asked {
  readonly attack: readonly Query[];
  readonly twin?: readonly Query[];
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
      twin: flags(`${ws}/free/13/locked`),
    },
    "fs.read: a program outside cannot be run": {
      attack: running(`${outside}/program`),
      twin: running(`${ws}/program`),
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
    "net.none: nor by a datagram": { attack: [inet("network-outbound", "udp", "127.0.0.1", 9)] },
    "net.none: no datagram leaves for an address of the documentation's own": {
      attack: [inet("network-outbound", "udp", "192.0.2.1", 9)],
    },
    "net.none: no name is resolved": {
      attack: [unix("network-outbound", "/private/var/run/mDNSResponder")],
    },
    "net.none: the machine's resolvers are not told": service("com.apple.SystemConfiguration.configd"),
    "net.none: nothing listens on loopback unless `listen` is given": { attack: listening, twin: listening },
    "sock: a socket in a folder that nobody granted cannot be reached": {
      attack: [unix("network-outbound", `${outside}/socket`)],
    },
    "sock: nor one of the host's in a granted folder": { attack: [unix("network-outbound", `${ws}/socket`)] },
    "sock: nor by a link to it that is made in the call's own place": {
      attack: [unix("network-outbound", `${outside}/socket`)],
      twin: own,
    },
    "proc: no process of the host can be signalled": { attack: [{ operation: "signal", target: "others" }] },
    "proc: the list of processes is refused unless `processes` is given": {
      attack: [named("sysctl-read", "kern.proc.all")],
      twin: [named("sysctl-read", "kern.proc.all")],
    },
    "proc: nor is it had by another call": {
      attack: [{ operation: "process-info-listpids", target: "others" }],
    },
    "proc: the words and variables of another process of this user are not told": {
      attack: [named("sysctl-read", "kern.procargs2")],
    },
    "proc: nothing is told about a process outside": {
      attack: [{ operation: "process-info-pidinfo", target: "others" }],
    },
    "priv: a variable of the kernel that is not listed is not read": {
      attack: [named("sysctl-read", "kern.bootsessionuuid")],
      twin: [named("sysctl-read", "hw.ncpu")],
    },
    "services: no semaphore is had by a name unless `python` is given": {
      attack: [named("ipc-posix-sem-create", "/cofferdam-1")],
      twin: [named("ipc-posix-sem-create", "/cofferdam-1")],
    },
    "services: no memory is shared by a name": {
      attack: [named("ipc-posix-shm-write-create", "/cofferdam-1")],
    },
    "services: nor by a number of System V": { attack: [{ operation: "ipc-sysv-shm" }] },
    "services: LaunchServices, which opens applications, answers nobody": service(
      "com.apple.coreservices.launchservicesd",
    ),
    "services: no pasteboard is read": service("com.apple.pasteboard.1"),
    "services: what rights take a password is not told": service("com.apple.authd"),
    "services: the user's preferences are not told": service("com.apple.cfprefsd.agent"),
    "services: the disks are not told": service("com.apple.DiskArbitration.diskarbitrationd"),
    "services: the index of all files is not searched": service("com.apple.metadata.mds"),
    "services: the accounts of people are not listed": service("com.apple.system.opendirectoryd.api"),
    "identity: what tells this machine from all others is not told": {
      attack: [{ operation: "iokit-get-properties" }],
    },
    "tty: no input can be pushed into a terminal (TIOCSTI)": {
      attack: [character("file-ioctl", "/dev/null", { command: TIOCSTI })],
    },
    "tty: no terminal is made unless `pty` is given": {
      attack: [character("file-read-data", "/dev/ptmx")],
      twin: [character("file-read-data", "/dev/ptmx"), character("file-write-data", "/dev/ptmx")],
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
  "limit: no file grows beyond its size": "a limit of the process",
  "limit: no process opens more files": "a limit of the process",
  "proc: nor by ps, which gains rights when it starts": "refused to every sandbox",
  "priv: a program that gains rights when it starts is not started": "refused to every sandbox",
  "priv: no sandbox of another's rules is entered": "refused to every sandbox",
  "services: the jobs of launchd are not told": "nobody has written down what it asks",
  "services: nor are those of the session at the screen": "nobody has written down what it asks",
  "env: a variable of the caller's that nobody listed cannot be seen": "what the program is handed",
  "env: no variable of the caller's that the loader obeys is handed on": "what the program is handed",
};
