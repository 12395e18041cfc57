import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PLAIN } from "../../../src/channel/ink.ts";
import { columnsOf } from "../../../src/channel/visible-unit.ts";
import { reachInWords } from "../../../src/cli/answer-text.ts";
import { eventLine, listRows, ownFirst, requestLines } from "../../../src/cli/approvals-text.ts";
import { hanging } from "../../../src/cli/hanging.ts";
import type { ApprovalEvent } from "../../../src/event/event.ts";
import { whyNotStated } from "../../../src/policy/not-stated.ts";
import { recordedLine } from "../../../src/policy/recorded-call.ts";
import { whyNotOffered } from "../../../src/policy/why-not-offered.ts";
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
        for (const row of rows) expect([row, columnsOf(row) <= width]).toEqual([row, true]);
      }),
    );
    const screen = { width: 80, ink: PLAIN };
    const [row = ""] = listRows([requestWith({ description: FORGED })], new Set(), 0, screen);
    expect(row).toMatch(/…$/);
    // A terminal gives such a letter two columns, so that the rest would begin a row of its own.
    const wide = `${"漢".repeat(20)}${FORGED}`;
    const [cut = ""] = listRows([requestWith({ description: wide })], new Set(), 0, screen);
    expect(cut).not.toContain("ls");
  });

  it("goes on below, where no id begins, if it is one of a list that is shown whole", () => {
    const line = `8f14e45f  shell  ${"漢".repeat(20)}${FORGED}  by ann`;
    for (const width of [20, 40, 80]) {
      const rows = hanging(line, width);
      for (const row of rows) expect([row, columnsOf(row) <= width]).toEqual([row, true]);
      expect(rows.slice(1).every((row) => /^ {10}/.test(row))).toBe(true);
      expect(rows.map((row, at) => (at === 0 ? row : row.slice(10))).join("")).toBe(line);
    }
    expect(hanging(line, null)).toEqual([line]);
    expect(hanging("漢", 1)).toEqual(["漢"]);
  });

  it("is whole where it goes to no terminal", () => {
    const screen = { width: null, ink: PLAIN };
    const [row = ""] = listRows([requestWith({ description: FORGED })], new Set(), 0, screen);
    expect(row).toContain("run rm");
    expect(eventLine({ ...asked(requestWith({ description: FORGED })), seq: 0 }, screen)).toContain("run rm");
  });
});

describe("the folder of a request's project", () => {
  const screen = { width: null, ink: PLAIN };
  const row = (project: string | undefined, width: number | null = null): string =>
    listRows([requestWith({ project })], new Set(), 0, { width, ink: PLAIN }).join("\n");

  it("stands in its row, in what is told when it is asked, and in all there is to know of it", () => {
    const request = requestWith({ project: "/srv/shop" });
    const stored = { request, status: "pending", decision: null } as const;
    expect(row("/srv/shop")).toMatch(/^approval +`\/srv\/shop` +no end .* deploy +deploy to staging$/);
    expect(eventLine({ ...asked(request), seq: 0 }, screen)).toContain("`/srv/shop`  deploy: ");
    expect(requestLines(stored, { kind: "failed" }, 0, PLAIN)).toContain("project    │ /srv/shop");
  });

  it("tells two alike requests of two projects apart, also where there is little room", () => {
    for (const width of [null, 80, 40]) expect(row("/srv/shop", width)).not.toBe(row("/srv/wiki", width));
    const long = `/home/ann/${"folder/".repeat(12)}`;
    expect(row(`${long}shop`, 80)).toMatch(/^approval +…\S+folder\/shop` +no end/);
    const alike = ["one", "two"].map((name) =>
      requestWith({ project: `/srv/${name}/${"same/".repeat(12)}` }),
    );
    const [one, two] = listRows(alike, new Set(), 0, { width: 80, ink: PLAIN });
    expect(one).not.toBe(two);
  });

  it("is made visible, and is said to be unknown in older records", () => {
    expect(row("/srv/a\u001b[2J\n`b")).toContain("`/srv/a\\u{1b}[2J\\u{a}\\u{60}b`");
    expect(row(undefined)).toContain(" an unknown folder ");
  });

  it("brings those of one's own project to the front, and keeps the order of all others", () => {
    const at = (approvalId: string, project?: string) => requestWith({ approvalId, project });
    const all = [
      at("1", "/srv/wiki"),
      at("2"),
      at("3", "/srv/shop"),
      at("4", "/srv/shop/sub"),
      at("5", "/srv/shop"),
    ];
    expect(ownFirst(all, "/srv/shop").map(({ approvalId }) => approvalId)).toEqual(["3", "5", "1", "2", "4"]);
  });
});

it("the time that is left is told in seconds, minutes, hours or days", () => {
  const left = (expiresAt: number | null) =>
    listRows([requestWith({ expiresAt })], new Set(), 0, { width: null, ink: PLAIN }).join("");
  const hour = 3_600_000;
  for (const [expiresAt, told] of [
    [40_000, "40 seconds left"],
    [4 * 60_000, "4 minutes left"],
    [3 * hour, "3 hours left"],
    [7 * 24 * hour, "7 days left"],
    [null, "no end"],
  ] as const)
    expect(left(expiresAt)).toContain(told);
});

it("what is told of a request is made visible once", () => {
  const stored = { request: requestWith({ groupId: "a\nb" }), status: "pending", decision: null } as const;
  const lines = requestLines(stored, { kind: "failed" }, 0, PLAIN).join("\n");
  expect(lines).toContain("a\\u{a}b");
});

describe("an answer for more than this call", () => {
  const cover = { of: "commands", patterns: [{ pattern: "npm test", exact: false }] } as const;
  const counts = { count: 0, calls: [] };
  const offer = { scope: "similar", covers: "npm test …", cover, passed: counts, asked: counts } as const;
  const offering = requestWith({ covers: "exactly this", offers: [offer, { ...offer, scope: "project" }] });

  it.each([
    ["once", {}, true, false, null],
    ["session", {}, true, false, "and the same call until its session ends: exactly this"],
    ["similar", { minutes: 5 }, true, false, "and similar calls for 5 minutes of its session: npm test …"],
    ["similar", { uses: 1 }, true, false, "and similar calls for 1 more call of its session: npm test …"],
    ["project", {}, true, true, "and kept for this project: npm test …"],
    ["session", {}, false, false, "and the same call until its session ends: exactly this"],
    ["session", {}, false, true, "it holds for no session: the one that asked is gone"],
  ] as const)(
    "with the scope %s and %j says what it covers, and its end",
    (scope, limits, isYes, isGone, words) => {
      expect(reachInWords(offering, { scope, limits, isYes }, isGone)).toBe(words);
    },
  );

  it("is refused with the reason", () => {
    const ruled = requestWith({ covers: null, demandsPerson: true });
    const unheard = requestWith({ covers: null, demandsPerson: false });
    const exact = requestWith({ covers: "exactly this", notOffered: "the line writes a file" });
    expect([
      whyNotOffered(offering, "similar"),
      whyNotOffered(ruled, "similar"),
      whyNotOffered(ruled, "once"),
      whyNotOffered(unheard, "session"),
      whyNotOffered(exact, "session"),
      whyNotOffered(exact, "similar"),
      whyNotOffered(exact, "project"),
    ]).toEqual([
      null,
      "a rule asks about this call each time",
      null,
      "its session remembers no answers",
      null,
      "nothing wider than this very call can be covered",
      "the line writes a file",
    ]);
  });

  it.each([
    ["cat a > b", "the line writes a file"],
    ["make $TARGET", "it has a word that only bash knows"],
    ["python3 -c 'print(1)'", "it runs a program that runs others, as a shell or an interpreter does"],
    ["git commit -m 'a b'", "it has a word that a rule can't state: with a blank or `*`, or a very long one"],
  ])("no rule states `%s`, and it says why", (text, why) => {
    expect(whyNotStated(recordedLine(text))).toBe(why);
  });
});
