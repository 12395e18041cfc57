import {
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Volumes } from "../../../src/host/volume.ts";
import { type AbsolutePath, knownPath, upwards } from "../../../src/profile/path.ts";

/** A file system with nothing in it. */
const empty =
  ["/dev/mqueue", "/dev/hugepages"].find(
    (path) =>
      existsSync(path) && statSync(path).dev !== statSync("/dev").dev && readdirSync(path).length === 0,
  ) ?? null;

let top = "";
const at = (name: string): AbsolutePath => knownPath(join(top, name));

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-volume-")));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

describe("a volume", () => {
  test("folds case where a name in another case is the same, and does not where it is not", () => {
    for (const folds of [true, false]) {
      const name = folds ? "File" : "Other";
      writeFileSync(at(name), "");
      // What a volume would do by itself.
      if (folds) linkSync(at(name), at("fILE"));
      expect(new Volumes().at(at(name)).foldsCase).toBe(folds);
    }
  });

  test("begins where the device of what lies above is another", () => {
    const { point } = new Volumes().at(at("missing/too"));
    const device = statSync(top).dev;
    const above = [...upwards(knownPath(top))].filter((one) => statSync(one).dev === device);
    expect(point).toBe(above.at(-1));
  });

  test("of which no name tells is what was said of such", ({ skip }) => {
    if (empty === null) skip("no empty file system is mounted here");
    const told = (untold: boolean) => new Volumes(untold).at(knownPath(empty ?? "/"));
    expect([told(true), told(false)]).toEqual([
      { point: empty, foldsCase: true },
      { point: empty, foldsCase: false },
    ]);
  });

  test("is looked at once: what is said of a device stays", () => {
    const volumes = new Volumes();
    writeFileSync(at("File"), "");
    expect(volumes.at(at("File")).foldsCase).toBe(false);
    linkSync(at("File"), at("fILE"));
    expect(volumes.at(at("File")).foldsCase).toBe(false);
    expect(new Volumes().at(at("File")).foldsCase).toBe(true);
  });
});
