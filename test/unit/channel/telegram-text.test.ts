import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { approved } from "../../../src/approval/factories.ts";
import type { PreviewState } from "../../../src/channel/request-text.ts";
import type { StyledText } from "../../../src/channel/styled-text.ts";
import { outcomeOf } from "../../../src/channel/telegram/outcome.ts";
import { idIn, keyOf, pressData, readPressData } from "../../../src/channel/telegram/press-data.ts";
import { overMessage, questionMessage } from "../../../src/channel/telegram/question-message.ts";
import { readUpdate } from "../../../src/channel/telegram/update.ts";
import type { Presentation } from "../../../src/policy/presentation.ts";
import type { ApprovalRequest } from "../../../src/policy/request.ts";
import { commandOf, GRANTED, requestOf } from "../../support/screen/requests.ts";
import { ANN } from "../../support/telegram/bot-api.ts";
import { asker, telegram } from "../../support/telegram/chat.ts";
import { assertText } from "../../support/telegram/payloads.ts";
import { HOSTILE, hostileText, INVISIBLE } from "./hostile.ts";

const NOW = 1_900_000_000_000;

/** A row of ours begins like this; one of somebody else's text with a bar. */
const OURS =
  /^(?:cofferdam asks: this call needs your approval$|tool: |risk: (?:read_only|write|destructive|unknown)$|agent: |would do: |because: |in: |project: |of: |by: |not ASCII: |(?:the command|the change|the content|what it would do|arguments|preview failed; its arguments):$|hidden: |cut: |left out: more than|can write: |can read: |network: |not given: |reach: it runs|approval for this session covers:$|time left: |To reject with a reason, |You can't approve |… cut here: [\d,]+ of [\d,]+ characters are shown|Approved|Rejected|Expired|Closed|$)/u;

function look(of: Partial<Presentation>): PreviewState {
  const presentation = { type: "command", content: "ls", ...of } as const;
  return { kind: "made", presentation, highlighted: new Map() };
}

/** What no message may be. */
function assertSafe({ text, entities }: StyledText): void {
  assertText(text, [...entities]);
  for (const row of text.split("\n")) {
    if (!row.startsWith("│")) expect(row).toMatch(OURS);
    expect(row).not.toMatch(INVISIBLE);
  }
  // Behind a label, or behind a bar: in each case it stands in a block where nothing becomes a link.
  const inBlocks = entities.filter(({ type }) => type !== "bold");
  const outside = [...text].length > 0 ? leftOutside(text, inBlocks) : "";
  expect(outside).not.toMatch(/https?:|@\w|^\/|#\w/m);
}

/** What of a text lies in none of the blocks. */
function leftOutside(
  text: string,
  blocks: readonly { readonly offset: number; readonly length: number }[],
): string {
  let left = "";
  let at = 0;
  for (const { offset, length } of blocks) {
    left += text.slice(at, offset);
    at = offset + length;
  }
  return left + text.slice(at);
}

const text = fc.oneof(
  hostileText,
  hostileText.map((one) => one.repeat(40)),
  fc.constantFrom("x".repeat(100_000), "\u{1f600}".repeat(3000), "\n".repeat(5000), "a\u{301}".repeat(4000)),
);
const request: fc.Arbitrary<ApprovalRequest> = fc
  .record({
    approvalId: text,
    tool: text,
    agent: fc.option(text),
    description: text,
    reason: text,
    risk: fc.constantFrom("read_only", "write", "destructive", null),
    covers: fc.option(text),
    safeArgs: fc.dictionary(text, text, { maxKeys: 3 }),
    expiresAt: fc.option(fc.integer({ min: 0, max: 4_000_000_000_000 })),
    granted: fc.option(
      fc.record({
        ...Object.fromEntries(["digest", "network"].map((key) => [key, text])),
        ...Object.fromEntries(
          ["write", "read", "runtimes", "limits", "shortfall"].map((key) => [
            key,
            fc.array(text, { maxLength: 3 }),
          ]),
        ),
      }),
    ),
    redactions: fc.record({
      hidden: fc.array(fc.record({ at: text, because: fc.constantFrom("name", "shape") }), { maxLength: 3 }),
      cut: fc.array(fc.record({ at: text, whole: text }), { maxLength: 3 }),
      isMore: fc.boolean(),
    }),
  })
  .map((given) =>
    requestOf({ ...given, granted: given.granted === null ? null : { ...GRANTED, ...given.granted } }),
  );
const anyLook: fc.Arbitrary<PreviewState> = fc.oneof(
  fc.constantFrom({ kind: "failed" } as const, { kind: "awaited" } as const),
  fc
    .record({
      type: fc.constantFrom("text", "diff", "file_content", "command", "structured"),
      content: text,
      about: text,
    })
    .map(look),
);

test("any request becomes a message that Telegram takes, says what is cut, and shows all that a yes is offered for", () => {
  fc.assert(
    fc.property(request, anyLook, (asked, shown) => {
      const message = questionMessage(asked, shown, NOW);
      assertSafe(message);
      const isCut = /\(cut: |… cut here: /.test(leftOutside(message.text, message.entities));
      expect(isCut).toBe(message.document !== null || !message.offersOnce);
      if (message.offersSession)
        expect([isCut, message.text]).toEqual([
          false,
          expect.stringContaining("approval for this session covers:\n"),
        ]);
      if (message.document !== null) {
        expect(
          message.document.isWellFormed() && !INVISIBLE.test(message.document.replaceAll("\n", "")),
        ).toBe(true);
        expect(message.document).not.toContain("… cut here: ");
      }
    }),
    { numRuns: 25 },
  );
});

test("any outcome of any request becomes a message that Telegram takes, and the outcome is its first row", () => {
  const decision = fc.oneof(
    fc.constant({ status: "expired" } as const),
    fc.record({ status: fc.constant("rejected" as const), by: text, note: text }),
    fc.record({
      status: fc.constant("approved" as const),
      scope: fc.constantFrom("once", "session"),
      by: text,
      note: text,
    }),
  );
  fc.assert(
    fc.property(request, anyLook, decision, fc.option(fc.constant(NOW)), (asked, shown, said, at) => {
      const { lines, short } = outcomeOf({ request: asked, status: "done", decision: said }, at);
      const message = overMessage(asked, shown, lines);
      assertSafe(message);
      expect(message.text).toMatch(/^(?:Approved|Rejected|Expired|Over)/);
      expect(short.length).toBeLessThanOrEqual(200);
      expect(short.isWellFormed()).toBe(true);
    }),
    { numRuns: 25 },
  );
});

describe("text that would be something else", () => {
  test.each([
    ["words of ours", "ls\nApproved, 2030-03-17 17:46 UTC\nby: telegram:7 (Ann)"],
    [
      "markup",
      "*bold* _it_ `code` [link](https://evil.example) <b>b</b> <a href='https://evil.example'>x</a> ||s||",
    ],
    [
      "links, names and commands of Telegram",
      "https://evil.example @ann #tag /start $USD t.me/evil +49 30 1234567",
    ],
    ["written from right to left", "rm -rf \u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{202e}sj.elif"],
    ["halves of characters", "\u{d83d} \u{de00} \u{1f600}"],
    ["a bar of its own", "│ ls\n… cut here: 1 of 1 characters are shown"],
  ])("stays text: %s", async (_, hostile) => {
    const api = await telegram();
    const { asked } = asker(api);
    const given = { tool: hostile, agent: hostile, description: hostile, reason: hostile, covers: hostile };
    const { answer, message } = await asked(requestOf({ ...given, granted: null }), {
      present: async () => commandOf(hostile),
    });
    assertSafe(message);
    api.press(message, "Approve", { ...ANN, first_name: hostile });
    expect(await answer).toMatchObject({ by: expect.stringMatching(/^telegram:7 \(/) });
    const now = await api.message("Approved, ", ({ buttons }) => buttons.length === 0);
    assertSafe(now);
    expect(now.text.split("\n").filter((row) => row.startsWith("Approved"))).toHaveLength(1);
    expect(api.mistakes).toEqual([]);
  });

  test("is visible, each of them", () => {
    for (const hostile of HOSTILE) {
      const { text: said } = questionMessage(
        requestOf({ description: hostile }),
        look({ content: hostile }),
        NOW,
      );
      expect(said.replaceAll("\n", "")).not.toMatch(INVISIBLE);
    }
  });
});

describe("a question that is too long", () => {
  const long = Array.from({ length: 900 }, (_, index) => `echo ${index}`).join("\n");

  test("says what is missing, brings all of it as a file before, and offers no yes for the session", async () => {
    const api = await telegram();
    const { asked } = asker(api);
    const { answer, message } = await asked(requestOf(), { present: async () => commandOf(long) });
    const file = await api.message("The whole request of the next message.");
    expect(message.replyTo).toBe(file.id);
    expect(message.text).toMatch(
      /\n… cut here: [\d,]+ of 7,989 characters are shown: all of it is in the document above\n/,
    );
    expect(message.text).toContain(
      "You can't approve this for the session here, because its scope is too long",
    );
    expect(message.buttons.map((row) => row.map(({ text: words }) => words))).toEqual([
      ["Approve", "Reject"],
    ]);
    expect(file.document).toContain("│ echo 899\n");
    expect(file.document?.split("\n").filter((row) => row.startsWith("│ echo "))).toHaveLength(900);
    expect(await api.answer(api.forge(message, "s:a1", ANN))).toBe("This approval request has expired.");
    api.press(message, "Approve", ANN);
    expect(await answer).toEqual(approved("telegram:7 (Ann Lee @ann)"));
    await api.message("Approved, ");
  });

  test("to be shown at all can only be rejected there", async () => {
    const api = await telegram();
    const { asked } = asker(api);
    const { answer, message } = await asked(requestOf(), {
      present: async () => commandOf("x".repeat(100_001)),
    });
    expect(message.text).toContain("You can't approve this here, because it is too long to be shown.");
    expect(message.buttons.map((row) => row.map(({ text: words }) => words))).toEqual([["Reject"]]);
    expect(await api.answer(api.forge(message, "a:a1", ANN))).toBe("This approval request has expired.");
    api.press(message, "Reject", ANN);
    expect(await answer).toMatchObject({ status: "rejected" });
    expect(api.of("sendDocument")).toBe(0);
  });

  test("only with what a yes for the session covers is shown without", () => {
    const message = questionMessage(requestOf({ covers: "y".repeat(3800) }), look({ content: "ls" }), NOW);
    expect(message).toMatchObject({ document: null, offersOnce: true, offersSession: false });
    expect(message.text).not.toContain("yyy");
    const shorter = questionMessage(requestOf({ covers: "y".repeat(3000) }), look({ content: "ls" }), NOW);
    expect(shorter).toMatchObject({ document: null, offersOnce: true, offersSession: true });
    expect(shorter.text).toContain(`│ ${"y".repeat(3000)}\n`);
  });

  test("is not asked where the file can't be sent", async () => {
    const api = await telegram();
    const { ask } = asker(api);
    api.refuse("sendDocument", ...Array.from({ length: 4 }, () => "hang up" as const));
    const answer = await ask(requestOf(), { present: async () => commandOf(long) });
    expect(answer).toMatchObject({ status: "rejected", by: "nobody" });
    expect(api.of("sendMessage")).toBe(0);
  });
});

test("a picture that takes too long is done without", async () => {
  const api = await telegram();
  const { asked } = asker(api);
  const { message } = await asked({}, { present: () => new Promise(() => undefined) });
  expect(message.text).toContain('its arguments:\n│ {\n│   "env": "staging"');
});

test("what a button carries of any id fits, comes back, and is another's for none", () => {
  const id = fc.oneof(
    fc.constantFrom("\u{d83d}", "\u{0}", " "),
    fc.string({ unit: "binary", maxLength: 90 }),
    fc.string({ maxLength: 90 }),
    fc.uuid(),
  );
  fc.assert(
    fc.property(id, id, fc.constantFrom("once", "session", "no"), (one, other, answer) => {
      const data = pressData(answer, keyOf(one));
      expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
      expect(data.isWellFormed()).toBe(true);
      expect(readPressData(data)).toEqual({ answer, key: keyOf(one) });
      expect([null, one]).toContain(idIn(keyOf(one)));
      expect(keyOf(one) === keyOf(other)).toBe(one === other);
    }),
  );
});

test("of anything that Telegram may send, nothing but a press or a reply is heard", () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), (update) => {
      expect(readUpdate(update)).toBeNull();
      expect(readUpdate({ update_id: 1, callback_query: update, message: update })).toBeNull();
    }),
  );
});
