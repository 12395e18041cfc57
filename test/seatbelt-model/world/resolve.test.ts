import { describe, expect, test } from "vitest";
import { macWith } from "./mac.ts";
import { type Lookup, resolve } from "./resolve.ts";
import { worldOf } from "./spec.ts";
import type { World } from "./world.ts";

const NFC = "caf\u00e9";
const NFD = "cafe\u0301";

const mac = macWith([
  { path: "/Users/me/work/link", kind: "symlink", target: "src" },
  { path: "/Users/me/work/chain", kind: "symlink", target: "/tmp/./hop" },
  { path: "/private/tmp/hop", kind: "symlink", target: "../../Users/me/work/src" },
  { path: "/Users/me/work/dangling", kind: "symlink", target: "made/here" },
  { path: "/Users/me/work/loop", kind: "symlink", target: "loop" },
  { path: "/Users/me/work/empty", kind: "symlink", target: "" },
  { path: "/Users/me/work/out", kind: "symlink", target: "/private/var/folders" },
  { path: `/Users/me/work/${NFC}`, kind: "file" },
  { path: "/Users/me/work/Straße", kind: "file" },
  { path: "/Volumes/Build/File", kind: "file" },
  { path: `/Volumes/Build/${NFD}`, kind: "file" },
  { path: "/Users/me/locked/inside", kind: "file" },
  { path: "/Users/me/locked", kind: "folder", mode: 0o600 },
]);

/** What the kernel matches, what is missing there with a plus, or the failure. */
const told = (path: string, lookup?: Lookup, world: World = mac): string => {
  const place = resolve(world, path, lookup);
  if (place.kind === "fails") return place.errno;
  return place.kind === "missing" ? `+${place.path}` : place.path;
};

const hops = (path: string, lookup?: Lookup): readonly string[] => {
  const place = resolve(mac, path, lookup);
  return place.kind === "fails" ? [] : place.hops.map((hop) => hop.path);
};

describe("a path is matched where it leads", () => {
  test.each([
    ["/tmp", "/private/tmp"],
    ["/tmp/new", "+/private/tmp/new"],
    ["/etc/hosts", "/private/etc/hosts"],
    ["/home", "/System/Volumes/Data/home"],
    ["src/main.c", "/Users/me/work/src/main.c"],
    ["./src//main.c", "/Users/me/work/src/main.c"],
    ["/", "/"],
    ["..", "/Users/me"],
    ["/..", "/"],
    ["link/main.c", "/Users/me/work/src/main.c"],
    ["chain/main.c", "/Users/me/work/src/main.c"],
  ])("%s is %s", (path, canonical) => {
    expect(told(path)).toBe(canonical);
  });

  test("every link on the way is told by its own canonical path", () => {
    expect(hops("chain/main.c")).toEqual(["/Users/me/work/chain", "/tmp", "/private/tmp/hop"]);
  });

  test("`..` is the folder above a link's target, not above the link", () => {
    expect(told("/tmp/../etc/hosts")).toBe("/private/etc/hosts");
    expect(told("link/../../.ssh")).toBe("/Users/me/.ssh");
    expect(told("out/../run")).toBe("/private/var/run");
  });

  test("a relative path starts at the folder that the call names", () => {
    expect(told("x", { from: resolvedId("/private/tmp") })).toBe("+/private/tmp/x");
    expect(told("/x", { from: resolvedId("/private/tmp") })).toBe("+/x");
  });
});

describe("the spelling", () => {
  test("of what exists is the disk's, in every folder on the way", () => {
    expect(told("/USERS/Me/WORK/.ENV")).toBe("/Users/me/work/.env");
    expect(told("/TMP/x")).toBe("+/private/tmp/x");
  });

  test("of what does not exist is the one that was asked for", () => {
    expect(told("/users/ME/work/NEW")).toBe("+/Users/me/work/NEW");
  });

  test("is composed or decomposed as the disk has it, on every volume", () => {
    expect(told(NFD)).toBe(`/Users/me/work/${NFC}`);
    expect(told(NFD.toUpperCase())).toBe(`/Users/me/work/${NFC}`);
    expect(told(`/Volumes/Build/${NFC}`)).toBe(`/Volumes/Build/${NFD}`);
  });

  test("counts on a case-sensitive volume, below its root", () => {
    expect(told("/volumes/BUILD/File")).toBe("/Volumes/Build/File");
    expect(told("/Volumes/Build/file")).toBe("+/Volumes/Build/file");
  });

  test("is folded wholly, and the Turkish i is another letter", () => {
    expect(told("STRASSE")).toBe("/Users/me/work/Straße");
    expect(told("/Users/me/work/.gıt")).toBe("+/Users/me/work/.gıt");
    expect(told("/Users/me/.ſſh/id")).toBe("/Users/me/.ssh/id");
  });
});

describe("a firmlinked folder", () => {
  test("has one canonical path", () => {
    expect(told("/System/Volumes/Data/Users/me/.ssh/id")).toBe("/Users/me/.ssh/id");
    expect(told("/system/volumes/DATA/usr/local/x")).toBe("+/usr/local/x");
    expect(hops("/System/Volumes/Data/Users/me")).toEqual([]);
  });

  test("has the root above it, by either way", () => {
    expect(told("/System/Volumes/Data/Users/../etc/hosts")).toBe("/private/etc/hosts");
  });

  test("may be matched as it was reached, where the kernel is thought to do so", () => {
    const lookup = { firmlinkPaths: "as-given" } as const;
    expect(told("/System/Volumes/Data/Users/me/x", lookup)).toBe("+/System/Volumes/Data/Users/me/x");
    expect(told("/System/Volumes/Data/Users/me", lookup)).toBe("/System/Volumes/Data/Users/me");
    expect(told("/System/Volumes/Data/Users/../tmp/x", lookup)).toBe("+/private/tmp/x");
    expect(told("/System/Volumes/Data/Users/../Users/me", lookup)).toBe("/Users/me");
    expect(told("/home/../Users/me", lookup)).toBe("/System/Volumes/Data/Users/me");
    expect(told("/System/Volumes/Data/Users/me/work/chain", lookup)).toBe("/Users/me/work/src");
  });
});

describe("the last name", () => {
  test("is the link itself when it is not followed", () => {
    expect(told("link", { follows: false })).toBe("/Users/me/work/link");
    expect(hops("/tmp/hop", { follows: false })).toEqual(["/tmp"]);
  });

  test("is followed whenever a slash comes after it", () => {
    expect(told("link/", { follows: false })).toBe("/Users/me/work/src");
    expect(told("src/main.c/")).toBe("ENOTDIR");
  });

  test("of a link that leads nowhere is where something can be made", () => {
    expect(told("dangling")).toBe("ENOENT");
    const world = macWith([
      { path: "/Users/me/work/dangling", kind: "symlink", target: "made/here" },
      { path: "/Users/me/work/made", kind: "folder" },
    ]);
    expect(told("dangling", {}, world)).toBe("+/Users/me/work/made/here");
    expect(told("dangling", { follows: false }, world)).toBe("/Users/me/work/dangling");
  });
});

describe("a path that can't be walked", () => {
  test.each([
    ["", "ENOENT"],
    ["empty", "ENOENT"],
    ["no/where", "ENOENT"],
    ["src/main.c/x", "ENOTDIR"],
    ["src/main.c/..", "ENOTDIR"],
    ["loop", "ELOOP"],
    ["n".repeat(256), "ENAMETOOLONG"],
    ["é".repeat(128), "ENAMETOOLONG"],
    ["./".repeat(512), "ENAMETOOLONG"],
    ["a\udc80", "EILSEQ"],
    ["/Users/me/locked/inside", "EACCES"],
  ])("%j is %s", (path, errno) => {
    expect(told(path)).toBe(errno);
  });

  test("has more than 32 links; 32 are walked", () => {
    const links = (count: number) =>
      worldOf([
        { path: "/end", kind: "file" },
        ...Array.from({ length: count }, (_, at) => ({
          path: `/l${at}`,
          kind: "symlink" as const,
          target: at === 0 ? "end" : `l${at - 1}`,
        })),
      ]);
    expect(told("/l31", {}, links(32))).toBe("/end");
    expect(told("/l32", {}, links(33))).toBe("ELOOP");
  });

  test("is walked by the host, which no mode stops", () => {
    expect(told("/Users/me/locked/inside", { asHost: true })).toBe("/Users/me/locked/inside");
  });

  test("begins in a folder that is gone", () => {
    const world = macWith([{ path: "/Users/me/work/gone", kind: "folder" }], { cwd: "/Users/me/work/gone" });
    const folder = world.nodes.get(world.cwd);
    if (folder !== undefined) world.nodes.set(world.cwd, { ...folder, nlink: 0 });
    expect(told("x", {}, world)).toBe("ENOENT");
    expect(told("..", {}, world)).toBe("ENOENT");
  });
});

function resolvedId(path: string): number {
  const place = resolve(mac, path);
  return place.kind === "found" ? place.node.id : 0;
}
