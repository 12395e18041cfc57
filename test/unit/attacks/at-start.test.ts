import { expect, it, test } from "vitest";
import { attacksAtStart, startTableId } from "../../../src/attacks/at-start.ts";
import { attacksFor } from "../../../src/attacks/table.ts";
import { SOME_TARGET } from "../../support/attack-target.ts";

const PLATFORMS = ["linux", "darwin"] as const;

test("the start-up check tries these acts, and no others", () => {
  const acts = PLATFORMS.map((platform) =>
    attacksAtStart(SOME_TARGET, platform).map(({ claim, atStart }) => `${claim}: ${atStart.act}`),
  );
  expect(acts).toMatchInlineSnapshot(`
    [
      [
        "fs.read: read a file that is not granted",
        "fs.write: write a file that is not granted",
        "fs.views: write into the base",
        "priv: set a kernel variable",
        "priv: remount the base writable",
        "priv: make a user namespace",
        "proc: see a process of the host",
        "net.none: reach a network of the host",
        "fs.write: change the mode of the program of the first process",
        "fs.write: change the mode of a device of the host",
      ],
      [
        "fs.read: read a file that is not granted",
        "fs.write: write a file that is not granted",
        "fs.write: make a file in a folder that is not granted",
        "fs.read: list a folder that is not granted",
        "fs.write: move a file that is not granted",
        "fs.read: run a program that is not granted",
        "proc: signal a process of the host",
        "proc: signal a process in another sandbox",
        "net.none: reach a port of the host",
        "sock: reach a unix socket of the host",
      ],
    ]
  `);
});

it.each(PLATFORMS)(
  "on %s each of them is an attack of the selftest, and no other attack is flagged",
  (platform) => {
    const all = attacksFor(SOME_TARGET, platform);
    const flagged = all.filter(({ atStart }) => atStart !== undefined);
    expect(flagged.map((one) => ({ ...one, on: platform }))).toEqual(attacksAtStart(SOME_TARGET, platform));
  },
);

it.each(PLATFORMS)("on %s none of them needs perl, but where another program may be missing", (platform) => {
  const first = attacksAtStart(SOME_TARGET, platform).map(({ line }) => line.split(" || ")[0]);
  expect(first.filter((line) => line?.includes("perl") === true)).toEqual([]);
});

test("the tables of two platforms have different ids, which stay the same", () => {
  const [linux, darwin] = PLATFORMS.map(startTableId);
  expect(linux).toMatch(/^[0-9a-f]{16}$/);
  expect(linux).not.toBe(darwin);
  expect(startTableId("linux")).toBe(linux);
});
