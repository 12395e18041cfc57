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
import { Volumes } from "../../../src/host/look/volume.ts";
import { type AbsolutePath, knownPath, upwards } from "../../../src/profile/path.ts";
import { FOLDS_CASE } from "../../support/folds-case.ts";

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
  test("folds case where the disk does, and does not where it does not", () => {
    writeFileSync(at("File"), "");
    expect(new Volumes().at(at("File")).foldsCase).toBe(FOLDS_CASE);
    expect(new Volumes().at(knownPath(realpathSync(tmpdir()))).foldsCase).toBe(FOLDS_CASE);
  });

  test.skipIf(FOLDS_CASE)("folds case where a name in another case is the same file", () => {
    writeFileSync(at("File"), "");
    // What a volume would do by itself.
    linkSync(at("File"), at("fILE"));
    expect(new Volumes().at(at("File")).foldsCase).toBe(true);
  });

  test.skipIf(FOLDS_CASE)("does not where it is another file, or none", () => {
    writeFileSync(at("Other"), "");
    expect(new Volumes().at(at("Other")).foldsCase).toBe(false);
    writeFileSync(at("oTHER"), "");
    expect(new Volumes().at(at("Other")).foldsCase).toBe(false);
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

  test.skipIf(FOLDS_CASE)("is looked at once: what is said of a device stays", () => {
    const volumes = new Volumes();
    writeFileSync(at("File"), "");
    expect(volumes.at(at("File")).foldsCase).toBe(false);
    linkSync(at("File"), at("fILE"));
    expect(volumes.at(at("File")).foldsCase).toBe(false);
    expect(new Volumes().at(at("File")).foldsCase).toBe(true);
  });
});
