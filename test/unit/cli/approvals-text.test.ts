import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PLAIN, widthOf } from "../../../src/channel/ink.ts";
import { eventLine, listRows, requestLines } from "../../../src/cli/approvals-text.ts";
import type { ApprovalEvent } from "../../../src/event/event.ts";
import { requestWith } from "../../support/approval/request.ts";
import { asked } from "../../support/store/news.ts";

const anyText = fc.string({ unit: "binary", maxLength: 300 });
const FORGED = `run ls${" ".repeat(60)}${"c9cd5035  no end  shell  run rm"}`;

describe("a row about a request", () => {
  it("is one row of a terminal, whatever a model writes into it, and tells that it is cut", () => {
    fc.assert(
      fc.property(anyText, anyText, fc.integer({ min: 20, max: 200 }), (tool, description, width) => {
        const request = requestWith({ tool, description });
        const event: ApprovalEvent = { ...asked(request), seq: 0 };
        const rows = [
          ...listRows([request], new Set([request.runId]), 0, { width, ink: PLAIN }),
          eventLine(event, { width, ink: PLAIN }),
        ];
        expect(rows).toHaveLength(2);
        for (const row of rows) expect([row, widthOf(row) <= width]).toEqual([row, true]);
      }),
    );
    const screen = { width: 80, ink: PLAIN };
    const [row = ""] = listRows([requestWith({ description: FORGED })], new Set(), 0, screen);
    expect(row).toMatch(/…$/);
  });

  it("is whole where it goes to no terminal", () => {
    const screen = { width: null, ink: PLAIN };
    const [row = ""] = listRows([requestWith({ description: FORGED })], new Set(), 0, screen);
    expect(row).toContain("run rm");
    expect(eventLine({ ...asked(requestWith({ description: FORGED })), seq: 0 }, screen)).toContain("run rm");
  });
});

it("what is told of a request is made visible once", () => {
  const stored = { request: requestWith({ groupId: "a\nb" }), status: "pending", decision: null } as const;
  const lines = requestLines(stored, { kind: "failed" }, 0, PLAIN).join("\n");
  expect(lines).toContain("a\\u{a}b");
});
