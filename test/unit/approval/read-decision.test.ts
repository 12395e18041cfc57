import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { approved, createApprovalResult, rejected } from "../../../src/approval/factories.ts";
import { readAnswer, readDecision } from "../../../src/approval/read-decision.ts";

const read = (given: unknown) => readAnswer(given, "ann");

/** What an answer says, or that it is refused. */
function said(given: unknown): string {
  try {
    return read(given).status;
  } catch (error) {
    expect(error).toMatchObject({ code: "USAGE" });
    return "refused";
  }
}

/** Said in the plainest way: does a value's own data say yes, in words that are known, and nothing besides? */
function saysYes(given: unknown): boolean {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return false;
  const own = new Map(Object.entries(given));
  const known = ["approved", "status", "scope", "always", "remember", "by", "note", "reason"];
  const results = ["approvedBy", "approvalId", "metadata", "editedInput"];
  if ([...own.keys()].some((key) => !known.includes(key) && !results.includes(key))) return false;
  return own.get("approved") === true ? !own.has("status") : own.get("status") === "approved";
}

const value = fc.oneof(
  fc.constantFrom<unknown>(
    true,
    false,
    1,
    0,
    null,
    undefined,
    "",
    "true",
    "yes",
    "approved",
    "rejected",
    "timeout",
  ),
  fc.constantFrom<unknown>(
    "pending",
    "expired",
    "once",
    "session",
    "APPROVED",
    " approved",
    ["approved"],
    {},
    [true],
  ),
  fc.constantFrom<unknown>(
    new Boolean(true),
    new String("approved"),
    Symbol("approved"),
    () => true,
    1n,
    Number.NaN,
  ),
  fc.anything({ maxDepth: 1 }),
);
const key = fc.constantFrom(
  ...[
    "approved",
    "status",
    "scope",
    "always",
    "remember",
    "by",
    "note",
    "reason",
    "approvedBy",
    "approvalId",
  ],
  ...["metadata", "editedInput", "Approved", "approve", "decision", "__proto__", "constructor", "sudo"],
);
const garbage = fc.oneof(
  fc.array(fc.tuple(key, value), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
  fc
    .array(fc.tuple(key, value), { maxLength: 4 })
    .map((members) => Object.create(Object.fromEntries(members))),
  fc.anything(),
);

describe("an answer from outside", () => {
  test("is never a yes unless its own data says so, whatever else it is (S3-10)", () => {
    fc.assert(
      fc.property(garbage, (given) => {
        if (said(given) === "approved") expect(saysYes(given)).toBe(true);
      }),
      { numRuns: 20_000 },
    );
  });

  test("that says yes is one no more when any one thing of it is changed", () => {
    const plain = { status: "approved", scope: "once", by: "ann" };
    const short = { approved: true, by: "ann" };
    for (const yes of [plain, short]) expect(said(yes)).toBe("approved");
    const mutants: readonly unknown[] = [
      ...["Approved", "approved ", "approve", "yes", true, 1, null, undefined, ["approved"]].map(
        (status) => ({
          ...plain,
          status,
        }),
      ),
      ...["true", 1, {}, [], "approved", null, undefined, new Boolean(true)].map((yes) => ({
        ...short,
        approved: yes,
      })),
      ...["always", "", null, 1].map((scope) => ({ ...plain, scope })),
      ...["", null, 1].map((by) => ({ ...plain, by })),
      { ...plain, sudo: true },
      { ...short, status: "rejected" },
      { ...plain, approved: false },
      // The parser would drop this key: the person would have approved one input, and another would run.
      { ...plain, editedInput: [JSON.parse('{"path": "a", "__proto__": {"mode": "w"}}')] },
      [plain],
      JSON.stringify(plain),
      new Map(Object.entries(plain)),
      Object.create(plain),
      Object.create(short),
    ];
    for (const mutant of mutants) expect([mutant, said(mutant)]).toEqual([mutant, "refused"]);
  });

  test("inherits no yes, not even where every object does", () => {
    const polluted = { approved: true, status: "approved" };
    for (const [name, yes] of Object.entries(polluted)) {
      Object.defineProperty(Object.prototype, name, { value: yes, configurable: true });
      try {
        expect(said({})).toBe("refused");
        expect(said({ by: "ann" })).toBe("refused");
      } finally {
        Reflect.deleteProperty(Object.prototype, name);
      }
    }
  });

  test("is read once: a value that says something else the next time is what it said first", () => {
    let reads = 0;
    const given = Object.defineProperty({ by: "ann" }, "approved", {
      enumerable: true,
      get: () => {
        reads += 1;
        return reads > 1;
      },
    });
    expect(read(given)).toEqual(rejected("ann"));
    expect(reads).toBe(1);
  });

  test("is frozen once it is read, also what a person put in place of the input (C2)", () => {
    const editedInput = { list: [{ env: "staging" }] };
    const decision = read({ status: "approved", by: "ann", editedInput });
    editedInput.list.push({ env: "production" });
    expect(decision).toEqual({
      status: "approved",
      scope: "once",
      by: "ann",
      editedInput: { list: [{ env: "staging" }] },
    });
    const frozen = (one: unknown): boolean =>
      typeof one !== "object" || one === null || (Object.isFrozen(one) && Object.values(one).every(frozen));
    expect(frozen(decision)).toBe(true);
  });

  test.each([
    [{ approved: true }, approved("ann")],
    [{ approved: true, always: true }, approved("ann", { scope: "session" })],
    [{ approved: true, remember: "session", by: "bob" }, approved("bob", { scope: "session" })],
    [{ approved: true, scope: "session", note: "go" }, approved("ann", { scope: "session", note: "go" })],
    [{ approved: true, remember: null, note: null }, approved("ann")],
    [{ approved: true, editedInput: { to: "bob" } }, approved("ann", { editedInput: { to: "bob" } })],
    [{ approved: false, always: true, reason: "no" }, rejected("ann", "no")],
    [{ approved: false, note: "" }, rejected("ann")],
    [createApprovalResult({ status: "approved", approvedBy: "bob" }), approved("bob")],
    [createApprovalResult({ status: "rejected", reason: "no" }), rejected("ann", "no")],
    [createApprovalResult({ status: "timeout" }), { status: "expired" }],
    [createApprovalResult({ status: "pending", approvalId: "x" }), { status: "pending" }],
    [{ status: "expired" }, { status: "expired" }],
  ])("is understood in each form: %o (S3-10, S4-5, C2)", (given, decision) => {
    expect(read(given)).toEqual(decision);
  });

  test("that leaves it open decides nothing", () => {
    expect(() => readDecision({ status: "pending" }, "ann")).toThrow("decides nothing");
    expect(readDecision({ status: "expired" }, "ann")).toEqual({ status: "expired" });
  });
});
