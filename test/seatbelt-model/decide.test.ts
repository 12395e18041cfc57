import { describe, expect, test } from "vitest";
import { type CompileOptions, compile } from "./compile.ts";
import { decide } from "./decide.ts";
import type { Query, Reading, SocketEnd } from "./query.ts";
import { EVERY_READING, LEAST_KNOWN, LIKELY } from "./readings.ts";

interface Setting extends CompileOptions {
  readonly reading?: Partial<Reading>;
}

function asking(rules: string, query: Query, { reading: change, ...options }: Setting = {}) {
  const reading = { ...LIKELY, ...change };
  const profile = compile(`(version 1)\n(deny default (with message "none"))\n${rules}`, reading, options);
  if (profile.kind !== "profile") throw new Error(JSON.stringify(profile));
  return decide(profile, query, reading);
}

const allows = (rules: string, query: Query, setting: Setting = {}) => asking(rules, query, setting).allowed;
const read = (path: string, more: Partial<Query> = {}): Query => ({
  operation: "file-read-data",
  path,
  ...more,
});

describe("the rule that decides is told", () => {
  test("with its line and its message", () => {
    const rules =
      '(allow file-read* (subpath "/a"))\n(deny file-read* (literal "/a/b") (with message "why"))';
    expect(asking(rules, read("/a/b"))).toMatchObject({ allowed: false, rule: { line: 4, message: "why" } });
    expect(asking(rules, read("/a/c"))).toMatchObject({ allowed: true, rule: { line: 3, message: null } });
  });

  test("when it is the default, and there is none where no rule speaks", () => {
    for (const precedence of ["specific", "last", "first"] as const) {
      const reading = { precedence };
      expect(asking("", read("/a"), { reading })).toMatchObject({ allowed: false, rule: { line: 2 } });
      expect(asking("", { operation: "process-info-pidinfo" }, { reading })).toEqual({
        allowed: true,
        rule: null,
      });
    }
  });
});

describe("of several rules that hold", () => {
  const rules =
    '(allow file-read* (subpath "/a")) (deny file-read* (subpath "/a/b")) (allow file-read* (subpath "/a/b/c"))';

  test.each([
    ["specific", [true, false, true]],
    ["last", [true, false, true]],
    ["first", [true, true, true]],
  ] as const)("one counts: %s", (precedence, expected) => {
    const paths = ["/a/x", "/a/b/x", "/a/b/c/x"];
    expect(paths.map((path) => allows(rules, read(path), { reading: { precedence } }))).toEqual(expected);
  });

  test("one with a filter counts before a later one without, when the most specific operation counts", () => {
    const without = '(allow file-read* (literal "/a")) (deny file-read*)';
    expect(allows(without, read("/a"))).toBe(true);
    expect(allows(without, read("/a"), { reading: { precedence: "last" } })).toBe(false);
  });

  test("of those without a filter the last counts", () => {
    expect(allows("(allow file-read*) (deny file-read*)", read("/a"))).toBe(false);
    expect(
      allows("(allow file-read*) (deny file-read*)", read("/a"), { reading: { precedence: "first" } }),
    ).toBe(true);
  });

  test("one without a filter counts before those on what the operation is part of", () => {
    expect(allows('(deny file-read-data) (allow file-read* (literal "/a"))', read("/a"))).toBe(false);
  });
});

test("what (deny default) does not cover is denied only by name", () => {
  const query: Query = { operation: "file-map-executable", path: "/a" };
  expect([allows("", query), allows("(deny file-map-executable)", query)]).toEqual([true, false]);
  expect(allows('(deny file-map-executable) (allow file-map-executable (subpath "/a"))', query)).toBe(true);
  expect(allows('(deny file* (literal "/a"))', query)).toBe(false);
});

test("setting the setuid bit was writing before macOS 12.3", () => {
  const query: Query = { operation: "file-write-setugid", path: "/a" };
  const rules = '(allow file-write* (subpath "/"))';
  expect([allows(rules, query), allows(rules, query, { setugidIsWrite: true })]).toEqual([false, true]);
});

describe("a path", () => {
  test.each([
    ['(literal "/a")', ["/a"]],
    ['(path "/a")', ["/a"]],
    ['(literal "/b" "/a/b")', ["/a/b", "/b"]],
    ['(subpath "/a")', ["/a", "/a/b", "/a/b/c"]],
    ['(subpath "/a/")', []],
    ['(subpath "/a//b")', []],
    ['(subpath "/")', ["/", "/a", "/a/b", "/a/b/c", "/ab", "/b"]],
    ['(prefix "/a")', ["/a", "/a/b", "/a/b/c", "/ab"]],
    ['(regex "^/a(/.*)?$")', ["/a", "/a/b", "/a/b/c"]],
    ['(regex "b$" "c$")', ["/a/b", "/a/b/c", "/ab", "/b"]],
    ['(literal "/b") (subpath "/a/b")', ["/a/b", "/a/b/c", "/b"]],
    ['(require-all (subpath "/a") (require-not (subpath "/a/b")))', ["/a"]],
    ['(require-any (literal "/a") (literal "/b"))', ["/a", "/b"]],
    ['(require-not (subpath "/a"))', ["/", "/ab", "/b"]],
    ['(extension "com.apple.sandbox.pty")', []],
    ["(vnode-type DIRECTORY)", []],
  ])("is within %s or not", (filter, expected) => {
    const paths = ["/", "/a", "/a/b", "/a/b/c", "/ab", "/b"];
    expect(paths.filter((path) => allows(`(allow file-read* ${filter})`, read(path)))).toEqual(expected);
  });

  test("may not be below itself", () => {
    const reading = { subpathHasItself: false };
    const paths = ["/", "/a", "/a/b"];
    const within = (folder: string) =>
      paths.filter((path) => allows(`(allow file-read* (subpath "${folder}"))`, read(path), { reading }));
    expect([within("/a"), within("/")]).toEqual([["/a/b"], ["/a", "/a/b"]]);
  });

  test.each([
    ["nowhere", [false, false, false, false]],
    ["paths", [true, true, true, false]],
    ["paths-and-regexes", [true, true, true, true]],
  ] as const)("has its case folded: %s", (foldsCase, expected) => {
    const filters = ['(literal "/A/b")', '(subpath "/A")', '(prefix "/A/")', '(regex "^/A/b$")'];
    const answers = filters.map((filter) =>
      allows(`(allow file-read* ${filter})`, read("/a/B"), { reading: { foldsCase } }),
    );
    expect(answers).toEqual(expected);
  });

  test("has letters beyond ASCII folded, too, and may have bytes that are none", () => {
    const params = new Map([["P", "/É\u0130"]]);
    const rules = '(allow file-read* (subpath (param "P")))';
    const reading = { foldsCase: "paths" } as const;
    expect(allows(rules, read("/é\u0130/\udcff"), { params, reading })).toBe(true);
    expect(allows(rules, read("/é\u0130/\udcff"), { params })).toBe(false);
    expect(allows('(allow file-read* (regex "^/.$"))', read("/\udcff"))).toBe(true);
  });
});

test("a filter on what a question does not say does not hold", () => {
  const query: Query = { operation: "file-read-data" };
  for (const filter of [
    '(literal "/")',
    '(subpath "/")',
    '(prefix "/")',
    '(regex ".*")',
    "(vnode-type TTY)",
  ]) {
    expect([filter, allows(`(allow file-read* ${filter})`, query)]).toEqual([filter, false]);
  }
  expect(allows("(allow signal (target others))", { operation: "signal" })).toBe(false);
  expect(allows('(allow mach-lookup (global-name-regex ".*"))', { operation: "mach-lookup" })).toBe(false);
  expect(allows('(allow network-outbound (remote ip "*:*"))', { operation: "network-outbound" })).toBe(false);
});

test("a kind of file and a command are compared", () => {
  const folder = read("/a", { vnode: "DIRECTORY" });
  expect(allows("(allow file-read* (vnode-type DIRECTORY))", folder)).toBe(true);
  expect(allows("(allow file-read* (vnode-type SYMLINK))", folder)).toBe(false);
  const ioctl: Query = { operation: "file-ioctl", path: "/dev/tty", command: 0x80017472 };
  expect(allows("(allow file-ioctl) (deny file-ioctl (ioctl-command #x80017472))", ioctl)).toBe(false);
  expect(allows("(allow file-ioctl) (deny file-ioctl (ioctl-command #x80017473))", ioctl)).toBe(true);
});

test("a process is of its own sandbox, and others are not", () => {
  const targets = ["self", "same-sandbox", "others"] as const;
  const within = (is: string) =>
    targets.filter((target) => allows(`(allow signal (target ${is}))`, { operation: "signal", target }));
  expect(targets.map(within)).toEqual([["self"], ["self", "same-sandbox"], ["others"]]);
});

test("names are compared whole, by how they begin or with a regex", () => {
  const names = ["com.a", "com.ab", "org.a"];
  const within = (operation: string, filter: string) =>
    names.filter((name) => allows(`(allow ${operation} ${filter})`, { operation, name }));
  expect(within("mach-lookup", '(global-name "com.a" "org.a")')).toEqual(["com.a", "org.a"]);
  expect(within("mach-register", '(local-name-prefix "com.")')).toEqual(["com.a", "com.ab"]);
  expect(within("sysctl-read", '(sysctl-name-regex "^[a-z]*[.]a$")')).toEqual(["com.a", "org.a"]);
  expect(within("ipc-posix-shm-read-data", '(ipc-posix-name "com.ab")')).toEqual(["com.ab"]);
  expect(within("user-preference-read", '(preference-domain "org.a")')).toEqual(["org.a"]);
  expect(within("system-mac-syscall", '(mac-policy-name "com.a")')).toEqual(["com.a"]);
  expect(within("iokit-open", '(iokit-user-client-class "com.a")')).toEqual(["com.a"]);
});

test("sockets are made by their domain, type and protocol", () => {
  const query: Query = {
    operation: "system-socket",
    socket: { domain: "AF_SYSTEM", type: "SOCK_DGRAM", protocol: 2 },
  };
  const filter = (protocol: number) =>
    `(allow system-socket (require-all (socket-domain AF_SYSTEM) (socket-type SOCK_DGRAM) (socket-protocol ${protocol})))`;
  expect([allows(filter(2), query), allows(filter(1), query)]).toEqual([true, false]);
});

describe("a connection", () => {
  const to = (remote: SocketEnd, more: Query["socket"] = {}): Query => ({
    operation: "network-outbound",
    socket: { transport: "tcp", remote, ...more },
  });
  const outbound = (filter: string, query: Query) => allows(`(allow network-outbound ${filter})`, query);
  const hosts = ["127.0.0.1", "::1", "localhost", "::ffff:127.0.0.1", "127.0.0.2", "192.0.2.1", "0.0.0.0"];

  test("to localhost is one to 127.0.0.1 or ::1", () => {
    const within = (filter: string) => hosts.filter((host) => outbound(filter, to({ host, port: 80 })));
    expect(within('(remote ip "localhost:*")')).toEqual(["127.0.0.1", "::1", "localhost"]);
    expect(within('(remote ip "localhost:80")')).toEqual(["127.0.0.1", "::1", "localhost"]);
    expect(within('(remote ip "localhost:81")')).toEqual([]);
    expect(within('(remote ip "*:80")')).toEqual(hosts);
    expect(within("(remote ip)")).toEqual(hosts);
  });

  test("has a transport", () => {
    const udp = to({ host: "192.0.2.1", port: 53 }, { transport: "udp" });
    expect(["ip", "udp", "tcp"].map((one) => outbound(`(remote ${one} "*:*")`, udp))).toEqual([
      true,
      true,
      false,
    ]);
    expect(["ip", "udp", "tcp"].map((one) => outbound(`(remote ${one})`, udp))).toEqual([true, true, false]);
  });

  test("of a socket that nobody bound has a local end that is localhost", () => {
    const query = to({ host: "192.0.2.1", port: 443 });
    expect(
      ['"localhost:*"', '"*:*"', '"localhost:8080"'].map((end) => outbound(`(local ip ${end})`, query)),
    ).toEqual([true, true, false]);
    const bound = to({ host: "192.0.2.1", port: 443 }, { local: { host: "192.0.2.7", port: 8080 } });
    expect(outbound('(local ip "localhost:*")', bound)).toBe(false);
    expect(outbound('(local ip "*:8080")', bound)).toBe(true);
  });

  test("to a path is not one to a host", () => {
    const query: Query = {
      operation: "network-outbound",
      path: "/run/a.sock",
      socket: { domain: "AF_UNIX" },
    };
    const filters = [
      '(remote ip "*:*")',
      '(local ip "*:*")',
      "(remote unix-socket)",
      '(remote unix-socket (path-literal "/run/a.sock"))',
      '(remote unix-socket (literal "/run/b.sock") (subpath "/run"))',
      '(remote unix-socket (path-regex "^/run/b"))',
      '(literal "/run/a.sock")',
      "",
    ];
    expect(filters.map((filter) => outbound(filter, query))).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
      true,
      true,
    ]);
    const filtersOfPath = ["(remote unix-socket)", '(subpath "/")', ""];
    const toHost = to({ host: "127.0.0.1", port: 80 });
    expect(filtersOfPath.map((filter) => outbound(filter, toHost))).toEqual([false, false, true]);
  });
});

test("what listens is asked by its local end", () => {
  const bind = (host: string, port: number): Query => ({
    operation: "network-bind",
    socket: { transport: "tcp", local: { host, port } },
  });
  const rules = '(allow network-bind network-inbound (local ip "localhost:*"))';
  expect(
    [bind("127.0.0.1", 80), bind("192.0.2.7", 80), bind("0.0.0.0", 80)].map((one) => allows(rules, one)),
  ).toEqual([true, false, true]);
  const path: Query = { operation: "network-bind", path: "/run/a.sock" };
  expect(allows('(allow network-bind (local unix-socket (subpath "/run")))', path)).toBe(true);
  expect(allows(rules, path)).toBe(false);
  const everything = ["local", "remote"].map((end) => allows(`(allow network* (${end} unix-socket))`, path));
  expect(everything).toEqual([true, false]);
});

test("a question on no operation is a mistake", () => {
  expect(() => asking("", { operation: "file-read" })).toThrow("no such operation: `file-read`");
});

test("there are as many readings as there are ways to combine what is not known", () => {
  expect(new Set(EVERY_READING.map((one) => JSON.stringify([one, one.knows === LEAST_KNOWN]))).size).toBe(
    144,
  );
});
