import { expect, test } from "vitest";
import type { RulePlan } from "../../../src/backend/plan.ts";
import { CALL } from "../../support/mac/mac-case.ts";
import { NODE, notes, ofFileTools, text } from "../../support/mac/simulated-notes.ts";
import { ACTS, type Act, asked, wrongIn } from "./asked.ts";

const APP = "/Users/ada/work/app";

/** Which of these acts the rules let pass, one in a line. */
function answers(plan: RulePlan, acts: readonly (readonly [Act, string])[]): readonly string[] {
  const ask = asked(plan);
  return acts.map(([act, target]) => `${ask(ACTS[act](target))}: ${act} ${target}`);
}

test("unasked, notes that need a yes can be read, by their suffix, and drafts written", async () => {
  const plan = await notes().plan("withoutApproval");
  expect(wrongIn(text(plan))).toEqual([]);
  expect(
    answers(plan, [
      ["read", `${APP}/notes/ideas.md`],
      ["read", `${APP}/notes/keys.json`],
      ["write", `${APP}/notes/ideas.md`],
      ["write", `${APP}/drafts/a.txt`],
      ["make", `${APP}/drafts/b.txt`],
      ["make", `${APP}/drafts/b.sh`],
      ["list", `${APP}/drafts`],
      ["make the folder", `${APP}/drafts/more`],
      ["run", `${APP}/drafts/a.txt`],
      ["run", "/bin/ls"],
    ]),
  ).toEqual([
    `yes: read ${APP}/notes/ideas.md`,
    `no: read ${APP}/notes/keys.json`,
    `no: write ${APP}/notes/ideas.md`,
    `yes: write ${APP}/drafts/a.txt`,
    `yes: make ${APP}/drafts/b.txt`,
    `no: make ${APP}/drafts/b.sh`,
    `yes: list ${APP}/drafts`,
    `no: make the folder ${APP}/drafts/more`,
    `no: run ${APP}/drafts/a.txt`,
    "yes: run /bin/ls",
  ]);
});

test("after a yes notes can be written, by their suffix and no other file", async () => {
  const plan = await notes().plan("withApproval");
  expect(wrongIn(text(plan))).toEqual([]);
  expect(
    answers(plan, [
      ["write", `${APP}/notes/ideas.md`],
      ["write", `${APP}/notes/keys.json`],
      ["remove", `${APP}/notes/ideas.md`],
      ["remove", `${APP}/notes`],
    ]),
  ).toEqual([
    `yes: write ${APP}/notes/ideas.md`,
    `no: write ${APP}/notes/keys.json`,
    `yes: remove ${APP}/notes/ideas.md`,
    `no: remove ${APP}/notes`,
  ]);
});

test("what works on files has the roots, Node, its own program, and no socket", async () => {
  const plan = await ofFileTools(notes());
  expect(wrongIn(text(plan))).toEqual([]);
  expect(
    answers(plan, [
      ["run", NODE],
      ["read", `${CALL}/given/cofferdam-worker.mjs`],
      ["write", `${CALL}/given/cofferdam-worker.mjs`],
      ["write", `${APP}/notes/ideas.md`],
      ["make the folder", `${APP}/drafts/more`],
      ["write", `${APP}/cofferdam.yaml`],
      ["connect to", `${CALL}/tmp/a.sock`],
      ["reach", "127.0.0.1:80"],
    ]),
  ).toEqual([
    `yes: run ${NODE}`,
    `yes: read ${CALL}/given/cofferdam-worker.mjs`,
    `no: write ${CALL}/given/cofferdam-worker.mjs`,
    `yes: write ${APP}/notes/ideas.md`,
    `yes: make the folder ${APP}/drafts/more`,
    `no: write ${APP}/cofferdam.yaml`,
    `no: connect to ${CALL}/tmp/a.sock`,
    "no: reach 127.0.0.1:80",
  ]);
});
