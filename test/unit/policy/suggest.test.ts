import { expect, test } from "vitest";
import { type AnsweredRecord, suggestionNamed, suggestRules } from "../../../src/policy/suggest.ts";

let made = 0;
const asked = (text: string, answer: AnsweredRecord["answer"] = "none"): AnsweredRecord => ({
  text,
  tool: "shell",
  approvalId: `r${made++}`,
  answer,
  isByDefault: true,
});

test("a suggestion keeps its id whatever else is asked about, and is named by nothing else", () => {
  const approved = [asked("git status", "yes"), asked("npm publish", "yes")];
  const before = suggestRules([...approved, asked("git status -s")]);
  const after = suggestRules([...approved, ...Array.from({ length: 5 }, () => asked("npm publish"))]);
  const [first] = before;
  expect(first?.from).toEqual([approved[0]?.approvalId]);
  // Calls that nobody answered may change the order.
  expect(after[0]?.from).toEqual([approved[1]?.approvalId]);
  expect(suggestionNamed(after, first?.id ?? "")?.cover).toEqual(first?.cover);
  for (const other of ["", "1", first?.id.slice(0, 4) ?? ""])
    expect(suggestionNamed(after, other)).toBeNull();
  expect(suggestionNamed([...before, ...before], first?.id ?? "")).toBeNull();
});

test("no rule is suggested that covers a rejected call, or a line that gives a command its input", () => {
  expect(suggestRules([asked("git add a", "yes"), asked("git add secret", "no")])).toEqual([]);
  expect(suggestRules([asked("psql db <<< 'select 1'", "yes")])).toEqual([]);
});
