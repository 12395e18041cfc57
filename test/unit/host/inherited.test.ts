import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  handedByDarwin,
  inheritedDescriptors,
  withoutInherited,
} from "../../../src/host/launch/inherited.ts";

let open = -1;

beforeEach(() => {
  open = openSync("/etc/hosts", "r");
});
afterEach(() => closeSync(open));

/** What descriptor `open` is in a child that is handed it, unless something covers it. */
function contentInside(others: readonly ("ignore" | number)[]): string {
  const stdio: ("ignore" | "pipe" | number)[] = ["ignore", "pipe", "ignore", ...others];
  stdio[open] ??= open;
  const given = Array.from(stdio, (one) => one ?? "ignore");
  return spawnSync("/bin/sh", ["-c", `cat /dev/fd/${open}`], { stdio: given, encoding: "utf8" }).stdout;
}

describe("on macOS", () => {
  test("nothing is handed on to a child of the same user, so that nothing is covered", () => {
    expect(inheritedDescriptors(false, handedByDarwin)).toEqual([]);
    expect(withoutInherited((others) => others, false, handedByDarwin)).toEqual([]);
  });

  test("everything that is open may be handed on to a child of another user, and is covered", () => {
    const inherited = inheritedDescriptors(true, handedByDarwin);
    expect(inherited).toContain(open);
    expect(inherited.filter((fd) => fd <= 2)).toEqual([]);
    expect(withoutInherited(contentInside, true, handedByDarwin)).toBe("");
    expect(withoutInherited(contentInside, false, handedByDarwin)).not.toBe("");
  });
});

test("what this process opened by itself is not handed on", () => {
  expect(inheritedDescriptors()).not.toContain(open);
});
