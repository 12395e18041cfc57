import { describe, expect, test } from "vitest";
import { LIKELY } from "./kernel.ts";
import { perform } from "./perform.ts";
import { resolve } from "./resolve.ts";
import { type Planted, type Start, worldOf } from "./spec.ts";
import type { Result, Returned, Syscall } from "./syscall.ts";
import { copyOf, type World } from "./world.ts";

const yes = () => true;
const PLANTED: readonly Planted[] = [
  { path: "/w/a", kind: "file", bytes: "bytes of a" },
  { path: "/w/b", kind: "file", bytes: "b" },
  { path: "/w/full/inside", kind: "file" },
  { path: "/w/empty", kind: "folder" },
  { path: "/w/link", kind: "symlink", target: "a" },
  { path: "/dev/null", kind: "device", vnode: "CHARACTER-DEVICE" },
  { path: "/vol", kind: "volume", isCaseSensitive: true },
];

/** A world in which calls are made one after another, and how the last one ended. */
function made(calls: readonly Syscall[], start: Start = {}, planted = PLANTED) {
  const world = worldOf(planted, { cwd: "/w", ...start });
  const results = calls.map((call) => perform(world, call, yes));
  return { world, last: ended(results.at(-1)) };
}

const ended = (result: Result | undefined): Returned | string | undefined =>
  result?.kind === "done" ? result.returned : result?.errno;

const text = (world: World, path: string): string | undefined => {
  const place = resolve(world, path);
  return place.kind === "found" && place.node.vnode === "REGULAR-FILE" ? place.node.bytes : undefined;
};

const names = (world: World, path: string): readonly string[] => {
  const listed = perform(world, { call: "readdir", path }, yes);
  return listed.kind === "done" && listed.returned.is === "names" ? listed.returned.names : [];
};

const rename = (from: string, to: string): Syscall => ({ call: "rename", from, to });
const open = (path: string, access: "read" | "write" | "read-write" = "read"): Syscall => ({
  call: "open",
  path,
  access,
});
const read: Syscall = { call: "read", descriptor: "newest" };
const write = (bytes: string): Syscall => ({ call: "write", descriptor: "newest", bytes });

describe("the sandbox's no", () => {
  test("is EPERM with the first question that got it, and nothing is done", () => {
    const world = worldOf(PLANTED, { cwd: "/w" });
    const before = new Map(world.nodes);
    const noCreate = ({ operation }: { operation: string }) => operation !== "file-write-create";
    expect(perform(world, rename("a", "b"), noCreate)).toEqual({
      kind: "refused",
      errno: "EPERM",
      query: { operation: "file-write-create", path: "/w/b", vnode: "REGULAR-FILE" },
    });
    expect(world.nodes).toEqual(before);
  });
});

describe("a copy of a world", () => {
  test("is changed apart from it", () => {
    const world = worldOf(PLANTED, { cwd: "/w" });
    const copy = copyOf(world);
    perform(copy, rename("a", "c"), yes);
    perform(copy, open("c", "write"), yes);
    perform(copy, write("X"), yes);
    perform(copy, { call: "chdir", path: "/" }, yes);
    expect([text(copy, "/w/c"), text(world, "/w/a"), names(world, "/w"), world.descriptors.size]).toEqual([
      "Xytes of a",
      "bytes of a",
      ["a", "b", "full", "empty", "link"],
      0,
    ]);
    expect(resolve(world, "a")).toMatchObject({ path: "/w/a" });
  });
});

describe("an open file", () => {
  test("is read and written by the rights that it was opened with", () => {
    expect(made([open("a"), read]).last).toEqual({ is: "bytes", bytes: "bytes of a" });
    expect(made([open("a"), write("x")]).last).toBe("EBADF");
    expect(made([open("a", "write"), read]).last).toBe("EBADF");
    expect(text(made([open("b", "read-write"), write("longer")]).world, "/w/b")).toBe("longer");
    expect(made([open("full"), read]).last).toBe("EISDIR");
    expect(made([open("/dev/null", "read-write"), write("x"), read]).last).toEqual({
      is: "bytes",
      bytes: "",
    });
  });

  test("is made when it is not there, in the spelling that was asked for", () => {
    const call = { call: "open", path: "New", access: "write", creates: "exclusive" } as const;
    const { world, last } = made([call, write("x"), call]);
    expect(last).toBe("EEXIST");
    expect(text(world, "/w/new")).toBe("x");
    expect(names(world, "/w")).toContain("New");
  });

  test("is emptied by opening to truncate", () => {
    expect(text(made([{ call: "open", path: "a", access: "write", truncates: true }]).world, "/w/a")).toBe(
      "",
    );
  });

  test("is read without a question after it is renamed, replaced or removed", () => {
    const world = worldOf(PLANTED, { cwd: "/w" });
    for (const call of [
      open("a", "read-write"),
      rename("a", "full/x"),
      { call: "unlink", path: "full/x" },
    ] as const)
      perform(world, call, yes);
    expect(ended(perform(world, read, () => false))).toEqual({ is: "bytes", bytes: "bytes of a" });
    expect(ended(perform(world, write("X"), () => false))).toEqual({ is: "nothing" });
  });

  test("is at its new path after a rename", () => {
    const planted: readonly Planted[] = [
      { path: "/dev/tty", kind: "device", vnode: "TTY" },
      { path: "/dev/other", kind: "folder" },
    ];
    const tty = worldOf(planted, { descriptors: { 0: "/dev/tty" } });
    perform(tty, rename("/dev/tty", "/dev/other/t"), yes);
    const asked: (string | undefined)[] = [];
    perform(tty, { call: "ioctl", descriptor: 0, command: 1 }, ({ path }) => asked.push(path) > 0);
    expect(asked).toEqual(["/dev/other/t"]);
  });

  test("of a folder goes with the folder", () => {
    const asked: (string | undefined)[] = [];
    const world = worldOf(PLANTED, { cwd: "/w" });
    perform(world, open("full"), yes);
    perform(world, rename("full", "moved"), yes);
    const call = { call: "open", path: "inside", access: "read", at: "newest" } as const;
    perform(world, call, ({ path }) => asked.push(path) > 0, LIKELY);
    expect(asked).toEqual(["/w/moved", "/w/moved/inside"]);
  });

  test.each([
    [{ call: "open", path: "link", access: "read", isNofollow: true }, "ELOOP"],
    [{ call: "open", path: "full", access: "write" }, "EISDIR"],
    [{ call: "open", path: "full", access: "read", creates: "or-opens" }, "EISDIR"],
    [{ call: "open", path: "none", access: "read" }, "ENOENT"],
    [{ call: "open", path: "new/", access: "write", creates: "or-opens" }, "EISDIR"],
    [{ call: "open", path: "link", access: "write", creates: "exclusive" }, "EEXIST"],
    [{ call: "open", path: "x", access: "read", at: 7 }, "EBADF"],
  ] satisfies (readonly [Syscall, string])[])("%o is %s", (call, errno) => {
    expect(made([call]).last).toBe(errno);
  });
});

describe("a rename", () => {
  test("takes a folder with all that is in it", () => {
    const { world } = made([rename("full", "empty/moved")]);
    expect(names(world, "/w/empty/moved")).toEqual(["inside"]);
    expect(resolve(world, "/w/empty/moved/..")).toMatchObject({ path: "/w/empty" });
  });

  test("replaces a file, and an empty folder by a folder", () => {
    expect(text(made([rename("a", "b")]).world, "/w/b")).toBe("bytes of a");
    expect(names(made([rename("full", "empty")]).world, "/w/empty")).toEqual(["inside"]);
  });

  test("changes the spelling alone", () => {
    const { world } = made([rename("a", "A")]);
    expect([names(world, "/w"), text(world, "/w/a")]).toEqual([
      ["b", "full", "empty", "link", "A"],
      "bytes of a",
    ]);
  });

  test("of one name of a file over another does nothing", () => {
    const { world } = made([{ call: "link", from: "a", to: "c" }, rename("a", "c")]);
    expect([text(world, "/w/a"), text(world, "/w/c")]).toEqual(["bytes of a", "bytes of a"]);
  });

  test("keeps the working folder in what is moved", () => {
    const { last } = made([
      { call: "chdir", path: "full" },
      rename("../full", "../moved"),
      { call: "getcwd" },
    ]);
    expect(last).toEqual({ is: "text", text: "/w/moved" });
  });

  test("of a link is of the link; after a slash, of what it leads to", () => {
    const { world } = made([{ call: "symlink", target: "full", path: "l" }, rename("l/", "moved")]);
    expect(names(world, "/w/moved")).toEqual(["inside"]);
  });

  test.each([
    ["full", "full/sub", "EINVAL"],
    ["full", "a", "ENOTDIR"],
    ["a", "full", "EISDIR"],
    ["empty", "full", "ENOTEMPTY"],
    ["a", "/vol/a", "EXDEV"],
    ["/vol", "/other", "EBUSY"],
    ["empty/.", "x", "EINVAL"],
    ["a", "new/", "ENOENT"],
    ["none", "x", "ENOENT"],
  ])("%s to %s is %s", (from, to, errno) => {
    expect(made([rename(from, to)]).last).toBe(errno);
  });

  test("exchanges two names", () => {
    const { world } = made([{ call: "swap", from: "a", to: "full" }]);
    expect([names(world, "/w/a"), text(world, "/w/full")]).toEqual([["inside"], "bytes of a"]);
    expect(resolve(world, "/w/a/..")).toMatchObject({ path: "/w" });
    expect(made([{ call: "swap", from: "full", to: "full/inside" }]).last).toBe("EINVAL");
  });
});

describe("links and clones", () => {
  test("a hard link is the same file; its bytes go when the last name goes", () => {
    const calls: readonly Syscall[] = [
      { call: "link", from: "link", to: "c" },
      open("c", "write"),
      write("X"),
      { call: "unlink", path: "c" },
    ];
    expect(text(made(calls).world, "/w/a")).toBe("Xytes of a");
  });

  test("a clone is another file with the same bytes", () => {
    const { world } = made([{ call: "clonefile", from: "a", to: "c" }, open("c", "write"), write("X")]);
    expect([text(world, "/w/a"), text(world, "/w/c")]).toEqual(["bytes of a", "Xytes of a"]);
  });

  test("a folder's clone has all that is in it, where there is such a thing", () => {
    const world = worldOf(PLANTED, { cwd: "/" });
    perform(world, { call: "clonefile", from: "/w", to: "/w/copy" }, yes, { ...LIKELY, clonesFolders: true });
    expect(names(world, "/w/copy")).toEqual(["a", "b", "full", "empty", "link"]);
    expect(resolve(world, "/w/copy/full/inside")).toMatchObject({ path: "/w/copy/full/inside" });
  });

  test.each([
    [{ call: "link", from: "full", to: "x" }, "EPERM"],
    [{ call: "link", from: "a", to: "b" }, "EEXIST"],
    [{ call: "link", from: "a", to: "/vol/a" }, "EXDEV"],
    [{ call: "clonefile", from: "a", to: "/vol/a" }, "EXDEV"],
    [{ call: "symlink", target: "a", path: "b" }, "EEXIST"],
    [{ call: "mkdir", path: "a" }, "EEXIST"],
    [{ call: "unlink", path: "full" }, "EPERM"],
    [{ call: "rmdir", path: "full" }, "ENOTEMPTY"],
    [{ call: "rmdir", path: "a" }, "ENOTDIR"],
    [{ call: "rmdir", path: "empty/." }, "EINVAL"],
    [{ call: "readlink", path: "a" }, "EINVAL"],
    [{ call: "readdir", path: "a" }, "ENOTDIR"],
    [{ call: "chdir", path: "a" }, "ENOTDIR"],
    [{ call: "getxattr", path: "a", name: "none" }, "ENOATTR"],
    [{ call: "chown", path: "a", owner: 0 }, "EPERM"],
  ] satisfies (readonly [Syscall, string])[])("%o is %s", (call, errno) => {
    expect(made([call]).last).toBe(errno);
  });
});

test("attributes are what they were set to", () => {
  const { world, last } = made([
    { call: "setxattr", path: "a", name: "tag", value: "red" },
    { call: "chmod", path: "a", mode: 0o600 },
    { call: "truncate", path: "a", length: 5 },
    { call: "getxattr", path: "a", name: "tag" },
  ]);
  expect(last).toEqual({ is: "text", text: "red" });
  expect(ended(perform(world, { call: "stat", path: "link" }, yes))).toMatchObject({
    mode: 0o600,
    sizeBytes: 5,
  });
});
