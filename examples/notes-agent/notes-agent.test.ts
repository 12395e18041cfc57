import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApprovalRequest, CallbackHandler, rejected } from "cofferdam";
import { afterAll, beforeEach, expect, test } from "vitest";
import { type Model, type Reply, takeNotes } from "./agent.ts";

const stage = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-example-")));
process.env["XDG_STATE_HOME"] = join(stage, "state");
afterAll(() => rmSync(stage, { recursive: true, force: true }));

const folder = join(stage, "notes-agent");
const asked: ApprovalRequest[] = [];
beforeEach(() => {
  asked.length = 0;
  rmSync(folder, { recursive: true, force: true });
  cpSync(import.meta.dirname, folder, { recursive: true });
});

/** A model that follows a script. */
function scripted(...replies: readonly Reply[]): Model {
  let turn = 0;
  return async () => {
    turn += 1;
    return replies[turn - 1] ?? { text: "done" };
  };
}

/** Approves changes of ideas, and rejects the rest. */
const person = new CallbackHandler((request) => {
  asked.push(request);
  return request.description.endsWith("notes:ideas.md")
    ? { approved: true, by: "ann" }
    : rejected("ann", "only the ideas, please");
});

test("it reads, asks before it writes a note, and keeps what it likes in its cache (S1-15, S1-17)", async () => {
  const model = scripted(
    {
      calls: [
        { tool: "list_dir", args: {} },
        { tool: "read_file", args: { path: "notes:ideas.md" } },
      ],
    },
    {
      calls: [
        {
          tool: "edit_file",
          args: {
            path: "notes:ideas.md",
            edits: [{ old_text: "follows the sun", new_text: "follows the reader" }],
          },
        },
        { tool: "write_file", args: { path: "notes:plan.md", content: "1. build it\n" } },
        { tool: "write_file", args: { path: "cache:seen.json", content: "{}" } },
      ],
    },
    { text: "I changed the lamp." },
  );
  const messages = await takeNotes(folder, "mend the lamp", model, person);
  expect(messages.map((one) => (one.role === "tool" ? [one.tool, one.result.type] : one.text))).toEqual([
    "mend the lamp",
    ["list_dir", "success"],
    ["read_file", "success"],
    ["edit_file", "success"],
    ["write_file", "denied"],
    ["write_file", "success"],
    "I changed the lamp.",
  ]);
  expect(readFileSync(join(folder, "notes/ideas.md"), "utf8")).toContain("follows the reader");
  expect(readdirSync(join(folder, "notes"))).toEqual(["ideas.md"]);
  expect(readdirSync(join(folder, "cache")).sort()).toEqual(["readme.txt", "seen.json"]);
  expect(asked.map(({ description, agent }) => [description, agent]).sort()).toEqual([
    ["edit notes:ideas.md", "note-taker"],
    ["write to notes:plan.md", "note-taker"],
  ]);
});

test("what it may not do it is told, with what would help, and the loop goes on", async () => {
  const model = scripted({
    calls: [
      { tool: "read_file", args: { path: "../agent.ts" } },
      { tool: "read_file", args: { path: "/etc/passwd" } },
      { tool: "write_file", args: { path: "notes:run.sh", content: "#!/bin/sh\n" } },
      { tool: "shell", args: { script: "rm -rf notes" } },
      { tool: "shell", args: { argv: ["wc", "-l", "readme.txt"], cwd: "cache" } },
      { tool: "read_file", args: { path: "notes:none.md" } },
    ],
  });
  const messages = await takeNotes(folder, "look around", model, person);
  expect(messages.flatMap((one) => (one.role === "tool" ? [one.result] : []))).toMatchObject([
    { type: "denied" },
    {
      type: "denied",
      output: expect.stringMatching(/^Denied: no tool may read `\/etc\/passwd`.*\nWhat would help: list the/),
    },
    { type: "denied", output: expect.stringContaining("has access only for .md, .txt files") },
    {
      type: "denied",
      output: expect.stringMatching(/^Denied: blocked by rule `rm` of `shell\.rules`\nWhat would help: /),
    },
    { type: "success", output: { status: 0, stdout: "1 readme.txt\n" } },
    { type: "error", error: expect.stringContaining("`notes:none.md` does not exist") },
  ]);
  expect(asked).toEqual([]);
});
