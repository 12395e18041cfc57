import { describe, expect, test } from "vitest";
import { PLAIN } from "../../src/channel/ink.ts";
import { questionText } from "../../src/channel/question-text.ts";
import type { ApprovalRequest } from "../../src/policy/request.ts";
import { type Person, sitDown, terminalProblem } from "../support/screen/person.ts";
import { commandOf, GRANTED, requestOf } from "../support/screen/requests.ts";
import { HOSTILE } from "../unit/channel/hostile.ts";

/** A request that says the same hostile text wherever a tool or a model can say something. */
function hostileRequest(approvalId: string, text: string): ApprovalRequest {
  return requestOf({
    approvalId,
    tool: text,
    agent: text,
    description: text,
    reason: text,
    safeArgs: { [text]: text },
    granted: { ...GRANTED, write: [text], shortfall: [text] },
    covers: text,
  });
}

/** What a question shows, by what is drawn for it. */
async function isDrawnAs(
  person: Person,
  request: ApprovalRequest,
  text: string,
  columns: number,
): Promise<void> {
  const look = { kind: "made", presentation: commandOf(text), highlighted: new Map() } as const;
  const asked = { request, look, isSeen: false };
  const { rows } = questionText([asked], asked, { columns, rows: 200 }, 0, PLAIN);
  const drawn = rows.map((row) => row.trimEnd()).join("\n");
  await person.until(() => person.allRows().join("\n").includes(drawn), drawn);
}

describe.skipIf(terminalProblem() !== null).each([20, 47, 100])("in a terminal of %i columns", (columns) => {
  test("approve.forge: what the screen shows is what was drawn, whatever a tool or a model says", {
    timeout: 60_000,
  }, async () => {
    const person = await sitDown({ columns, rows: 200, env: { NO_COLOR: "1" } });
    for (const [index, text] of HOSTILE.entries()) {
      const request = hostileRequest(`a${index}`, text);
      person.tell({ kind: "ask", request, presentation: commandOf(text) });
      await isDrawnAs(person, request, text, columns);
      person.tell({ kind: "abort", id: `a${index}` });
      expect(await person.outcome(`a${index}`)).toBe("AbortError");
    }
    const sequences = new Set(person.sent.match(new RegExp(`${"\u{1b}"}[^a-zA-Z]*[a-zA-Z]`, "g")));
    const cursorUp = [...sequences].filter((one) => one.endsWith("A"));
    expect([...sequences].filter((one) => !one.endsWith("A")).sort()).toEqual([
      "\u{1b}[0m",
      "\u{1b}[?2004h",
      "\u{1b}[?2004l",
      "\u{1b}[J",
    ]);
    expect(cursorUp.length).toBeGreaterThan(0);
  });
});
