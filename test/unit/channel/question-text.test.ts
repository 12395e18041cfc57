import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PLAIN } from "../../../src/channel/ink.ts";
import { echoRows, questionText, type TerminalRequest } from "../../../src/channel/question-text.ts";
import type { PreviewState } from "../../../src/channel/request-text.ts";
import { columnsOf } from "../../../src/channel/visible-unit.ts";
import type { Presentation } from "../../../src/policy/presentation.ts";
import type { ApprovalRequest } from "../../../src/policy/request.ts";
import { workMs } from "../../support/load/held-loop.ts";
import { commandOf, GRANTED, requestOf } from "../../support/screen/requests.ts";
import { hostileText, INVISIBLE, isDrawnWithin } from "./hostile.ts";

const SIZE = { columns: 80, rows: 40 };
const made = (presentation: Presentation): PreviewState => ({
  kind: "made",
  presentation,
  highlighted: new Map(),
});
const asked = (request: ApprovalRequest, look: PreviewState = made(commandOf("ls"))): TerminalRequest => ({
  request,
  look,
  isSeen: false,
});
const draw = (one: TerminalRequest, others: readonly TerminalRequest[] = [], size = SIZE) =>
  questionText([one, ...others], one, size, 0, PLAIN);

/** One request in which every text is taken from a list, over and over. */
function requestWith(texts: readonly string[]): TerminalRequest {
  let at = 0;
  const next = (): string => texts[at++ % texts.length] ?? "";
  const request = requestOf({
    tool: next(),
    agent: next(),
    description: next(),
    reason: next(),
    covers: next(),
    safeArgs: { [next()]: next() },
    redactions: {
      hidden: [{ at: next(), because: "name" }],
      cut: [{ at: next(), whole: next() }],
      isMore: true,
    },
    granted: { ...GRANTED, write: [next()], read: [next()], network: next(), shortfall: [next(), next()] },
    expiresAt: 90_000,
  });
  return asked(request, made({ type: "diff", content: next(), about: next() }));
}

/** Short, so that nothing is cut. */
const shortText = hostileText.map((text) => [...text].slice(0, 30).join(""));

describe("whatever the texts of a request are, at every width", () => {
  test("every row fits in its row of a real terminal, and holds nothing invisible", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(hostileText, { minLength: 3, maxLength: 12 }),
        fc.integer({ min: 20, max: 110 }),
        async (texts, columns) => {
          const { rows } = draw(requestWith(texts), [requestWith(texts.toReversed())], { columns, rows: 24 });
          expect(rows.filter((row) => columnsOf(row) > columns || INVISIBLE.test(row))).toEqual([]);
          expect(await isDrawnWithin(rows, columns)).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });

  test("our own words stay the same, each in its place: no text can add to them or take from them", () => {
    fc.assert(
      fc.property(
        fc.array(shortText, { minLength: 3, maxLength: 12 }),
        fc.integer({ min: 20, max: 110 }),
        (texts, columns) => {
          const harmless = texts.map(() => "x");
          const ours = (list: readonly string[]): readonly string[] =>
            draw(requestWith(list), [requestWith(list)], {
              columns,
              rows: 5_000,
            }).rows.flatMap((row) => {
              const label = /^([A-Za-z[\] ]{11}|\d )?(?=[│┊]( |$))/.exec(row)?.[0];
              const ours = label === undefined ? row : label.trim();
              // Stands only where it is true; what is named in it is another test's.
              return ours === "not ASCII" || (label !== undefined && ours === "") ? [] : [ours];
            });
          expect(ours(texts)).toEqual(ours(harmless));
        },
      ),
      { numRuns: 300 },
    );
  });
});

test("the tool, its arguments, its risk and the agent are shown (S0-22, S1-9)", () => {
  const { rows } = draw(asked(requestOf(), { kind: "awaited" }));
  expect(rows).toEqual([
    "cofferdam asks: this call needs your approval",
    "tool       │ shell",
    "risk       │ write",
    "agent      │ coder",
    "would do   │ Execute: npm install left-pad",
    "because    │ no rule covers this command",
    "",
    "arguments",
    "│ {",
    '│   "command": "npm install left-pad"',
    "│ }",
    "",
    "can write  │ /home/ann/project",
    "can read   │ /usr/share/dict, the runtimes system",
    "network    │ none",
    "not given  │ write /etc",
    "[s] covers │ `npm install left-pad` in /home/ann/project",
    "",
    "[y] yes, once  [s] yes, for this session  [n] no  [m] more answers  [v] view all",
    "[w] why  [g] grants",
  ]);
});

test("the project is told, where it is known: one handler may be asked for several", () => {
  expect(draw(asked(requestOf({ project: "/srv/a\u{202e}b" }))).rows).toContain(
    "project    │ /srv/a\\u{202e}b",
  );
  expect(draw(asked(requestOf())).rows.join("\n")).not.toContain("project  ");
});

test("what was hidden or cut is told, with where it stood", () => {
  const redactions = {
    hidden: [{ at: "headers.authorization", because: "name" as const }],
    cut: [{ at: "body", whole: "5,000 characters" }],
    isMore: true,
  };
  const { rows } = draw(asked(requestOf({ redactions })));
  expect(rows).toEqual(
    expect.arrayContaining([
      "hidden     │ headers.authorization (a secret, by its name)",
      "cut        │ body (5,000 characters)",
      "left out   │ more than listed here",
    ]),
  );
});

test("a presentation that can't be made is said to be so, and the arguments are shown", () => {
  const { rows } = draw(asked(requestOf(), { kind: "failed" }));
  expect(rows).toContain("preview failed; its arguments");
  expect(rows).toContain('│   "command": "npm install left-pad"');
});

test("a question about a tool without a sandbox says so", () => {
  expect(draw(asked(requestOf({ granted: null }))).rows).toContain("reach      │ it runs without a sandbox");
});

test("the time that is left is told in seconds, minutes, hours or days", () => {
  const left = (expiresAt: number) =>
    draw(asked(requestOf({ expiresAt }))).rows.find((row) => row.startsWith("time left"));
  const hour = 3_600_000;
  expect(left(15_000)).toBe("time left  │ 15 seconds");
  expect(left(900)).toBe("time left  │ 1 second");
  expect(left(60_000)).toBe("time left  │ 1 minute");
  expect(left(3 * hour)).toBe("time left  │ 3 hours");
  expect(left(7 * 24 * hour)).toBe("time left  │ 7 days");
  expect(draw(asked(requestOf({ expiresAt: 61_000 }))).rows).toContain("time left  │ 2 minutes");
});

describe("a yes for the session", () => {
  const session = "[s] yes, for this session";
  const offers = (covers: string | null): readonly boolean[] => {
    const { rows, offersSession } = draw(asked(requestOf({ covers })));
    return [offersSession, rows.some((row) => row.includes(session))];
  };

  test("is offered when what it covers is shown whole", () => {
    expect(offers("`npm`")).toEqual([true, true]);
  });

  test("is not offered when it can't be remembered, or can't be shown whole", () => {
    expect(offers(null)).toEqual([false, false]);
    expect(offers("x".repeat(2001))).toEqual([false, false]);
    expect(offers("x\n".repeat(51))).toEqual([false, false]);
  });
});

describe("what is shown at first is 50 lines and 2,000 characters of a content, at most (S1-47)", () => {
  const shown = (content: string): readonly string[] =>
    draw(asked(requestOf(), made({ type: "text", content })), [], { columns: 80, rows: 100 }).rows;

  test("is counted from the whole, not from what was cut before", () => {
    const full = "line\n".repeat(4_999).concat("line");
    const content = `${"line\n".repeat(50)}... [4950 more lines]`;
    const look = made({ type: "text", content, fullContent: full });
    const { rows } = draw(asked(requestOf(), look), [], { columns: 80, rows: 100 });
    expect(rows).toContain("… 4,950 more lines: [v] shows all");
  });

  test.each<[claim: string, content: string, rows: number, left: string | undefined]>([
    ["50 lines", "line\n".repeat(49).concat("line"), 50, undefined],
    ["173 lines", "line\n".repeat(172).concat("line"), 50, "… 123 more lines: [v] shows all"],
    ["51 lines", "line\n".repeat(50).concat("line"), 50, "… 1 more line: [v] shows all"],
    ["2,000 characters", "x".repeat(2000), 26, undefined],
    ["7,000 characters", "x".repeat(7000), 26, "… 5,000 more characters: [v] shows all"],
    ["a megabyte", "x".repeat(1024 ** 2), 26, "… 1,046,576 more characters: [v] shows all"],
  ])("of %s", (_claim, content, count, left) => {
    const rows = shown(content);
    expect(rows.filter((row) => /^[│┊] (line|x)/.test(row))).toHaveLength(count);
    expect(rows.find((row) => row.startsWith("…"))).toBe(left);
  });
});

describe("a yes is offered only for what stands on the screen", () => {
  const script = made(commandOf(`rm -rf x\n${"echo building\n".repeat(47)}`));
  const long = requestOf({ covers: "rm -rf x\n".concat("echo building\n".repeat(47)) });
  const at = (request: ApprovalRequest, look: PreviewState, rows: number, isSeen = false) =>
    draw({ ...asked(request, look), isSeen }, [], { columns: 80, rows });

  test("its first rows are there, and what is missing is counted", () => {
    const { rows, offersOnce } = at(requestOf(), script, 24);
    expect([rows.length < 24, offersOnce, rows.includes("│ rm -rf x")]).toEqual([true, true, true]);
    expect(rows.join("\n")).toMatch(/^… \d+ more rows: \[v\] shows all$/m);
  });

  test("one for the session where all that it covers is there, whole", () => {
    expect(at(long, script, 24).offersSession).toBe(false);
    expect(at(long, script, 24).rows.join("\n")).not.toContain("[s]");
    expect(at(long, script, 200).offersSession).toBe(true);
  });

  test("none where the question does not fit, until all of it has been viewed", () => {
    const small = at(requestOf(), script, 6);
    expect([small.offersOnce, small.rows.join(" ").includes("[y]")]).toEqual([false, false]);
    expect(small.rows).toContain("it does not fit on this screen: press v to view all of it, then answer");
    expect(at(requestOf(), script, 6, true).offersOnce).toBe(true);
    expect(draw(asked(requestOf()), [], { columns: 12, rows: 60 }).offersOnce).toBe(false);
    expect(draw(asked(requestOf()), [], { columns: 20, rows: 60 }).offersOnce).toBe(true);
  });
});

describe("one yes for all that waits", () => {
  const other = asked(
    requestOf({ approvalId: "a2", description: "Execute: npm test", safeArgs: { command: "npm test" } }),
  );
  const offersAll = (one: TerminalRequest, others: readonly TerminalRequest[], size = SIZE): boolean =>
    draw(one, others, size).offersAll;

  test("is offered when all of it is on the screen, whole", () => {
    const { rows, offersAll: isOffered } = draw(asked(requestOf()), [other]);
    expect(isOffered).toBe(true);
    expect(rows.join("\n")).toContain("[A] yes to all 2");
    expect(rows[0]).toBe("2 │ shell: Execute: npm test");
    expect(rows).toContain("cofferdam asks, 1 of 2 waiting: this call needs your approval");
    expect(rows.filter((row) => row === "│ ls")).toHaveLength(2);
  });

  test.each<[claim: string, one: TerminalRequest, other: TerminalRequest, rows?: number]>([
    ["one of them is too long", asked(requestOf()), asked(requestOf(), made(commandOf("x".repeat(2001))))],
    ["the one in full is too long", asked(requestOf(), made(commandOf("x".repeat(2001)))), other],
    [
      "there is more of it than was given",
      asked(requestOf(), made({ ...commandOf("a"), fullContent: "ab" })),
      other,
    ],
    [
      "something is hidden in one of them",
      asked(requestOf()),
      asked(requestOf({ redactions: { hidden: [{ at: "a", because: "shape" }], cut: [], isMore: false } })),
    ],
    ["the screen has too few rows", asked(requestOf()), other, 24],
    ["what there is to look at is still being made", asked(requestOf(), { kind: "awaited" }), other],
  ])("is not offered when %s", (_claim, one, two, rows = 60) => {
    const size = { columns: 80, rows };
    expect(offersAll(one, [two], size)).toBe(false);
    expect(draw(one, [two], size).rows).toContain(
      "answer them one by one: not all of them fit on the screen",
    );
  });

  test("is not offered to one alone", () => {
    expect(offersAll(asked(requestOf()), [])).toBe(false);
  });
});

test("the reach of another call is shown where it is not the same", () => {
  const other = asked(requestOf({ granted: { ...GRANTED, digest: "d2", network: "every public address" } }));
  expect(draw(asked(requestOf()), [other]).rows).toContain("network    │ every public address");
});

test("an answer leaves one row, or a few where there is little room", () => {
  fc.assert(
    fc.property(hostileText, hostileText, fc.integer({ min: 20, max: 100 }), (tool, description, columns) => {
      const rows = echoRows(
        "yes, for this session, by ann",
        requestOf({ tool, description }),
        columns,
        PLAIN,
      );
      if (columns >= 51) expect(rows).toEqual([expect.stringMatching(/^yes, for this session, by ann: /)]);
      expect(rows.filter((row) => columnsOf(row) > columns || INVISIBLE.test(row))).toEqual([]);
      expect(rows.slice(0, -1).join(" ")).toBe(rows.length === 1 ? "" : "yes, for this session, by ann:");
    }),
  );
});

test("a megabyte of arguments, and a megabyte of what is escaped, are drawn at once", () => {
  for (const text of ["x".repeat(1024 ** 2), "\u{1b}".repeat(1024 ** 2), "\n".repeat(1024 ** 2)]) {
    const request = asked(requestOf({ safeArgs: { text }, description: text }), { kind: "awaited" });
    expect(workMs(() => expect(draw(request).rows.length).toBeLessThan(300))).toBeLessThan(2_000);
  }
});

test("empty rows make room on a small screen", () => {
  const size = { columns: 80, rows: 18 };
  expect(draw(asked(requestOf()), [], size).rows).toEqual(
    draw(asked(requestOf())).rows.filter((row) => row !== ""),
  );
});

test("of many that wait, those are listed that a digit can pick, and the others are counted", () => {
  const many = Array.from({ length: 12 }, (_, at) =>
    asked(requestOf({ approvalId: `a${at}`, tool: `tool${at}` })),
  );
  const last = many[11] ?? asked(requestOf());
  const { rows } = questionText(many, last, SIZE, 0, PLAIN);
  expect(rows.slice(0, 10)).toEqual([
    ...many.slice(0, 9).map(({ request }, at) => `${at + 1} │ ${request.tool}: ${request.description}`),
    "… and 2 more",
  ]);
  expect(rows.join("\n")).toContain("cofferdam asks, 12 of 12 waiting");
});
