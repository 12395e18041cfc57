import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDarwinFolder, openFolder } from "../../../src/host/look/open-folder.ts";
import { knownPath, pathFromBytes } from "../../../src/profile/path.ts";

let top = "";

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-open-folder-")));
  mkdirSync(join(top, "real/a b"), { recursive: true });
  writeFileSync(join(top, "real/a b/file"), "here");
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

function read(path: string): string {
  using folder = openFolder(knownPath(path));
  return readFileSync(folder.child("file"), "utf8");
}

test("a folder is opened by its own path, and by none that a link leads along", () => {
  expect(read(join(top, "real/a b"))).toBe("here");
  symlinkSync("real", join(top, "way"));
  symlinkSync("a b", join(top, "real/last"));
  symlinkSync(join(top, "real"), join(top, "real/a b/back"));
  for (const path of ["way/a b", "real/last", "real/a b/back/a b", "real/a b/file", "real/none"])
    expect(() => read(join(top, path))).toThrow(/ENOTDIR|ELOOP|ENOENT/);
});

test("it stays that folder, wherever it is moved to", () => {
  using folder = openFolder(knownPath(join(top, "real/a b")));
  renameSync(join(top, "real"), join(top, "moved"));
  mkdirSync(join(top, "real/a b"), { recursive: true });
  expect(readFileSync(folder.child("file"), "utf8")).toBe("here");
});

test("names are compared by their bytes: one that only looks the same once decoded is a link's", () => {
  const other = Buffer.concat([Buffer.from(`${top}/`), Buffer.from([0xff])]);
  mkdirSync(other);
  writeFileSync(Buffer.concat([other, Buffer.from("/file")]), "there");
  const path = pathFromBytes(other);
  expect(read(path)).toBe("there");
  mkdirSync(Buffer.concat([other, Buffer.from("/way")]));
  symlinkSync(other, join(top, "\u{fffd}"));
  expect(() => openFolder(knownPath(join(top, "\u{fffd}/way")))).toThrow(/ENOTDIR|ELOOP/);
});

test("no descriptor is left where nothing was opened", () => {
  symlinkSync("real", join(top, "way"));
  const before = readdirSync("/proc/self/fd").length;
  for (let tries = 0; tries < 50; tries += 1)
    expect(() => read(join(top, "way/a b"))).toThrow(/ENOTDIR|ELOOP/);
  expect(readdirSync("/proc/self/fd")).toHaveLength(before);
});

describe("on macOS, by its path", () => {
  const readBy = (path: string): string => {
    using folder = openDarwinFolder(knownPath(path));
    return readFileSync(folder.child("file"), "utf8");
  };

  test("a folder is opened by its own path, and by none that a link leads along", () => {
    expect(readBy(join(top, "real/a b"))).toBe("here");
    symlinkSync("real", join(top, "way"));
    symlinkSync("a b", join(top, "real/last"));
    for (const path of ["way/a b", "real/last", "real/a b/file", "real/none"])
      expect(() => readBy(join(top, path))).toThrow(/ENOTDIR|ELOOP|ENOENT|ESTALE/);
  });

  test("once it was moved nothing is looked up by its path, and again when it is back", () => {
    using folder = openDarwinFolder(knownPath(join(top, "real/a b")));
    renameSync(join(top, "real"), join(top, "moved"));
    expect(() => folder.child("file")).toThrow("ENOENT");
    mkdirSync(join(top, "real/a b"), { recursive: true });
    expect(() => folder.child("file")).toThrow("ESTALE");
    rmSync(join(top, "real"), { recursive: true });
    symlinkSync("moved", join(top, "real"));
    expect(() => folder.child("file")).toThrow("ESTALE");
    rmSync(join(top, "real"));
    renameSync(join(top, "moved"), join(top, "real"));
    expect(readFileSync(folder.child("file"), "utf8")).toBe("here");
  });

  test("no descriptor is left where nothing was opened", () => {
    symlinkSync("real", join(top, "way"));
    const before = readdirSync("/dev/fd").length;
    for (let tries = 0; tries < 50; tries += 1)
      expect(() => readBy(join(top, "way/a b"))).toThrow(/ELOOP|ESTALE/);
    expect(readdirSync("/dev/fd")).toHaveLength(before);
  });
});
