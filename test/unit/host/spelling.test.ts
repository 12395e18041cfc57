import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DARWIN_SPELLING, withoutFirmlink } from "../../../src/host/look/spelling.ts";
import { type AbsolutePath, knownPath } from "../../../src/profile/path.ts";

let top = "";
const at = (name: string): AbsolutePath => knownPath(join(top, name));

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-spelling-")));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

test("what has one spelling keeps it: a folder, a file, its second name, a link, and what lies behind one", () => {
  mkdirSync(at("folder"));
  writeFileSync(at("a"), "");
  linkSync(at("a"), at("second"));
  symlinkSync("folder", at("link"));
  symlinkSync("nowhere", at("dangling"));
  for (const name of ["folder", "a", "second", "link", "dangling"])
    expect(DARWIN_SPELLING.placeOf(knownPath(top), name, lstatSync(at(name)))).toBe(at(name));
  expect(DARWIN_SPELLING.canonical(at("folder"))).toBe(at("folder"));
});

test("a path through the volume of data is the one without it where both lead to one place, and else stays", () => {
  const data = at("Data");
  for (const name of ["same", "other"]) {
    const through = join(data, at(name));
    mkdirSync(dirname(through), { recursive: true });
    writeFileSync(through, "");
    if (name === "same") linkSync(through, at(name));
    else writeFileSync(at(name), "");
  }
  const through = (name: string): AbsolutePath => knownPath(join(data, at(name)));
  expect(withoutFirmlink(through("same"), data)).toBe(at("same"));
  for (const path of [through("other"), through("missing"), at("same"), data])
    expect(withoutFirmlink(path, data)).toBe(path);
});
