import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  eldersOf,
  isBelow,
  keyOf,
  type Listed,
  listProcesses,
} from "../../../../src/host/launch/mac/processes.ts";
import { type AbsolutePath, knownPath } from "../../../../src/profile/path.ts";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "processes-")));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function psThatSays(...lines: readonly string[]): AbsolutePath {
  const ps = join(top, "ps");
  const own = `  ${process.pid}     1 ${process.pid}     0 S+   Thu Aug 20 10:00:00 2026`;
  writeFileSync(ps, `#!/bin/sh\ncat <<'END'\n${[own, ...lines].join("\n")}\nEND\n`);
  chmodSync(ps, 0o755);
  return knownPath(ps);
}

test("a process is the same one while it is about to end, when it has no state", async () => {
  const [, before] = await listProcesses(psThatSays("  501     1   501   501 Ss   Thu Aug 20 10:00:00 2026"));
  const [, after] = await listProcesses(psThatSays("  501     1   501   501      Thu Aug 20 10:00:00 2026"));
  const [, over] = await listProcesses(psThatSays("  501     1   501   501 Z    Thu Aug 20 10:00:00 2026"));
  const key = "501 Thu Aug 20 10:00:00 2026";
  expect([before, after, over].map((one) => (one === undefined ? "" : keyOf(one)))).toEqual([key, key, key]);
  expect([before, after, over].map((one) => one?.isOver)).toEqual([false, false, true]);
});

test("a list without this process is none", async () => {
  await expect(listProcesses(knownPath("/bin/true"))).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
});

test("elders are followed as far as the list goes, also in a circle", () => {
  const one = (pid: number, parent: number): Listed => ({
    pid,
    parent,
    group: pid,
    uid: 0,
    isOver: false,
    startedAt: "",
  });
  const all = new Map(
    [one(2, 1), one(3, 2), one(4, 3), one(5, 6), one(6, 5)].map((each) => [each.pid, each]),
  );
  expect(eldersOf(one(4, 3), all).map(({ pid }) => pid)).toEqual([3, 2]);
  expect(eldersOf(one(5, 6), all).map(({ pid }) => pid)).toEqual([6, 5]);
  expect([1, 2, 3, 4, 5].map((top) => isBelow(one(4, 3), top, all))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
