import { describe, expect, test } from "vitest";
import { chainOf, isAlwaysKnown, isOperation, isPartOf, OPERATIONS, OUTSIDE_DEFAULT } from "./operations.ts";

describe("an operation's chain", () => {
  test.each([
    ["file-read-data", ["file-read-data", "file-read*", "file*", "default"], "deny"],
    ["file-write-setugid", ["file-write-setugid", "file*", "default"], "deny"],
    ["process-exec", ["process-exec", "process-exec*", "process*", "default"], "deny"],
    ["network-outbound", ["network-outbound", "network*", "default"], "deny"],
    ["signal", ["signal", "default"], "deny"],
    ["default", ["default"], "deny"],
    ["process-info-pidinfo", ["process-info-pidinfo", "process-info*", "process*"], "allow"],
    ["file-map-executable", ["file-map-executable", "file*"], "allow"],
    ["iokit-get-properties", ["iokit-get-properties", "iokit*"], "allow"],
    ["nvram-get", ["nvram-get", "nvram*"], "allow"],
  ] as const)("%s is part of %j, and then it is %s", (operation, operations, end) => {
    expect(chainOf(operation)).toEqual({ operations, end });
  });
});

test("before macOS 12.3 setting the setuid bit was writing", () => {
  expect(chainOf("file-write-setugid", true).operations).toEqual([
    "file-write-setugid",
    "file-write*",
    "file*",
    "default",
  ]);
});

test("no operation is in the table twice, and every chain ends", () => {
  expect(new Set(OPERATIONS).size).toBe(OPERATIONS.length);
  for (const operation of OPERATIONS) {
    expect([operation, chainOf(operation).end]).toEqual([
      operation,
      OUTSIDE_DEFAULT.some((one) => isPartOf(operation, one)) ? "allow" : "deny",
    ]);
  }
});

test("an operation that the table does not have is none", () => {
  expect([isOperation("file-read"), isAlwaysKnown("file-read"), isPartOf("file-read", "default")]).toEqual([
    false,
    false,
    false,
  ]);
  expect(() => chainOf("file-read")).toThrow("no such operation: `file-read`");
});

test("some of what (deny default) does not cover may be missing from a system", () => {
  expect(OUTSIDE_DEFAULT.filter((one) => !isAlwaysKnown(one))).toEqual(["nvram*", "iokit-get-properties"]);
  expect(
    ["file-read*", "file-read-data", "file-write-setugid", "network-outbound"].every(isAlwaysKnown),
  ).toBe(true);
});
