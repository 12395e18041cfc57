import { expect, test } from "vitest";
import { receiptWithoutSandbox } from "../../../src/call/receipt.ts";
import type { Receipt } from "../../../src/decide/receipt.ts";
import { CofferdamError, type Outcome, toolResult } from "../../../src/index.ts";

const captured = (text: string, tail = "", dropped = Buffer.byteLength(tail)) => ({
  bytes: Buffer.from(text),
  takenBytes: Buffer.byteLength(text),
  droppedBytes: dropped,
  tail: Buffer.from(tail),
});
const receipt = receiptWithoutSandbox(0);
const ran = { code: 0, stdout: captured("out"), stderr: captured(""), receipt, durationMs: 1 };
const denial = {
  operation: "read",
  target: "/x",
  certainty: "certain",
  because: "no entry lists it (config)",
  remedy: "list it",
} as const;
const ONLY_USER =
  "Only the user can change the config or run `cofferdam`: ask them. Repeating the same call does not help before that.";
const told = {
  stdout: "out",
  stderr: "",
  dropped_bytes: 0,
  timed_out: false,
  limits_reached: [],
  denials: [],
};
const reached: Receipt = { ...receipt, limitsReached: ["memoryBytes", "processes", "cpuSeconds"] };

test.each<[what: string, outcome: Outcome, result: unknown]>([
  ["a program that is done", { kind: "done", ...ran }, { type: "success", output: { status: 0, ...told } }],
  [
    "one that failed, with what was denied",
    { kind: "failed", ...ran, code: 2, denials: [denial] },
    { type: "success", output: { status: 2, ...told, denials: [denial] } },
  ],
  [
    "one that ran against limits that can be seen to have been reached",
    { kind: "failed", ...ran, receipt: reached, code: 137 },
    { type: "success", output: { status: 137, ...told, limits_reached: ["memory", "processes", "cpu"] } },
  ],
  [
    "one whose time ran out",
    { kind: "timed-out", ...ran, code: 137 },
    { type: "success", output: { status: 137, ...told, timed_out: true } },
  ],
  [
    "one that said more than is kept, by its start and its end",
    { kind: "done", ...ran, stdout: captured("start", "end", 100) },
    {
      type: "success",
      output: { status: 0, ...told, stdout: "start\n[97 bytes dropped]\nend", dropped_bytes: 97 },
    },
  ],
  [
    "one that said just as much as its start and its end hold, in one piece",
    { kind: "done", ...ran, stdout: captured("start ", "end") },
    { type: "success", output: { status: 0, ...told, stdout: "start end" } },
  ],
  [
    "one that is not there",
    { kind: "not-found", code: 127, reason: "`x` is not there", hint: "install it" },
    { type: "error", error: `Error: \`x\` is not there\nWhat would help: install it\n${ONLY_USER}` },
  ],
  [
    "a value",
    { kind: "done", value: { a: 1 }, receipt, durationMs: 1 },
    { type: "success", output: { a: 1 } },
  ],
  [
    "what a tool threw",
    { kind: "failed", error: new Error("it broke"), receipt, durationMs: 1 },
    { type: "error", error: "Error: it broke" },
  ],
  [
    "what is ours to say of a failure, with what to do",
    {
      kind: "failed",
      error: new CofferdamError("USAGE", "no", { hint: "yes" }),
      receipt: null,
      durationMs: 1,
    },
    { type: "error", error: "Error: no\nWhat would help: yes" },
  ],
  [
    "a text that was thrown",
    { kind: "failed", error: "it broke", receipt, durationMs: 1 },
    { type: "error", error: "Error: it broke" },
  ],
  [
    "a denial, which is no error",
    { kind: "denied", code: "APPROVAL_DENIED", reason: "not today", hint: "" },
    { type: "denied", output: "Denied: not today" },
  ],
  [
    "a denial of the sandbox, with what would help",
    { kind: "denied", code: "DENIED", reason: "no tool may read it", hint: "", denials: [denial] },
    { type: "denied", output: `Denied: no tool may read it\nWhat would help: list it\n${ONLY_USER}` },
  ],
  [
    "what waits for an answer",
    { kind: "pending", code: "APPROVAL_PENDING", approvalId: "id", reason: "write", hint: "" },
    { type: "pending", approvalId: "id", reason: "write" },
  ],
])("a model is told %s", (_, outcome, result) => {
  expect(toolResult(outcome)).toEqual(result);
});
