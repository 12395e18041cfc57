import { describe, expect, test } from "vitest";
import { TIOCSTI } from "./calls/open.ts";
import { type Kernel, LAX, LIKELY, STRICT } from "./kernel.ts";
import { macWith } from "./mac.ts";
import { perform, queriesOf } from "./perform.ts";
import type { Address, Syscall } from "./syscall.ts";

const mac = macWith();
const yes = () => true;
const asked = (call: Syscall, kernel: Kernel = LIKELY) => {
  const result = queriesOf(mac, call, kernel);
  return result.kind === "fails" ? result.errno : result.queries;
};

const talk = (call: "connect" | "bind" | "listen", address: Address): Syscall => ({
  call,
  address,
  type: "SOCK_STREAM",
});
const inet = (host: string, port = 80): Address => ({
  family: host.includes(":") ? "AF_INET6" : "AF_INET",
  host,
  port,
});
const unix = (path: string): Address => ({ family: "AF_UNIX", path });

describe("a connection to a port", () => {
  test("asks about its other end; its own is the any-address, which is localhost", () => {
    const tcp = { domain: "AF_INET", type: "SOCK_STREAM", transport: "tcp" };
    const remote = { host: "93.184.0.1", port: 443 };
    expect(asked(talk("connect", inet("93.184.0.1", 443)))).toEqual([
      { operation: "network-outbound", socket: { ...tcp, local: { host: "localhost", port: 0 }, remote } },
    ]);
    expect(asked(talk("connect", inet("93.184.0.1", 443)), STRICT)).toEqual([
      { operation: "network-outbound", socket: { ...tcp, local: { host: "0.0.0.0", port: 0 }, remote } },
    ]);
  });

  test.each([
    ["127.0.0.1", "localhost"],
    ["::1", "localhost"],
    ["::ffff:127.0.0.1", "::ffff:127.0.0.1"],
    ["192.168.1.23", "192.168.1.23"],
  ])("to %s is one to %s", (host, seen) => {
    const queries = asked(talk("connect", inet(host)));
    expect(queries).toMatchObject([{ socket: { remote: { host: seen } } }]);
  });

  test("to the machine's own address is one to localhost, where the kernel is thought to say so", () => {
    expect(asked(talk("connect", inet("192.168.1.23")), LAX)).toMatchObject([
      { socket: { remote: { host: "localhost" } } },
    ]);
  });

  test("by datagrams is udp", () => {
    expect(asked({ call: "connect", address: inet("1.1.1.1", 53), type: "SOCK_DGRAM" })).toMatchObject([
      { socket: { transport: "udp", type: "SOCK_DGRAM" } },
    ]);
  });
});

test("binding and listening ask about the own end", () => {
  const socket = {
    domain: "AF_INET",
    type: "SOCK_STREAM",
    transport: "tcp",
    local: { host: "localhost", port: 80 },
  };
  expect(asked(talk("bind", inet("127.0.0.1")))).toEqual([{ operation: "network-bind", socket }]);
  expect(asked(talk("listen", inet("127.0.0.1")))).toEqual([{ operation: "network-inbound", socket }]);
  expect(asked(talk("bind", inet("0.0.0.0")), STRICT)).toMatchObject([
    { socket: { local: { host: "0.0.0.0" } } },
  ]);
});

test("making a socket asks about its domain, of the Internet's where the kernel is thought to", () => {
  const call = { call: "socket", domain: "AF_INET", type: "SOCK_STREAM", protocol: 6 } as const;
  expect(asked(call)).toEqual([]);
  expect(asked(call, STRICT)).toEqual([
    { operation: "system-socket", socket: { domain: "AF_INET", type: "SOCK_STREAM", protocol: 6 } },
  ]);
  expect(asked({ ...call, domain: "AF_SYSTEM", protocol: 2 })).toEqual([
    { operation: "system-socket", socket: { domain: "AF_SYSTEM", type: "SOCK_STREAM", protocol: 2 } },
  ]);
});

describe("a unix socket", () => {
  const socket = { domain: "AF_UNIX", type: "SOCK_STREAM" };
  const docker = { path: "/private/var/run/docker.sock", vnode: "SOCKET", socket };

  test("is reached by its canonical path, which no file operation is asked about", () => {
    expect(asked(talk("connect", unix("/var/run/DOCKER.sock")))).toEqual([
      { operation: "file-read-metadata", path: "/var", vnode: "SYMLINK" },
      { operation: "network-outbound", ...docker },
    ]);
    expect(perform(mac, talk("connect", unix("/var/run/docker.sock")), yes)).toEqual({
      kind: "done",
      returned: { is: "connected", to: "host" },
    });
  });

  test("is bound where nothing is, listened at, and then reached in the sandbox", () => {
    const world = macWith();
    const path = "/Users/me/work/s";
    expect(asked(talk("bind", unix("s")))).toEqual([
      { operation: "network-bind", path, vnode: "SOCKET", socket },
      { operation: "file-write-create", path, vnode: "SOCKET" },
    ]);
    expect(asked(talk("bind", unix("s")), LAX)).toEqual([
      { operation: "network-bind", path, vnode: "SOCKET", socket },
    ]);
    perform(world, talk("bind", unix("s")), yes);
    expect(perform(world, talk("connect", unix("s")), yes)).toEqual({ kind: "fails", errno: "ECONNREFUSED" });
    expect(queriesOf(world, talk("listen", unix("s")))).toEqual({
      kind: "queries",
      queries: [{ operation: "network-inbound", path, vnode: "SOCKET", socket }],
    });
    expect(queriesOf(world, talk("listen", unix("s")), LAX)).toEqual({ kind: "queries", queries: [] });
    perform(world, talk("listen", unix("s")), yes);
    expect(perform(world, talk("connect", unix("s")), yes)).toEqual({
      kind: "done",
      returned: { is: "connected", to: "sandbox" },
    });
    expect(perform(world, talk("bind", unix("s")), yes)).toEqual({ kind: "fails", errno: "EADDRINUSE" });
  });

  test("that the host listens at can't be taken over, and a file is none", () => {
    expect(asked(talk("listen", unix("/var/run/docker.sock")))).toBe("EINVAL");
    expect(asked(talk("connect", unix("run.sh")))).toBe("ENOTSOCK");
    expect(asked(talk("listen", unix("run.sh")))).toBe("ENOTSOCK");
  });
});

describe("a terminal", () => {
  test("is typed into by a question about its command, at its path", () => {
    expect(asked({ call: "ioctl", descriptor: 0, command: TIOCSTI })).toEqual([
      { operation: "file-ioctl", path: "/dev/ttys000", vnode: "TTY", command: 0x80017472 },
    ]);
  });

  test("is not what every descriptor is", () => {
    const world = macWith([], { descriptors: { 3: "/Users/me/work/run.sh" } });
    expect(queriesOf(world, { call: "ioctl", descriptor: 3, command: 1 })).toEqual({
      kind: "fails",
      errno: "ENOTTY",
    });
    expect(asked({ call: "ioctl", descriptor: 8, command: 1 })).toBe("EBADF");
  });
});
