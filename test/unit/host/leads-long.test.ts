import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { dependsOnWho } from "../../../src/host/look/git/path-targets.ts";
import { leadsTo, wayOf } from "../../../src/host/look/leads.ts";
import { absolutePath } from "../../../src/profile/path.ts";

test.each([
  ["a way through hundreds of names is followed to its end", 400, false],
  ["a way through thousands of names is not, and counts as one that can't be told", 800, true],
])("%s", (_, detours, isTooLong) => {
  const top = absolutePath(realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-leads-"))));
  onTestFinished(() => rmSync(top, { recursive: true }));
  mkdirSync(join(top, "d"));
  symlinkSync("d", join(top, "e0"));
  for (const at of [1, 2, 3]) symlinkSync(`${"d/../".repeat(detours)}e${at - 1}`, join(top, `e${at}`));
  expect(realpathSync(join(top, "e3"))).toBe(join(top, "d"));
  const way = wayOf("e3", top);
  expect([way.isTooLong, way.end]).toEqual([isTooLong, isTooLong ? null : join(top, "d")]);
  expect(way.links[0]).toBe(join(top, "e3"));
  expect(dependsOnWho(way)).toBe(isTooLong);
  expect(leadsTo("e3", top, () => true).kind).toBe(isTooLong ? "missing" : "folder");
});
