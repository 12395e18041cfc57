import { describe, expect, test } from "vitest";
import type { ApprovalRequest } from "../../src/policy/request.ts";
import type { Command } from "../support/screen/commands.ts";
import { pause, sitDown, terminalProblem } from "../support/screen/person.ts";
import { commandOf, requestOf } from "../support/screen/requests.ts";

const YES = { status: "approved", scope: "once", by: "ann" };
const NO = { status: "rejected", by: "ann" };

/** A call that would run a command, by number. */
function call(number: number, of: Partial<ApprovalRequest> = {}): Command {
  const [description, safeArgs] = [`Execute: step ${number}`, { command: `step ${number}` }];
  const request = requestOf({ approvalId: `a${number}`, description, safeArgs, covers: null, ...of });
  return { kind: "ask", request, presentation: commandOf(`step ${number}`) };
}

describe.skipIf(terminalProblem() !== null)("several calls that wait", () => {
  test("get no more than one answer from a key that is held down", async () => {
    const person = await sitDown({ rows: 24 });
    person.tell(...Array.from({ length: 6 }, (_, at) => call(at + 1)));
    await person.reads("1 of 6 waiting");
    // On a busy machine several keys may arrive in one read, which is not taken for an answer. So the pause grows.
    for (let repeats = 0, more = 0; repeats < 300 && more < 40; repeats += 1) {
      person.type("y");
      await pause(30 + repeats / 3);
      if (person.heard("answered").length > 0) more += 1;
    }
    expect(person.heard("answered").map(({ id }) => id)).toEqual(["a1"]);
    await pause(330);
    person.type("y");
    expect(await person.outcome("a2")).toEqual(YES);
  });

  test("are listed, and answered one by one, each with a decision of its own", async () => {
    const person = await sitDown({ rows: 24 });
    person.tell(call(1), call(2), call(3));
    await person.reads("1 of 3 waiting");
    expect(person.rows().slice(0, 4)).toEqual([
      "2 │ shell: Execute: step 2",
      "3 │ shell: Execute: step 3",
      "",
      "cofferdam asks, 1 of 3 waiting: this call needs your approval",
    ]);
    expect(person.sees("answer them one by one")).toBe(true);
    person.type("y");
    await person.reads("1 of 2 waiting");
    person.type("n");
    await person.until(() => !person.sees("waiting"));
    await person.reads("[y] yes, once");
    person.type("y");
    expect([await person.outcome("a1"), await person.outcome("a2"), await person.outcome("a3")]).toEqual([
      YES,
      NO,
      YES,
    ]);
    await person.until(() => person.rows().filter((row) => row !== "").length === 3);
    expect(person.rows().filter((row) => row !== "")).toEqual([
      "yes, by ann: shell Execute: step 1",
      "no, by ann: shell Execute: step 2",
      "yes, by ann: shell Execute: step 3",
    ]);
  });

  test("have made what there is to look at when it is their turn, not before, and once (S1-10)", async () => {
    const person = await sitDown({ rows: 24 });
    person.tell(call(1), call(2), call(3));
    const presented = (): readonly string[] => person.heard("presented").map(({ id }) => id);
    await person.reads("1 of 3 waiting");
    expect(presented()).toEqual(["a1"]);
    person.type("2");
    await person.reads("2 of 3 waiting");
    person.type("1");
    await person.reads("1 of 3 waiting");
    expect(presented()).toEqual(["a1", "a2"]);
  });

  test("can be picked by their digits", async () => {
    const person = await sitDown({ rows: 24 });
    person.tell(call(1), call(2), call(3));
    await person.reads("1 of 3 waiting");
    person.type("3");
    await person.reads("3 of 3 waiting");
    expect(person.sees("│ step 3")).toBe(true);
    person.type("y");
    expect(await person.outcome("a3")).toEqual(YES);
    await person.reads("1 of 2 waiting");
    expect(person.heard("answered")).toHaveLength(1);
  });

  test("are answered by one yes when all of it is on the screen, whole", async () => {
    const person = await sitDown({ rows: 60 });
    person.tell(call(1), call(2), call(3));
    await person.reads("[A] yes to all 3");
    expect(
      ["│ step 1", "│ step 2", "│ step 3"].filter(
        (row) => !person.rows().includes(row) && !person.sees(row.slice(2)),
      ),
    ).toEqual([]);
    person.type("A");
    expect([await person.outcome("a1"), await person.outcome("a2"), await person.outcome("a3")]).toEqual([
      YES,
      YES,
      YES,
    ]);
  });

  test("are not answered by one yes when something of them is hidden, but by one no", async () => {
    const person = await sitDown({ rows: 60 });
    const redactions = { hidden: [{ at: "command", because: "shape" as const }], cut: [], isMore: false };
    person.tell(call(1), call(2, { redactions }));
    await person.reads("answer them one by one");
    expect(person.sees("[A]")).toBe(false);
    person.type("A");
    await person.untilSeen("no such key");
    expect(person.heard("answered")).toEqual([]);
    person.type("N");
    expect([await person.outcome("a1"), await person.outcome("a2")]).toEqual([NO, NO]);
  });

  test("a yes to all does not catch a call that has just come", async () => {
    const person = await sitDown({ rows: 60 });
    person.tell(call(1), call(2));
    await person.reads("[A] yes to all 2");
    person.tell(call(3));
    await person.untilSeen("[A] yes to all 3");
    person.type("A");
    await pause(400);
    expect(person.heard("answered")).toEqual([]);
    person.type("A");
    expect([await person.outcome("a1"), await person.outcome("a2"), await person.outcome("a3")]).toEqual([
      YES,
      YES,
      YES,
    ]);
  });

  test("a call that comes does not take the keys from the question that is being read", async () => {
    const person = await sitDown({ rows: 24 });
    person.tell(call(1));
    await person.reads("[y] yes, once");
    person.tell(call(2));
    await person.untilSeen("1 of 2 waiting");
    person.type("y");
    expect(await person.outcome("a1")).toEqual(YES);
    expect(person.heard("answered")).toHaveLength(1);
  });

  test("one that is answered elsewhere is taken off the screen, and is rejected", async () => {
    const person = await sitDown({ rows: 24 });
    person.tell(call(1), call(2), call(3));
    await person.reads("1 of 3 waiting");
    person.tell({ kind: "abort", id: "a2" });
    await person.untilSeen("answered elsewhere, or canceled: shell Execute: step 2");
    await person.untilSeen("1 of 2 waiting");
    await person.presses("v", () => person.isOnOtherScreen);
    person.tell({ kind: "abort", id: "a1" });
    await person.until(() => !person.isOnOtherScreen);
    await person.untilSeen("answered elsewhere, or canceled: shell Execute: step 1");
    await person.reads("│ step 3");
    person.tell({ kind: "abort", id: "a3" });
    await person.untilSeen("answered elsewhere, or canceled: shell Execute: step 3");
    await person.until(() => person.heard("rejected").length === 3);
    expect(person.heard("rejected").map(({ id, error }) => [id, error])).toEqual([
      ["a2", "AbortError"],
      ["a1", "AbortError"],
      ["a3", "AbortError"],
    ]);
    person.tell({ kind: "end" });
    expect(await person.ending()).toEqual({ how: "exit 0, signal 0", isCooked: true });
  });

  test("tty: no question is put on a terminal that a program has, until it is given back", async () => {
    const person = await sitDown({ rows: 24 });
    person.tell({ kind: "lend" }, call(1), call(2), { kind: "abort", id: "a2" });
    // Whoever gives up waits no longer, and nothing of it was ever seen.
    expect(await person.outcome("a2")).toBe("AbortError");
    person.type("y");
    await pause(300);
    expect(person.sent.replace(/^y/, "")).toBe("");
    person.tell({ kind: "give back" });
    await person.reads("[y] yes, once");
    expect(person.heard("answered")).toEqual([]);
    person.type("y");
    expect(await person.outcome("a1")).toEqual(YES);
  });
});
