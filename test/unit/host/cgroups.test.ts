import { mkdtempSync, openSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Cgroups } from "../../../src/host/launch/cgroup/cgroups.ts";
import type { CgroupFiles } from "../../../src/host/launch/cgroup/files.ts";
import { ownCgroups } from "../../../src/host/launch/cgroup/own.ts";
import { findSeats } from "../../../src/host/launch/cgroup/seats.ts";
import { thisHost } from "../../../src/host/look/host.ts";
import type { User } from "../../../src/host/look/user.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { FakeCgroup2 } from "../../support/fake-cgroup2.ts";

const SCOPE = "/user.slice/user-1000.slice/user@1000.service/app.slice/run-1.scope";
const ABOVE = SCOPE.slice(0, SCOPE.lastIndexOf("/"));
const BOUNDS = { memoryBytes: 1024 ** 3, processes: 65, doors: [] };
const START = 4711;
const HELD = { kind: "held", door: null, except: null };

let state = "";
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "cofferdam-cgroups-"));
});
afterEach(() => rmSync(state, { recursive: true }));

function cgroupsIn(files: CgroupFiles, uid = 1000): Cgroups {
  const user: User = { ...thisHost().user, uid };
  return new Cgroups({ user, stateFolder: knownPath(state) }, files);
}

/** What the fake has below the scope, with the random part of names left out. */
const below = (files: FakeCgroup2): readonly string[] =>
  files.state.flatMap((line) =>
    line.startsWith(SCOPE)
      ? [line.slice(SCOPE.length).replace(/cofferdam-[0-9a-f]{16}/, "cofferdam-ID")]
      : [],
  );

describe("in a scope of version 2 that is delegated", () => {
  test("the supervisor goes into a leaf, and calls get cgroups beside it with their bounds", async () => {
    const files = new FakeCgroup2(SCOPE, [SCOPE]);
    using cgroups = cgroupsIn(files);
    expect(cgroups.tree).toEqual({ memory: HELD, pids: HELD });
    const leaf = "/cofferdam self";
    expect(below(files)).toEqual([" > memory pids", leaf]);
    const cgroup = cgroups.make(BOUNDS);
    expect(cgroup.doors).toEqual([]);
    files.put(START, `${SCOPE}/cofferdam`);
    await cgroup.admit(START);
    const call = "memory.max=1073741824 memory.swap.max=0 memory.oom.group=1 pids.max=65 4711";
    expect(below(files)).toEqual([" > memory pids", leaf, `/cofferdam-ID-1 ${call}`]);
    expect(cgroup.reached()).toEqual([]);
    files.end(START);
    await cgroup[Symbol.asyncDispose]();
    expect(below(files)).toEqual([" > memory pids", leaf]);
  });

  test("a limit that is not asked for is not set", async () => {
    const files = new FakeCgroup2(SCOPE, [SCOPE]);
    using cgroups = cgroupsIn(files);
    const call = (bounds: Partial<typeof BOUNDS>) => {
      cgroups.make({ memoryBytes: null, processes: null, doors: [], ...bounds });
      return below(files).at(-1);
    };
    expect(call({ processes: 9 })).toBe("/cofferdam-ID-1 pids.max=9");
    expect(call({ processes: 5_000_000 })).toBe("/cofferdam-ID-2 pids.max=max");
    expect(call({ memoryBytes: 4096 })).toBe(
      "/cofferdam-ID-3 memory.max=4096 memory.swap.max=0 memory.oom.group=1",
    );
  });

  test("a supervisor that one starts is in the leaf already, and makes cgroups beside it too", () => {
    const files = new FakeCgroup2(SCOPE, [SCOPE]);
    using first = cgroupsIn(files);
    const before = files.did.length;
    using second = cgroupsIn(files);
    expect(files.did).toHaveLength(before);
    first.make(BOUNDS);
    second.make(BOUNDS);
    expect(files.list(`/sys/fs/cgroup${SCOPE}`)).toHaveLength(3);
  });

  test("what its processes ran against is told, and so is a cgroup that was taken away", async () => {
    const files = new FakeCgroup2(SCOPE, [SCOPE]);
    using cgroups = cgroupsIn(files);
    const cgroup = cgroups.make(BOUNDS);
    const [, name = ""] = files.list(`/sys/fs/cgroup${SCOPE}`);
    files.set(`${SCOPE}/${name}`, "memory.events", "max 12\noom 3\noom_kill 0\n");
    expect(cgroup.reached()).toEqual([]);
    files.set(`${SCOPE}/${name}`, "memory.events", "max 12\noom 3\noom_kill 2\noom_group_kill 1\n");
    expect(cgroup.reached()).toEqual(["memoryBytes"]);
    files.set(`${SCOPE}/${name}`, "pids.events", "max 7\n");
    expect(cgroup.reached()).toEqual(["memoryBytes", "processes"]);
    files.removeFolder(`/sys/fs/cgroup${SCOPE}/${name}`);
    expect(cgroup.reached()).toBeNull();
    await cgroup[Symbol.asyncDispose]();
  });

  test("a start program that is not in there after all is not let go", async () => {
    const files = new FakeCgroup2(SCOPE, [SCOPE]);
    using cgroups = cgroupsIn(files);
    const cgroup = cgroups.make(BOUNDS);
    await expect(cgroup.admit(START)).rejects.toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
      message: "the process of the call could not join its cgroup: ESRCH",
    });
    files.put(START, `${SCOPE}/cofferdam`);
    files.writeSlowly = async () => undefined;
    await expect(cgroup.admit(START)).rejects.toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
      message: "the sandbox differs from the plan: the start program is not in its cgroup of memory",
    });
  });

  test("one whose bound can't be set is not left behind", () => {
    const files = new FakeCgroup2(SCOPE, [SCOPE]);
    using cgroups = cgroupsIn(files);
    const write = files.write.bind(files);
    files.write = (path, text) => {
      if (path.endsWith("pids.max")) throw Object.assign(new Error(), { code: "EINVAL" });
      write(path, text);
    };
    expect(() => cgroups.make(BOUNDS)).toThrow("the cgroup of the call could not be created: EINVAL");
    expect(below(files)).toEqual([" > memory pids", "/cofferdam self"]);
    expect(cgroups.make({ ...BOUNDS, processes: null }).doors).toEqual([]);
  });

  test("what still runs in it at the end is ended, and then it is removed", async () => {
    const files = new FakeCgroup2(SCOPE, [SCOPE]);
    using cgroups = cgroupsIn(files);
    const cgroup = cgroups.make(BOUNDS);
    files.put(START, `${SCOPE}/cofferdam`);
    await cgroup.admit(START);
    await cgroup[Symbol.asyncDispose]();
    expect(files.did.at(-1)).toMatch(/\/cgroup\.kill 1$/);
    expect(below(files)).toEqual([" > memory pids", "/cofferdam self"]);
  });

  test("where it makes cgroups is written down before the first, until it ends", async () => {
    const trail = join(state, "cgroups");
    const files = new FakeCgroup2(SCOPE, [SCOPE]);
    const cgroups = cgroupsIn(files);
    const cgroup = cgroups.make(BOUNDS);
    expect(readdirSync(trail)).toEqual([expect.stringMatching(/^\d+\.\d+-[0-9a-f]{16}\.json$/)]);
    await cgroup[Symbol.asyncDispose]();
    cgroups[Symbol.dispose]();
    expect(readdirSync(trail)).toEqual([]);
  });
});

describe("where none can be made, it is said why and what would help, and nothing is changed:", () => {
  const systemd = "start cofferdam by `systemd-run --user --scope -p Delegate=yes cofferdam …`";
  const cases: readonly (readonly [
    what: string,
    files: FakeCgroup2,
    uid: number,
    reason: string,
    fix: string,
  ])[] = [
    [
      "somebody else's cgroup",
      new FakeCgroup2("/user.slice/user-1000.slice/session-3.scope", []),
      1000,
      "this user may not create a cgroup in `/user.slice/user-1000.slice/session-3.scope`",
      systemd,
    ],
    [
      "one in which others are too",
      with2(new FakeCgroup2(SCOPE, [SCOPE])),
      1000,
      `process 99 is also in \`${SCOPE}\`, but only calls may be there`,
      systemd,
    ],
    [
      "root's session",
      with2(
        new FakeCgroup2("/user.slice/user-0.slice/session-1.scope", [""]),
        "/user.slice/user-0.slice/session-1.scope",
      ),
      0,
      "process 99 is also in `/user.slice/user-0.slice/session-1.scope`, but only calls may be there",
      "start cofferdam by `systemd-run --scope -p Delegate=yes cofferdam …`",
    ],
    [
      "a container whose cgroups are read-only",
      readOnly(new FakeCgroup2("", [""])),
      0,
      "the cgroup file system is mounted read-only",
      "start the container with a writable /sys/fs/cgroup",
    ],
  ];

  test.each(cases)("%s", (_, files, uid, reason, fix) => {
    const before = files.state;
    using cgroups = cgroupsIn(files, uid);
    const none = { kind: "absent", reason, fix };
    expect(cgroups.tree).toEqual({ memory: none, pids: none });
    expect(files.state).toEqual(before);
    expect(() => cgroups.make(BOUNDS)).toThrow(`the call's cgroup cannot be created: ${reason}`);
  });

  test("the cgroup above is no place for calls, but from a supervisor's leaf: they would leave what bounds this one", () => {
    const files = with2(new FakeCgroup2(SCOPE, [ABOVE]));
    using others = cgroupsIn(files);
    expect(others.tree.memory.kind).toBe("absent");
    files.end(99);
    using alone = cgroupsIn(files);
    expect(alone.tree.memory.kind).toBe("held");
    expect(files.list(`/sys/fs/cgroup${ABOVE}`)).toEqual(["run-1.scope"]);
    using prepared = cgroupsIn(with2(new FakeCgroup2(`${SCOPE}/cofferdam`, [SCOPE]), `${SCOPE}/cofferdam`));
    expect(prepared.tree.memory.kind).toBe("held");
    using elsewhere = cgroupsIn(with2(new FakeCgroup2(`${SCOPE}/other`, [SCOPE]), `${SCOPE}/other`));
    expect(elsewhere.tree.memory.kind).toBe("absent");
  });

  test("a controller that is not handed down is absent by itself", () => {
    const files = new FakeCgroup2(SCOPE, [SCOPE], ["pids"]);
    using cgroups = cgroupsIn(files);
    expect(cgroups.tree).toMatchObject({
      memory: { kind: "absent", reason: `the controller \`memory\` is not enabled in \`${SCOPE}\`` },
      pids: HELD,
    });
    expect(below(files)).toEqual([" > pids", "/cofferdam self"]);
  });

  test("a process that comes in between keeps it from being made ready", () => {
    const files = new FakeCgroup2(SCOPE, [SCOPE]);
    const write = files.write.bind(files);
    files.write = (path, text) => {
      if (path.endsWith("cgroup.subtree_control")) files.put(99, SCOPE);
      write(path, text);
    };
    using cgroups = cgroupsIn(files);
    expect(cgroups.tree.memory).toMatchObject({
      kind: "absent",
      reason: `\`${SCOPE}\` can't be prepared: EBUSY`,
    });
  });
});

test("the root of the hierarchy may hold processes beside calls: nobody has to step aside there", () => {
  const files = new FakeCgroup2("", [""], []);
  files.add("", ["memory", "pids"]);
  files.put(process.pid, "");
  files.put(1, "");
  files.hasSystemd = false;
  using cgroups = cgroupsIn(files, 0);
  expect(cgroups.tree).toEqual({ memory: HELD, pids: HELD });
  cgroups.make({ ...BOUNDS, memoryBytes: null });
  expect(files.list("/sys/fs/cgroup")).toHaveLength(1);
});

describe("in a cgroup of version 1", () => {
  const MOUNTS = [
    "31 30 0:27 / /cg/memory rw - cgroup cgroup rw,memory",
    "32 30 0:28 / /cg/pids rw - cgroup cgroup rw,pids",
  ].join("\n");

  /** What is set of a call's memory, by a kernel that has these control files. */
  function setBy(control: readonly string[]) {
    const told: string[] = [];
    const base = (path: string) => path.slice(path.lastIndexOf("/") + 1);
    const files: CgroupFiles = {
      read: (path) =>
        path.endsWith("mountinfo") ? MOUNTS : path.endsWith("/cgroup") ? "2:memory:/\n1:pids:/\n" : null,
      exists: (path) => control.includes(base(path)),
      list: () => [],
      refusal: () => null,
      write: (path, text) => void told.push(`${base(path)}=${text}`),
      writeSlowly: async () => undefined,
      makeFolder: () => undefined,
      removeFolder: () => undefined,
      open: () => openSync("/dev/null", "r"),
    };
    using cgroups = cgroupsIn(files, 0);
    const cgroup = cgroups.make({ ...BOUNDS, processes: null });
    cgroup.handOver();
    return { told, tree: cgroups.tree };
  }

  test("what TCP holds has a bound of its own where the kernel has one, and never counts as held", () => {
    const swap = "memory.memsw.limit_in_bytes";
    const tcp = "memory.kmem.tcp.limit_in_bytes";
    const limit = "memory.limit_in_bytes=1073741824";
    const has = setBy([swap, tcp]);
    expect(has.told).toEqual([limit, `${swap}=1073741824`, `${tcp}=1073741824`]);
    expect(setBy([swap]).told).toEqual([limit, `${swap}=1073741824`]);
    for (const { tree } of [has, setBy([])])
      expect(tree).toEqual({
        memory: { kind: "held", door: 0, except: expect.stringMatching(/do not count the memory of TCP/) },
        pids: { kind: "held", door: 1, except: null },
      });
  });
});

describe("where this process is, by the kernel's words", () => {
  const V1 = [
    "31 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
    "32 30 0:28 /docker/x /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids",
    "33 30 0:29 / /sys/fs/cgroup/name\\040d rw - cgroup cgroup rw,cpu,cpuacct",
    "34 30 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw",
  ];
  const own = (cgroup: string, mountinfo: readonly string[]) =>
    ownCgroups({
      ...new FakeCgroup2("", []),
      read: (path: string) => (path.endsWith("mountinfo") ? mountinfo.join("\n") : cgroup),
    } as FakeCgroup2);

  test("hierarchies of version 1, one of them seen from inside a container", () => {
    expect(own("5:memory:/a:b\n4:pids:/docker/x/y\n0::/", V1)).toEqual({
      memory: { version: 1, folder: "/sys/fs/cgroup/memory/a:b", path: "/a:b", top: "/sys/fs/cgroup/memory" },
      pids: { version: 1, folder: "/sys/fs/cgroup/pids/y", path: "/docker/x/y", top: "/sys/fs/cgroup/pids" },
    });
  });

  test("a controller bound to neither is of version 2; one that is out of sight is of no use", () => {
    expect(own("4:pids:/docker/other\n0::/u", V1)).toEqual({
      memory: { version: 2, folder: "/sys/fs/cgroup/unified/u", path: "/u", top: "/sys/fs/cgroup/unified" },
      pids: null,
    });
    expect(own("0::/../elsewhere", V1)).toEqual({ memory: null, pids: null });
    expect(own("", [])).toEqual({ memory: null, pids: null });
  });
});

function with2(files: FakeCgroup2, path = SCOPE): FakeCgroup2 {
  files.put(99, path);
  return files;
}

function readOnly(files: FakeCgroup2): FakeCgroup2 {
  files.isReadOnly = true;
  return files;
}

test("on macOS there are none, whatever its files say", () => {
  const files = new FakeCgroup2(SCOPE, [SCOPE]);
  const none = { kind: "absent", reason: "macOS has no cgroups" };
  expect(findSeats(files, 1000, "darwin")).toMatchObject({ memory: none, pids: none });
  expect(findSeats(files, 1000, "linux")).toMatchObject({ memory: { kind: "seat" }, pids: { kind: "seat" } });
});
