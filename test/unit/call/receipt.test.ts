import { expect, test } from "vitest";
import { receiptOf, receiptWithoutSandbox } from "../../../src/call/receipt.ts";
import type { Receipt } from "../../../src/decide/receipt.ts";
import { CofferdamError } from "../../../src/errors.ts";
import type { ReachedBounds } from "../../../src/host/launch/cgroup/cgroup.ts";
import { printMissing } from "../../../src/host/launch/proof.ts";
import { digest } from "../../../src/profile/canonical.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { CLOSED } from "../../../src/profile/profile.ts";

const { enforcement: absent } = receiptWithoutSandbox(0);
const held = {
  files: { kind: "enforced" },
  network: { kind: "enforced" },
  limits: { kind: "enforced" },
} as const;
const enforcement = { ...absent, ...held };

const receiptInput = {
  plan: { backend: "bubblewrap", version: "1", approximations: [], ports: [] },
  granted: digest(CLOSED),
  argsHash: "hash",
  sandbox: { kind: "unavailable", error: new CofferdamError("SANDBOX_UNAVAILABLE", "none") },
  enforcement,
} as const;

function receipt(mountChanges: readonly string[], reached: ReachedBounds = [], isOutOfTime = false): Receipt {
  return receiptOf({ ...receiptInput, mountChanges, reached, isOutOfTime });
}

test("a mask that was lost while a call ran makes the protection of its files partial, and of nothing else", () => {
  expect(receipt([]).enforcement).toEqual(enforcement);
  const lost = receipt(["the mask on /w/.env is gone", "/w/late arrived"]);
  expect(lost.enforcement).toEqual({
    ...enforcement,
    files: { kind: "partial", reason: "the mask on /w/.env is gone; /w/late arrived" },
  });
  expect(lost.mountChanges).toHaveLength(2);
});

test("a path that lost its protection is told by its name and what git may run by it, and its mount only once", () => {
  const [path, other] = [absolutePath("/w/.git/config"), absolutePath("/w/.envrc")];
  const unprotected = [
    { path, runs: ["core.fsmonitor", "hooks/x"] },
    { path: other, runs: [] },
  ];
  const mountChanges = [printMissing(other), printMissing(path), "/w/late arrived"];
  const lost = receiptOf({ ...receiptInput, mountChanges, unprotected, reached: [] });
  expect(lost).toMatchObject({ mountChanges, unprotected });
  expect(lost.enforcement.files).toEqual({
    kind: "partial",
    reason:
      "/w/.git/config lost its protection and could be written (git may run core.fsmonitor, hooks/x); /w/.envrc lost its protection and could be written; /w/late arrived",
  });
});

test("limits that a call ran against are told; where their cgroup was taken away they held in part", () => {
  expect(receipt([], ["memoryBytes"])).toMatchObject({ enforcement, limitsReached: ["memoryBytes"] });
  expect(receipt([], ["memoryBytes"], true).limitsReached).toEqual(["memoryBytes", "cpuSeconds"]);
  expect(receipt([], null, true)).toMatchObject({
    limitsReached: ["cpuSeconds"],
    enforcement: { limits: { kind: "partial" } },
  });
  const lost = receipt([], null);
  expect(lost.limitsReached).toEqual([]);
  expect(lost.enforcement).toEqual({ ...enforcement, limits: expect.objectContaining({ kind: "partial" }) });
});

test("what is told of a call holds for that very call: its profile, its arguments, who ran it", () => {
  expect(receipt([])).toMatchObject({ granted: digest(CLOSED), argsHash: "hash", runAs: -1 });
});

test("a function has a receipt that says of every protection that it was absent", () => {
  const { enforcement: none, ...rest } = receiptWithoutSandbox(1234);
  expect(rest).toEqual({
    backend: "none",
    version: "",
    ports: [],
    granted: null,
    argsHash: null,
    runAs: 1234,
    approximations: [],
    mountChanges: [],
    uncovered: [],
    unprotected: [],
    appeared: { found: [], unknown: null },
    egress: null,
    limitsReached: [],
  });
  const reason = "it ran in the supervisor's own process";
  expect(Object.values(none)).toEqual(Object.keys(none).map(() => ({ kind: "absent", reason })));
  expect(Object.keys(none).length).toBe(10);
});

test("what else did not hold to the end weakens its own protection, beside what was said of that already", () => {
  const shortcomings = [
    { protection: "network", reason: "a" },
    { protection: "network", reason: "b" },
    { protection: "terminal", reason: "c" },
  ] as const;
  const short = receiptOf({ ...receiptInput, mountChanges: [], reached: [], shortcomings });
  expect(short.enforcement).toEqual({ ...enforcement, network: { kind: "partial", reason: "a; b" } });
});
