import type { MacosGroup } from "../../../src/profile/macos.ts";
import { reaches } from "../../../src/profile/network.ts";
import { knownPath } from "../../../src/profile/path.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { listedSockets } from "../../../src/profile/sockets.ts";
import { CALL, CALL_PARAMETERS, SOCKETS } from "../../support/mac/mac-case.ts";
import type { Query, SocketEnd } from "../query.ts";

/** A question about anything but files, and when a profile gives it. */
export interface Other {
  readonly query: Query;
  readonly isGiven: (profile: Profile) => boolean;
  /** Of what `(deny default)` does not cover: where the first rule counts, a deny at the top may be tighter. */
  readonly isDeniedFirst?: true;
  /** A mask may cover it. */
  readonly isMasked?: true;
}

/** Where the egress proxy of the tests' Mac listens. */
export const PROXY = { host: "127.0.0.1", port: 8_118 } as const;

const never = (): boolean => false;
const always = (): boolean => true;
const to =
  (group: MacosGroup) =>
  ({ macos }: Profile): boolean =>
    macos.includes(group);
const ofHost = ({ network }: Profile): boolean => network === "host";
const hasSockets = ({ sockets }: Profile): boolean => sockets !== "none";
const listens = (profile: Profile): boolean => ofHost(profile) || to("listen")(profile);

const named = (
  operation: string,
  names: readonly string[],
  isGiven: Other["isGiven"] = never,
): readonly Other[] => names.map((name) => ({ query: { operation, name }, isGiven }));

/** About processes, services, variables of the kernel, and whatever else the system has. */
const SYSTEM: readonly Other[] = [
  ...named("mach-lookup", ["com.apple.logd", "com.apple.system.opendirectoryd.libinfo"], always),
  ...named("mach-lookup", ["com.apple.trustd", "com.apple.trustd.agent", "com.apple.ocspd"], to("tls")),
  ...named("mach-lookup", ["com.apple.sysmond"], to("processes")),
  ...named("mach-lookup", ["com.apple.FSEvents"], to("watch")),
  ...named("mach-lookup", ["com.apple.cfprefsd.agent", "com.apple.cfprefsd.daemon"], to("prefs")),
  ...named("mach-lookup", ["com.apple.SystemConfiguration.configd", "com.apple.dnssd.service"], ofHost),
  ...named("mach-lookup", [
    "com.apple.SecurityServer",
    "com.apple.securityd",
    "com.apple.secd",
    "com.apple.security.agent",
    "com.apple.CoreServices.coreservicesd",
    "com.apple.coreservices.launchservicesd",
    "com.apple.coreservices.appleevents",
    "com.apple.coreservices.quarantine-resolver",
    "com.apple.lsd.mapdb",
    "com.apple.pasteboard.1",
    "com.apple.windowserver.active",
    "com.apple.tccd",
    "com.apple.diskarbitrationd",
    "com.apple.nsurlsessiond",
    "com.docker.vmnetd",
    "com.apple.logd2",
    "com.apple.trustd.agents",
    "x.com.apple.logd",
  ]),
  ...named("mach-register", ["com.apple.logd", "a.test"]),
  ...named("mach-per-user-lookup", ["com.apple.logd"]),
  ...named("sysctl-read", ["hw.ncpu", "kern.osversion", "hw.optional.arm64"], always),
  ...named("sysctl-read", ["kern.proc.all", "kern.proc.pid.1", "kern.proc.pgrp.1"], to("processes")),
  ...named("sysctl-read", ["kern.procargs", "kern.procargs2", "kern.ncpu", "net.routetable", "hw.ncpus"]),
  ...named("sysctl-read", ["net.routetable.0.0.3.0"], ofHost),
  ...named("sysctl-write", ["kern.tcsm_enable"], always),
  ...named("sysctl-write", ["kern.grade_cputype"], to("java")),
  ...named("sysctl-write", ["kern.hostname", "hw.ncpu"]),
  ...named("ipc-posix-shm-read-data", ["apple.shm.notification_center"], always),
  ...named("ipc-posix-shm-read-data", ["apple.cfprefs.501v1"], to("prefs")),
  ...named("ipc-posix-shm-write-create", ["/__KMP_REGISTERED_LIB_7"], to("openmp")),
  ...named("ipc-posix-shm-write-data", ["apple.shm.notification_center", "/__KMP_REGISTERED_LIB_7a", "/x"]),
  ...named("ipc-posix-sem-open", ["/mp-1"], to("python")),
  ...named("user-preference-read", ["com.apple.finder"], to("prefs")),
  ...named("user-preference-write", ["com.apple.finder"]),
  ...["self", "same-sandbox", "others"].flatMap((target): readonly Other[] =>
    target === "self" || target === "same-sandbox" || target === "others"
      ? [
          { query: { operation: "signal", target }, isGiven: () => target !== "others" },
          {
            query: { operation: "process-info-pidinfo", target },
            isGiven: () => target !== "others",
            isDeniedFirst: true,
          },
          {
            query: { operation: "mach-priv-task-port", target },
            isGiven: ({ syscalls }) => target !== "others" && syscalls.includes("debug"),
          },
        ]
      : [],
  ),
  { query: { operation: "process-fork" }, isGiven: always },
  { query: { operation: "mach-priv-host-port" }, isGiven: never },
  ...["nvram-get", "nvram-set", "nvram-delete", "iokit-get-properties", "process-info-listpids"].map(
    (operation): Other => ({ query: { operation }, isGiven: never }),
  ),
  ...[
    "lsopen",
    "appleevent-send",
    "distributed-notification-post",
    "generic-issue-extension",
    "job-creation",
    "iokit-open",
    "iokit-set-properties",
    "device-camera",
    "device-microphone",
    "ipc-sysv-shm",
    "system-info",
    "system-fsctl",
    "system-mac-syscall",
  ].map((operation): Other => ({ query: { operation }, isGiven: never })),
];

/** TIOCSTI of `sys/ttycom.h`: what it is given counts as typed. */
const TYPING = 0x80017472;
const OWN_TERMINAL = "com.apple.sandbox.pty";
const TERMINALS = ["/dev/tty", "/dev/ttys000", "/dev/console", "/dev/ptmx", "/dev/null", "/dev/zero"];

const DEVICES: readonly Other[] = [
  { query: { operation: "pseudo-tty" }, isGiven: to("pty"), isMasked: true },
  ...["file-read-data", "file-write-data", "file-ioctl"].flatMap((operation): readonly Other[] => [
    {
      query: { operation, path: "/dev/ttys001", vnode: "TTY", name: OWN_TERMINAL, command: 1 },
      isGiven: to("pty"),
      isMasked: true,
    },
    {
      query: { operation, path: "/dev/ttys001/x", vnode: "TTY", name: OWN_TERMINAL, command: 1 },
      isGiven: never,
    },
    {
      query: { operation, path: "/dev/ptmx", vnode: "CHARACTER-DEVICE", command: 1 },
      isGiven: to("pty"),
      isMasked: true,
    },
    {
      query: { operation, path: "/dev/null", vnode: "CHARACTER-DEVICE", command: 1 },
      isGiven: always,
      isMasked: true,
    },
  ]),
  ...TERMINALS.map(
    (path): Other => ({
      query: { operation: "file-ioctl", path, vnode: "TTY", command: TYPING, name: OWN_TERMINAL },
      isGiven: never,
    }),
  ),
  ...["/dev/disk0", "/dev/rdisk1", "/dev/mem", "/dev/tty", "/dev/ttys000", "/dev/bpf0"].flatMap((path) =>
    ["file-read-data", "file-write-data", "file-ioctl"].map(
      (operation): Other => ({ query: { operation, path, vnode: "CHARACTER-DEVICE" }, isGiven: never }),
    ),
  ),
];

const inet = (
  operation: string,
  local: SocketEnd,
  remote?: SocketEnd,
  transport: "tcp" | "udp" = "tcp",
): Query => ({
  operation,
  socket: { domain: "AF_INET", transport, local, ...(remote === undefined ? {} : { remote }) },
});
const UNBOUND = { host: "0.0.0.0", port: 0 };

/** Whom connections may go to; by a name they only go through the proxy, at its one port, which is the same on ::1. */
function mayReach({ network }: Profile, { host, port }: SocketEnd): boolean {
  if (network === "none") return false;
  if (network === "host") return reaches(network, { host, address: host, port });
  return [PROXY.host, "::1"].includes(host) && port === PROXY.port;
}

const NETWORK: readonly Other[] = [
  ...[
    PROXY,
    { ...PROXY, port: 80 },
    { ...PROXY, port: PROXY.port + 1 },
    { host: "93.184.0.1", port: 443 },
    { host: "93.184.0.1", port: PROXY.port },
    { host: "192.168.0.2", port: PROXY.port },
    { host: "::1", port: 9 },
    { host: "::1", port: PROXY.port },
    { host: "::ffff:127.0.0.1", port: PROXY.port },
    { host: "0.0.0.0", port: PROXY.port },
  ].flatMap((remote): readonly Other[] => [
    {
      query: inet("network-outbound", UNBOUND, remote),
      isGiven: (profile) => mayReach(profile, remote),
    },
    { query: inet("network-outbound", UNBOUND, remote, "udp"), isGiven: ofHost },
  ]),
  ...["network-bind", "network-inbound"].flatMap((operation): readonly Other[] => [
    { query: inet(operation, { host: "127.0.0.1", port: 3_000 }), isGiven: listens },
    { query: inet(operation, { host: "192.168.0.1", port: 3_000 }), isGiven: ofHost },
  ]),
  { query: { operation: "system-socket", socket: { domain: "AF_UNIX" } }, isGiven: hasSockets },
  { query: { operation: "system-socket", socket: { domain: "AF_SYSTEM", protocol: 2 } }, isGiven: ofHost },
  { query: { operation: "system-socket", socket: { domain: "AF_SYSTEM", protocol: 1 } }, isGiven: never },
  { query: { operation: "system-socket", socket: { domain: "AF_ROUTE" } }, isGiven: never },
];

const unix = (operation: string, path: string): Query => ({
  operation,
  path,
  vnode: "SOCKET",
  socket: { domain: "AF_UNIX" },
});
const RESOLVER = "/private/var/run/mDNSResponder";
const AGENTS = [
  "/private/var/run/docker.sock",
  "/private/tmp/com.apple.launchd.x/Listeners",
  "/private/var/run/com.apple.launchd.x/Listeners",
  "/Users/ada/.docker/run/docker.sock",
  "/Users/ada/w/a",
  "/private/var/run/a.sock/x",
];
const OWN = [`${CALL_PARAMETERS.get("TMP") ?? ""}/s`, `${CALL_PARAMETERS.get("HOME") ?? ""}/a/s`];

const UNIX: readonly Other[] = [
  ...SOCKETS.map(
    (path): Other => ({
      query: unix("network-outbound", path),
      isGiven: ({ sockets }) => sockets === "any" || listedSockets(sockets).includes(path),
    }),
  ),
  ...AGENTS.map(
    (path): Other => ({
      query: unix("network-outbound", path),
      isGiven: ({ sockets }) => sockets === "any" || listedSockets(sockets).includes(knownPath(path)),
    }),
  ),
  {
    query: unix("network-outbound", RESOLVER),
    isGiven: (profile) => ofHost(profile) || profile.sockets === "any",
  },
  ...OWN.flatMap((path): readonly Other[] => [
    { query: unix("network-outbound", path), isGiven: hasSockets },
    { query: unix("network-bind", path), isGiven: hasSockets },
    { query: unix("network-inbound", path), isGiven: never },
  ]),
  ...[...SOCKETS, ...AGENTS, `${CALL}/s`].flatMap((path): readonly Other[] => [
    { query: unix("network-bind", path), isGiven: never },
    { query: unix("network-inbound", path), isGiven: never },
  ]),
];

/** Every one of them: asked about each profile. */
export const OTHERS: readonly Other[] = [...SYSTEM, ...DEVICES, ...NETWORK, ...UNIX];
