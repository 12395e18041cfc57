import { expect, test } from "vitest";
import { endingIn, endingOf, InboxState, type RequestEnding } from "../../../src/inbox/desk.ts";
import { requestWith } from "../../support/approval/request.ts";

const asked = (approvalId: string, runId = "run-1", groupId: string | null = null) =>
  requestWith({ approvalId, runId, groupId });
const NO: RequestEnding = { outcome: "rejected", isForSession: false, by: "ann", note: "no", at: 5_000 };

test("what waits is kept in the order in which it came, and what is over is no more of it", () => {
  const desk = new InboxState();
  for (const id of ["1", "2", "3"]) desk.add(asked(id));
  desk.add(asked("2"));
  desk.end("1", NO);
  expect([...desk.waiting.keys()]).toEqual(["2", "3"]);
  expect([...desk.decided]).toMatchObject([["1", { ending: NO }]]);
  desk.add(asked("1"));
  expect([...desk.waiting.keys()]).toEqual(["2", "3"]);
});

test("an ending that is heard of before its request ends it as soon as that is known", () => {
  const desk = new InboxState();
  desk.end("1", NO);
  expect([desk.waiting.size, desk.decided.size]).toEqual([0, 0]);
  desk.add(asked("1"));
  expect([desk.waiting.size, desk.decided.get("1")?.ending]).toEqual([0, NO]);
});

test("what waits no more when all is looked at anew stays until it is known what became of it", () => {
  const desk = new InboxState();
  for (const id of ["1", "2"]) desk.add(asked(id));
  expect(desk.replace([asked("2"), asked("3")])).toEqual(["1"]);
  expect([...desk.waiting.keys()]).toEqual(["1", "2", "3"]);
  desk.end("1", NO);
  desk.forget("2");
  expect([...desk.waiting.keys()]).toEqual(["3"]);
});

test("of what was decided the last fifty are kept", () => {
  const desk = new InboxState();
  for (let index = 0; index < 60; index += 1) {
    desk.add(asked(`${index}`));
    desk.end(`${index}`, NO);
  }
  expect([...desk.decided.keys()]).toEqual(Array.from({ length: 50 }, (_, index) => `${59 - index}`));
});

test("those of a turn are of one run, whatever others call theirs", () => {
  const desk = new InboxState();
  for (const [id, run, group] of [
    ["1", "run-1", "turn"],
    ["2", "run-1", "turn"],
    ["3", "run-2", "turn"],
    ["4", "run-1", null],
  ] as const)
    desk.add(asked(id, run, group));
  expect(desk.beside(asked("1", "run-1", "turn"))).toEqual({ group: 2, run: 3 });
  expect(desk.idsOf({ runId: "run-1", groupId: "turn" })).toEqual(["1", "2"]);
  expect(desk.beside(asked("4"))).toEqual({ group: 0, run: 3 });
});

test("how a request ended is read from an event, and from what the server shows", () => {
  const envelope = {
    version: 1,
    seq: 1,
    run_id: "r",
    session_id: "s",
    approval_id: "1",
    created_at: 5,
  } as const;
  const payload = { approved: true, remember: "session", by: "ann", note: null, is_edited: false };
  const yes: RequestEnding = { outcome: "approved", isForSession: true, by: "ann", note: null, at: 5_000 };
  expect(endingIn({ ...envelope, type: "approval.resolved", payload })).toEqual(yes);
  expect(endingIn({ ...envelope, type: "approval.expired", payload: {} })).toMatchObject({
    outcome: "expired",
  });
  expect(endingIn({ ...envelope, type: "approval.ignored", payload: {} })).toBeNull();
  expect(
    endingOf({
      now: 5_000,
      decision: { status: "approved", scope: "session", by: "ann", note: null, isEdited: false },
    }),
  ).toEqual(yes);
  expect(endingOf({ now: 5_000, decision: { status: "rejected", by: "ann", note: "no" } })).toEqual(NO);
  expect(endingOf({ now: 5_000, decision: { status: "expired" } })).toMatchObject({ outcome: "expired" });
  expect(endingOf({ now: 5_000, decision: null })).toBeNull();
});
