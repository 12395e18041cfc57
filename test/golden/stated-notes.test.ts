import { expect, test } from "vitest";
import type { RulePlan } from "../../src/backend/plan.ts";
import { PLAIN } from "../../src/channel/ink.ts";
import { ruleLines } from "../../src/cli/rule-text.ts";
import { knownPath } from "../../src/profile/path.ts";
import { withoutMissing, workerLaunch, workerProfile } from "../../src/supervisor/files/worker-profile.ts";
import { CALL } from "../sbpl/support/mac-case.ts";
import { ACTS, type Act, asked, wrongIn } from "../support/mac/asked.ts";
import { planOf, type StatedProject, statedProject } from "../support/mac/stated-project.ts";

const APP = "/Users/ada/work/app";
const NODE = knownPath("/opt/homebrew/Cellar/node/24.1.0/bin/node");

const notes = (): StatedProject =>
  statedProject({
    "cofferdam.yaml": `version: 1
sandbox:
  paths:
    notes: { root: ./notes, mode: rw, suffixes: [.md], write_approval: true }
    drafts: { root: ./drafts, mode: rw, suffixes: [.txt], write_approval: false }
  runtimes: [system]
`,
    "notes/ideas.md": "",
    "notes/keys.json": "",
    "drafts/a.txt": "",
  });

/** The walls of the process that tools on files work in. */
async function ofFileTools({ draft }: StatedProject): Promise<RulePlan> {
  const cwd = draft.standing.settings.roots[0]?.path ?? "/";
  const { standing, facts } = await draft.prepare({ argv: ["true"], cwd });
  const { profile } = standing.files.writing.onYes;
  const held = workerProfile(profile, { node: NODE, libraries: [] }, standing.settings.runtimes, facts.tree);
  const launch = workerLaunch({ node: NODE, worker: new Uint8Array() }, profile.limits);
  return planOf(standing.backend.render(withoutMissing(held, facts), launch, facts));
}

/** Which of these acts the rules let pass, one in a line. */
function answers(plan: RulePlan, acts: readonly (readonly [Act, string])[]): readonly string[] {
  const ask = asked(plan);
  return acts.map(([act, target]) => `${ask(ACTS[act](target))}: ${act} ${target}`);
}

function text(plan: RulePlan): string {
  return `${ruleLines(plan, PLAIN).join("\n")}\n`;
}

test("unasked, notes that need a yes can be read, by their suffix, and drafts written", async () => {
  const plan = await notes().plan("unasked");
  await expect(text(plan)).toMatchFileSnapshot("seatbelt/notes-unasked.sb");
  expect(plan.rules.text.length).toBeLessThan(48 * 1024);
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
  const plan = await notes().plan("onYes");
  await expect(text(plan)).toMatchFileSnapshot("seatbelt/notes-on-a-yes.sb");
  expect(plan.rules.text.length).toBeLessThan(66 * 1024);
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
  await expect(text(plan)).toMatchFileSnapshot("seatbelt/notes-file-tools.sb");
  expect(plan.rules.text.length).toBeLessThan(48 * 1024);
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
