import { expect, it } from "vitest";
import { violationDenials } from "../../../src/call/denials/violations.ts";
import { denialFor } from "../../../src/decide/denial.ts";
import type { Violation } from "../../../src/host/launch/mac/violation.ts";
import type { Layer } from "../../../src/profile/explain.ts";
import { PROTECTED_LAYER } from "../../../src/profile/own-layers.ts";
import { knownPath, ROOT } from "../../../src/profile/path.ts";
import { literalPattern } from "../../../src/profile/pattern.ts";
import { normalProfile } from "../../../src/profile/profile.ts";

const WS = knownPath("/Users/ada/app");
const layer: Layer = {
  name: "config",
  profile: normalProfile({
    files: [{ path: WS, access: "read", suffixes: "any" }],
    macos: ["tls"],
  }),
  sources: new Map(),
};

function told(
  ...refused: readonly (readonly [operation: string, target: string | null])[]
): readonly string[] {
  const violations = refused.map(
    ([operation, target]): Violation => ({
      operation,
      target,
      process: "sh",
      pid: 7,
      parentPid: null,
      atMs: null,
      tag: null,
    }),
  );
  return violationDenials(violations, (question, certainty) => denialFor([layer], question, certainty)).map(
    ({ operation, target, because, remedy }) => `${operation} ${target} | ${because} | ${remedy}`,
  );
}

it("a path is told by the clause that denies it, and what would change that", () => {
  expect(told(["file-write-create", `${WS}/a`])).toEqual([
    `write ${WS}/a | \`${WS}\` has access read (config) | give the folder \`mode: rw\` under \`sandbox.paths\` in the config, if intended`,
  ]);
});

it("no operation on a protected path is told to list its folder: no config can grant it", () => {
  const keys = knownPath("/Users/ada/.ssh");
  const guard: Layer = {
    name: PROTECTED_LAYER,
    profile: normalProfile({
      files: [{ path: ROOT, access: "write", suffixes: "any" }],
      masks: [{ pattern: literalPattern(keys), atMost: "none", ignoreCase: false }],
    }),
    sources: new Map(),
  };
  for (const operation of [
    "file-read-data",
    "file-read-metadata",
    "file-test-existence",
    "file-map-executable",
    "file-write-create",
    "file-write-flags",
    "file-write-owner",
    "file-clone",
  ]) {
    const [{ because = "", remedy = "" } = {}] = violationDenials(
      [{ operation, target: `${keys}/id`, process: "sh", pid: 7, parentPid: null, atMs: null, tag: null }],
      (question, certainty) => denialFor([layer, guard], question, certainty),
    );
    expect([operation, because, remedy]).toEqual([
      operation,
      `the mask \`${keys}\` allows nothing (${PROTECTED_LAYER})`,
      expect.stringMatching(
        /^no config or operator profile can allow it: do it yourself outside the sandbox/,
      ),
    ]);
  }
});

it("what the profile grants and rules are tighter about is told as what the kernel refused", () => {
  const [first = ""] = told(["file-read-data", `${WS}/b`]);
  expect(first).toContain(`the kernel refused file-read-data \`${WS}/b\``);
});

it("a service is told by the group that would grant it; where the group is granted, by the operation", () => {
  expect(told(["mach-lookup", "com.apple.FSEvents"])).toEqual([
    "use the file change events of the system | `watch` is not listed (config) | list `watch` under `sandbox.macos` in the config, if intended",
  ]);
  const [granted = ""] = told(["mach-lookup", "com.apple.trustd.agent"]);
  expect(granted).toContain("the kernel refused mach-lookup `com.apple.trustd.agent`");
});

it("writes come before reads, looks at names on the way last, and each is told once", () => {
  const denials = told(
    ["file-read-metadata", "/Users/ada"],
    ["file-read-data", "/Users/ada/.zshrc"],
    ["file-write-unlink", `${WS}/a`],
    ["file-write-create", `${WS}/a`],
  );
  expect(denials.map((one) => one.split(" |")[0])).toEqual([
    `write ${WS}/a`,
    "read /Users/ada/.zshrc",
    "read /Users/ada",
  ]);
});

it("a path that was cut is not taken for a whole one", () => {
  const [first = ""] = told(["file-write-create", `${WS}/${"a".repeat(40)}…`]);
  expect(first).toContain("the kernel refused file-write-create");
});
