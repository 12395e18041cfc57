import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AbsolutePath, namesOf } from "../../../src/profile/path.ts";
import type { Descriptor } from "../../../src/worker/descriptor.ts";
import { GrantedFolders } from "../../../src/worker/grants.ts";
import { PathDescriptor } from "../../../src/worker/path-descriptor.ts";
import { FOLDS_CASE } from "../../support/folds-case.ts";
import { masks, TestTree } from "../../support/worker/tree.ts";

/** A folder, reached name by name. */
function folderAt(path: AbsolutePath): Descriptor {
  return namesOf(path).reduce<Descriptor>((folder, name) => folder.folder(name), PathDescriptor.root());
}

const CHANGED = /^CHANGED/;

describe("an inode that is known by its path", () => {
  test("is read as it is, and not when another stands there by now, file or link", () => {
    using tree = new TestTree();
    const path = tree.file("a", "old");
    const found = folderAt(tree.path()).place("a");
    const text = (): string => {
      using content = found.content();
      const bytes = Buffer.alloc(9);
      return bytes.toString("utf8", 0, readSync(content.fd, bytes));
    };
    expect(text()).toBe("old");
    renameSync(path, join(tree.outside, "a"));
    expect(text).toThrow(CHANGED);
    writeFileSync(path, "theirs");
    expect(text).toThrow(CHANGED);
    renameSync(path, join(tree.root, "b"));
    symlinkSync(join(tree.outside, "a"), path);
    expect(text).toThrow(CHANGED);
  });

  test("lies where it was found only while no folder on the way was exchanged, for a link to it neither", () => {
    using tree = new TestTree();
    tree.file("d/e/a");
    const found = folderAt(tree.path("d/e")).place("a");
    const isThere = (): boolean => found.isAt(tree.path("d/e/a"));
    expect([isThere(), found.isAt(tree.path("d/a"))]).toEqual([true, false]);
    renameSync(tree.path("d"), join(tree.outside, "d"));
    expect(isThere()).toBe(false);
    symlinkSync(join(tree.outside, "d"), tree.path("d"));
    expect(isThere()).toBe(false);
    renameSync(tree.path("d"), tree.path("link"));
    renameSync(join(tree.outside, "d"), tree.path("d"));
    expect(isThere()).toBe(true);
  });

  test("no name is used, and none is listed, in a folder that is elsewhere by now", () => {
    using tree = new TestTree();
    tree.file("d/a");
    const folder = folderAt(tree.path("d"));
    expect([folder.child("a"), folder.names()]).toEqual([tree.path("d/a"), ["a"]]);
    renameSync(tree.path("d"), join(tree.outside, "d"));
    mkdirSync(tree.path("d"));
    for (const use of [
      () => folder.child("a"),
      () => folder.names(),
      () => folder.place("a"),
      () => folder.stat(),
    ])
      expect(use).toThrow(CHANGED);
  });

  test("a link is no folder, and gets no second name; a file does", () => {
    using tree = new TestTree();
    tree.file("d/a", "here");
    symlinkSync("d", tree.path("l"));
    const folder = folderAt(tree.path());
    expect(() => folder.folder("l")).toThrow("ENOTDIR");
    expect(() => folder.link("l", folder, "m")).toThrow("EOPNOTSUPP");
    folder.folder("d").link("a", folder, "b");
    expect(readFileSync(tree.path("b"), "utf8")).toBe("here");
    expect(() => folder.folder("d").link("a", folder, "b")).toThrow("EEXIST");
  });
});

describe("a name is the disk's own", () => {
  test("which is the one asked for, of files and links, with a second name too, and of what is not there", () => {
    using tree = new TestTree();
    tree.file("b");
    linkSync(tree.file("a"), tree.path("second"));
    symlinkSync("a", tree.path("l"));
    const folder = folderAt(tree.path());
    const names = ["a", "second", "l", "none", "b"];
    expect(names.map((name) => folder.spelled(name))).toEqual(names);
    expect(folder.spelled("B")).toBe(FOLDS_CASE ? "b" : "B");
  });

  test("where names that differ in case may be one, a mask covers each spelling; else the one it says", () => {
    using tree = new TestTree();
    const profile = tree.profile({ masks: masks("**/.env") });
    const accessWith = (foldsCase: boolean): readonly string[] => {
      const grants = new GrantedFolders(profile, { root: PathDescriptor.root(), foldsCase });
      return [".env", ".ENV", ".environment"].map((name) => grants.access(tree.path(name), "file"));
    };
    expect(accessWith(true)).toEqual(["none", "none", "write"]);
    expect(accessWith(false)).toEqual(["none", "write", "write"]);
  });
});

test("what is granted is held without a descriptor", () => {
  using tree = new TestTree();
  const { descriptor, path } = new GrantedFolders(tree.profile(), {
    root: PathDescriptor.root(),
    foldsCase: true,
  }).nearest(tree.path("a"));
  expect([path, descriptor.isAt(tree.path()), lstatSync(tree.root, { bigint: true }).ino]).toEqual([
    tree.path(),
    true,
    descriptor.stat().ino,
  ]);
});
