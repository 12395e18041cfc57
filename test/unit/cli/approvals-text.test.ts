import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PLAIN } from "../../../src/channel/ink.ts";
import { columnsOf } from "../../../src/channel/visible-unit.ts";
import { eventLine, listRows, ownFirst, requestLines } from "../../../src/cli/approvals-text.ts";
import { hanging } from "../../../src/cli/hanging.ts";
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
