import { expect, test } from "vitest";
import { notes, ofFileTools, text } from "../support/mac/simulated-notes.ts";

test("unasked, notes that need a yes can be read, by their suffix, and drafts written", async () => {
  const plan = await notes().plan("withoutApproval");
  await expect(text(plan)).toMatchFileSnapshot("seatbelt/notes-unasked.sb");
  expect(plan.rules.text.length).toBeLessThan(48 * 1024);
});

test("after a yes notes can be written, by their suffix and no other file", async () => {
  const plan = await notes().plan("withApproval");
  await expect(text(plan)).toMatchFileSnapshot("seatbelt/notes-on-a-yes.sb");
  expect(plan.rules.text.length).toBeLessThan(66 * 1024);
});

test("what works on files has the roots, Node, its own program, and no socket", async () => {
  const plan = await ofFileTools(notes());
  await expect(text(plan)).toMatchFileSnapshot("seatbelt/notes-file-tools.sb");
  expect(plan.rules.text.length).toBeLessThan(48 * 1024);
});
