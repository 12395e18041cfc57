import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ApprovalRequest,
  absolutePath,
  CallbackHandler,
  createSupervisor,
  type Outcome,
  rejected,
  toolResult,
} from "cofferdam";
import { afterAll, beforeEach, expect, test } from "vitest";
import { type Letter, tools } from "./tools.ts";

const state = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-example-")));
process.env["XDG_STATE_HOME"] = state;
afterAll(() => rmSync(state, { recursive: true, force: true }));

const asked: ApprovalRequest[] = [];
const sent: Letter[] = [];
beforeEach(() => {
  asked.length = 0;
  sent.length = 0;
});

/** Approves letters to ann for the session, and rejects the rest. */
const person = new CallbackHandler((request) => {
  asked.push(request);
  return request.description === "send a letter to ann"
    ? { approved: true, always: true, by: "ben" }
    : rejected("ben", "only ann, please");
});

async function results(...calls: readonly { readonly tool: string; readonly args: unknown }[]) {
  const cwd = absolutePath(import.meta.dirname);
  await using supervisor = await createSupervisor({ config: `${cwd}/cofferdam.yaml`, cwd });
  await using session = supervisor.session({ handler: person, tools: tools((letter) => sent.push(letter)) });
  const found = [];
  for (const { tool, args } of calls) {
    const [outcome] = await session.callAll([{ tool, args }]);
    if (outcome !== undefined) found.push({ ...toolResult(outcome), sandbox: sandboxOf(outcome) });
  }
  return found;
}

/** The enforcement of a call, by its receipt. */
function sandboxOf(outcome: Outcome): string | null {
  return "receipt" in outcome ? (outcome.receipt?.backend ?? null) : null;
}

test("a function is asked about by whom it writes to, and a yes for the session is for them", async () => {
  expect(
    await results(
      { tool: "send_letter", args: { to: "ann", body: "hello" } },
      { tool: "send_letter", args: { to: "ann", body: "and again" } },
      { tool: "send_letter", args: { to: "eve", body: "secrets" } },
    ),
  ).toEqual([
    { type: "success", output: "sent to ann", sandbox: "none" },
    { type: "success", output: "sent to ann", sandbox: "none" },
    {
      type: "denied",
      output: expect.stringMatching(/^Denied: rejected by ben: only ann, please\nWhat would help: /),
      sandbox: null,
    },
  ]);
  expect(sent.map(({ to }) => to)).toEqual(["ann", "ann"]);
  expect(asked.map(({ description }) => description)).toEqual([
    "send a letter to ann",
    "send a letter to eve",
  ]);
});

test("a function with a schema is given nothing that the schema does not take", async () => {
  expect(
    await results(
      { tool: "split_bill", args: { cents: 1000, people: 3 } },
      { tool: "split_bill", args: { cents: 1000, people: 0 } },
    ),
  ).toEqual([
    { type: "success", output: [334, 333, 333], sandbox: "none" },
    {
      type: "error",
      error: expect.stringContaining("invalid arguments of `split_bill`: `people`"),
      sandbox: "none",
    },
  ]);
  expect(asked).toEqual([]);
});

test("a program sees what it needs and nothing else, whatever it is called with", async () => {
  expect(
    await results(
      { tool: "word_count", args: { file: "lamp.txt" } },
      { tool: "word_count", args: { file: "../private/diary.txt" } },
      { tool: "word_count", args: { file: "lamp.txt; cat ../private/diary.txt" } },
    ),
  ).toMatchObject([
    {
      type: "success",
      // The width of the columns differs by system.
      output: { status: 0, stdout: expect.stringMatching(/^ *3 +6 +31 lamp\.txt\n$/) },
      sandbox: process.platform === "darwin" ? "seatbelt" : "bubblewrap",
    },
    {
      type: "success",
      output: {
        status: 1,
        denials: [
          { operation: "read", target: `${import.meta.dirname}/private/diary.txt`, certainty: "certain" },
        ],
      },
    },
    { type: "success", output: { status: 1, stdout: "" } },
  ]);
  expect(asked).toEqual([]);
});
