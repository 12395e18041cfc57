import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { boundedEvent } from "../../../src/event/bounded.ts";
import type { EventBody } from "../../../src/event/event.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

function received(words: string[], cwd = "."): EventBody {
  return { type: "call.received", tool: "shell", words, safeArgs: null, cwd, caller: "agent", agent: null };
}

describe("an event with the texts of a call", () => {
  test("stays as it is up to 16,384 characters a text, 256 texts and 262,144 characters in all", () => {
    for (const words of [
      Array.from({ length: 256 }, () => "x".repeat(1_024)),
      Array.from({ length: 16 }, () => "x".repeat(16_384)),
    ]) {
      const event = received(words, "y".repeat(16_384));
      expect(boundedEvent(event)).toEqual(event);
    }
  });

  test("keeps the first texts of a list with more characters", () => {
    const words = Array.from({ length: 17 }, () => "x".repeat(16_384));
    const whole = sha256(words.map((word) => `${word}\0`).join(""));
    expect(boundedEvent(received(words))).toEqual(
      received([...words.slice(0, 16), `… (cut: 17 texts in total, sha256 ${whole})`]),
    );
  });

  test("keeps the beginning of a longer text, and says how large the whole is and its digest", () => {
    const [script, cwd] = ["é".repeat(20_000), "x".repeat(16_385)];
    expect(boundedEvent(received(["bash", script], cwd))).toEqual(
      received(
        ["bash", `${"é".repeat(16_384)}… (cut: 40000 bytes in total, sha256 ${sha256(script)})`],
        `${"x".repeat(16_384)}… (cut: 16385 bytes in total, sha256 ${sha256(cwd)})`,
      ),
    );
  });

  test("keeps the first texts of a longer list, and says how many there are and their digest", () => {
    const words = Array.from({ length: 257 }, (_, index) => `word ${index}`);
    const whole = sha256(words.map((word) => `${word}\0`).join(""));
    expect(boundedEvent(received(words))).toEqual(
      received([...words.slice(0, 256), `… (cut: 257 texts in total, sha256 ${whole})`]),
    );
  });

  test("can't be given the look of a cut one: what was cut is longer than what was not", () => {
    const forged = `${"x".repeat(16_384)}… (cut: 99999 bytes in total, sha256 ${sha256("")})`;
    expect(boundedEvent(received([forged]))).not.toEqual(received([forged]));
  });

  test.each<EventBody>([
    { type: "call.judged", action: "ask", reason: "x".repeat(99_999), hits: [] },
    { type: "approval.failed", approvalId: "", reason: "x".repeat(99_999) },
    {
      type: "approval.resolved",
      approvalId: "",
      tool: "",
      argsHash: "",
      approved: true,
      scope: "once",
      by: "x".repeat(49_999),
      note: null,
      isEdited: false,
    },
    { type: "approval.auto", argsHash: "", approved: true, by: "x".repeat(99_999) },
    {
      type: "call.planned",
      backend: "",
      granted: "",
      env: Array.from({ length: 9_999 }, () => "x"),
      placeholders: ["x".repeat(99_999)],
      approximations: [],
    },
    {
      type: "call.appeared",
      paths: ["x".repeat(99_999)],
      runs: Array.from({ length: 9_999 }, () => "x"),
      unknown: null,
    },
    {
      type: "call.ended",
      outcome: "failed",
      code: 127,
      reason: "x".repeat(99_999),
      durationMs: 0,
      stdoutBytes: 0,
      stderrBytes: 0,
    },
    {
      type: "config.changed",
      effect: "applied",
      config: null,
      message: "x".repeat(99_999),
      isWider: false,
      restart: [],
    },
    {
      type: "http.refused",
      method: "x".repeat(99_999),
      path: "x".repeat(99_999),
      status: 400,
      why: "",
      from: null,
      times: 1,
    },
    {
      type: "mcp.refused",
      server: "fs",
      what: "x".repeat(99_999),
      because: "x".repeat(99_999),
    },
  ])("is bounded in $type too", (event) => {
    expect(JSON.stringify(boundedEvent(event)).length).toBeLessThan(20_000);
  });
});
