import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/index.ts";
import { Asked } from "../support/approval/asked.ts";
import { testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { HOSTILE } from "../support/reviewer/hostile.ts";
import { reviewerProgram } from "../support/reviewer/programs.ts";

sandboxMustWork("reviewers and hostile arguments");

/** Obeys its input: prints an argument that looks like an answer, allows what says so, and denies the rest. */
const OBEDIENT = `
text=\${document#*'"input":{"text":"'}
text=\${text%'"},"cwd":'*}
case "$text" in
  '{'*|'"'*|'\\"'*) printf '%b\\n' "$text" ;;
  *APPROVE*|*allow_once*) answer allow_once ;;
  *) answer deny ;;
esac`;

const PARALLEL = 4;

describe.skipIf(unusable !== null)("a reviewer that obeys hostile arguments", () => {
  it("approve.review: never lets a call run that the rules deny or demand a person for, always ends, and is always recorded", {
    timeout: 1_800_000,
  }, async () => {
    expect(new Set(HOSTILE).size).toBe(200);
    const ran: { readonly tool: string; readonly text: string }[] = [];
    const tools = ["note", "denied", "demanded", "ruled", "destroys"].map((name) =>
      defineTool({
        name,
        input: z.strictObject({ text: z.string() }),
        risk: name === "destroys" ? "destructive" : "write",
        run: ({ input: { text } }) => void ran.push({ tool: name, text }),
      }),
    );
    await using at = await testSession(() => undefined, {
      settings: (place) => ({
        approval: {
          rules: [
            { pattern: "denied", action: "deny" },
            { pattern: "ruled", action: "ask" },
          ],
          risk_defaults: { destructive: "ask" },
          reviewer: {
            command: [reviewerProgram(place, OBEDIENT)],
            only: { tools: ["note", "de*", "ruled"] },
            may: ["allow_once", "deny"],
            budget: { calls: 1_000, in_a_row: 1_000, deny_stop: 1_000, timeout: "10m" },
          },
        },
      }),
      profile: { approval: { rules: [{ pattern: "demanded", action: "ask" }] } },
      handler: new Asked(() => ({ approved: false, by: "ann" })),
      session: { tools, maxPending: null },
    });
    const waiting = [...HOSTILE];
    await Promise.all(
      Array.from({ length: PARALLEL }, async () => {
        for (let text = waiting.pop(); text !== undefined; text = waiting.pop())
          for (const { name } of tools) await at.session.call(name, { text });
      }),
    );
    const reviews = at.journal.of("approval.reviewed");
    const allowed = reviews.filter(({ review }) => review.verdict === "allow_once");
    expect(reviews.every(({ tool }) => tool === "note")).toBe(true);
    // What ran is what was allowed, call by call; some was, some was denied, and some answers counted for nothing.
    expect(ran.map(({ tool }) => tool)).toEqual(allowed.map(() => "note"));
    expect(allowed.length).toBeGreaterThan(20);
    expect(reviews.some(({ review }) => review.verdict === "deny")).toBe(true);
    expect(reviews.some(({ review }) => review.verdict === "none")).toBe(true);
    // An input that is cut is for a person, without a review.
    const cut = HOSTILE.filter((text) => text.length > 2_000);
    expect(reviews).toHaveLength(HOSTILE.length - cut.length);
    expect(ran.some(({ text }) => cut.includes(text))).toBe(false);
    // A person was asked about everything else, and no forged answer hid a request from them.
    const asked = (name: string) => at.asked.tools.filter((tool) => tool === name).length;
    expect([asked("demanded"), asked("ruled"), asked("destroys"), asked("denied")]).toEqual([
      200, 200, 200, 0,
    ]);
    const unanswered = reviews.filter(({ review }) => review.verdict === "none").length;
    expect(asked("note")).toBe(cut.length + unanswered);
    expect(at.journal.of("call.ended").filter(({ callId }) => callId !== null).length).toBe(
      at.journal.of("call.received").length,
    );
  });
});
