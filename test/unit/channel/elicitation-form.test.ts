import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answerOf } from "../../../src/channel/elicitation.ts";
import { elicitationForm, NO, YES, YES_FOR_SESSION } from "../../../src/channel/elicitation-form.ts";
import type { ScopeOffer } from "../../../src/policy/scope-offer.ts";
import { requestWith } from "../../support/approval/request.ts";

const AWAITED = { kind: "awaited" } as const;
const BY = "client:host";

function offer(scope: ScopeOffer["scope"], covers: string): ScopeOffer {
  return {
    scope,
    covers,
    cover: { of: "tool", tool: "deploy", version: "1", args: {}, others: "free" },
    passed: { count: 2, calls: ["use deploy to staging", "use deploy to live"] },
    asked: { count: 1, calls: ["use remove"] },
  };
}

describe("a form with answers for more than one call", () => {
  const offers = [
    offer("similar", "deploy with any arguments"),
    offer("project", "deploy with any arguments"),
  ];
  const form = elicitationForm(requestWith({ offers }), AWAITED, 0);
  const answered = (answer: string) => answerOf({ action: "accept", content: { answer } }, form, BY);

  test("shows what each covers, and what it would have let pass", () => {
    expect(form.requestedSchema.properties.answer.enum).toEqual([
      YES,
      YES_FOR_SESSION,
      "similar calls, for this session",
      "similar calls, for 15 minutes",
      "in this project from now on",
      "no, for this session",
      NO,
    ]);
    expect(form.message).toContain("deploy with any arguments");
    expect(form.message).toContain("would have let pass 2 of 3 recorded calls: use deploy to staging");
    expect(form.message).toContain("would not have let pass: use remove");
  });

  test.each([
    ["similar calls, for this session", { status: "approved", scope: "similar", by: BY }],
    [
      "similar calls, for 15 minutes",
      { status: "approved", scope: "similar", limits: { minutes: 15 }, by: BY },
    ],
    ["in this project from now on", { status: "approved", scope: "project", by: BY }],
    ["no, for this session", { status: "rejected", scope: "session", by: BY }],
    ["anything else", { status: "rejected", by: BY }],
  ])("gives exactly what was chosen: %s", (answer, decision) => {
    expect(answered(answer)).toEqual(decision);
  });

  test("approves nothing that it did not offer", () => {
    const plain = elicitationForm(requestWith(), AWAITED, 0);
    for (const answer of form.requestedSchema.properties.answer.enum) {
      const isOffered = plain.requestedSchema.properties.answer.enum.includes(answer);
      const status = isOffered && answer !== NO ? "approved" : "rejected";
      const given = answerOf({ action: "accept", content: { answer } }, plain, BY);
      expect([answer, given]).toMatchObject([answer, { status }]);
    }
  });

  test("offers no answer whose cover it can't show whole", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20_000 }),
        fc.constantFrom("similar", "project"),
        (length, scope) => {
          const covers = "x".repeat(length);
          const made = elicitationForm(requestWith({ offers: [offer(scope, covers)] }), AWAITED, 0);
          if (made.offers.choices.length > 0) expect(made.message.replaceAll(/\n│ ?/g, "")).toContain(covers);
          else expect(length).toBeGreaterThan(1_000);
        },
      ),
      { numRuns: 200 },
    );
  });
});
