import { describe, expect, test } from "vitest";
import { macWith } from "./mac.ts";
import { perform } from "./perform.ts";
import { resolve } from "./resolve.ts";
import { type Planted, worldOf } from "./spec.ts";
import type { Syscall } from "./syscall.ts";
import type { World } from "./world.ts";

/** How a call ends that the sandbox allows. */
const tried = (world: World, call: Syscall): string => {
  const result = perform(world, call, () => true);
  return result.kind === "done" ? "done" : result.errno;
};

describe("plain Unix", () => {
  test("refuses what the mode or the volume does not let the user do", () => {
    const mac = macWith();
    expect(tried(mac, { call: "rename", from: "/Users", to: "/x" })).toBe("EBUSY");
    expect(tried(mac, { call: "mkdir", path: "/new" })).toBe("EROFS");
    expect(tried(mac, { call: "mkdir", path: "/Library/new" })).toBe("EACCES");
    expect(tried(mac, { call: "open", path: "/private/etc/hosts", access: "write" })).toBe("EACCES");
    expect(tried(mac, { call: "unlink", path: "/private/var/run/docker.sock" })).toBe("EACCES");
  });

  test("lets only owners take names out of a sticky folder", () => {
    const planted: readonly Planted[] = [
      { path: "/t", kind: "folder", owner: 0, mode: 0o1777 },
      { path: "/t/other", kind: "file" },
      { path: "/t/own", kind: "file", owner: 501 },
    ];
    const world = worldOf(planted);
    expect(tried(world, { call: "unlink", path: "/t/other" })).toBe("EPERM");
    expect(tried(world, { call: "unlink", path: "/t/own" })).toBe("done");
  });

  test("lets root do all but what the volume refuses", () => {
    const mac = macWith([], { uid: 0 });
    expect(tried(mac, { call: "mkdir", path: "/Library/new" })).toBe("done");
    expect(tried(mac, { call: "mkdir", path: "/new" })).toBe("EROFS");
  });
});

describe("a spec", () => {
  test("that puts two kinds of things at one path is refused", () => {
    const twice: readonly Planted[] = [
      { path: "/a", kind: "file" },
      { path: "/A", kind: "symlink", target: "b" },
    ];
    expect(() => worldOf(twice)).toThrow("`/A` is there already, and is not a symlink");
  });

  test("can give one file two names", () => {
    const world = worldOf([
      { path: "/a", kind: "file", bytes: "x" },
      { path: "/b/c", kind: "hard-link", to: "/a" },
    ]);
    expect(tried(world, { call: "truncate", path: "/b/c", length: 0 })).toBe("done");
    expect(resolve(world, "/a")).toMatchObject({ node: { bytes: "", nlink: 2 } });
  });
});
