import { expect, test } from "vitest";
import { columns } from "../../../src/channel/columns.ts";
import { PLAIN } from "../../../src/channel/ink.ts";
import { quarantineRows } from "../../../src/cli/quarantine-text.ts";
import type { QuarantineRecord } from "../../../src/host/launch/quarantine/record.ts";

function recordOf(count: number): QuarantineRecord {
  return {
    version: 1,
    id: "0123abcd-0000-4000-8000-000000000000",
    pid: 1,
    startedAt: null,
    takenAt: 0,
    sessionId: "s",
    callId: "c",
    tool: "shell",
    workspace: "/ws",
    items: Array.from({ length: count }, (_, at) => ({
      path: `/ws/${at}/.envrc`,
      by: "direnv",
      when: "a shell enters",
      kind: "file",
      files: 1,
      bytes: 2,
      digest: null,
      state: "taken",
      aside: null,
      problem: null,
      keptAt: null,
    })),
  };
}

test("a record of 150,000 things is listed by its first hundred, and says how many more there are", () => {
  const rows = quarantineRows([recordOf(150_000), recordOf(1)], PLAIN);
  expect(rows).toHaveLength(102);
  expect(rows[0]).toBe("0123abcd  1970-01-01 00:00  shell  /ws/0/.envrc   for direnv");
  expect(rows[100]).toBe(
    "0123abcd  1970-01-01 00:00  shell  and 149900 more: `cofferdam quarantine show 0123abcd`",
  );
});

test("any number of rows is written in columns", () => {
  const rows = columns(Array.from({ length: 200_000 }, (_, at) => [String(at), "x"]));
  expect([rows.length, rows[0], rows.at(-1)]).toEqual([200_000, "0       x", "199999  x"]);
});
