import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { MemorySaver } from "@langchain/langgraph";
import { createDesk, createSupervisor } from "cofferdam";
import { type ApprovalQuestion, approve, reject } from "cofferdam/langchain";
import { afterAll, beforeEach, expect, test } from "vitest";
import { work } from "./agent.ts";
import { goOn } from "./later.ts";
import { toolsFor } from "./tools.ts";

process.env["LANGSMITH_TRACING"] = "false";
const stage = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-example-")));
process.env["XDG_STATE_HOME"] = join(stage, "state");
afterAll(() => rmSync(stage, { recursive: true, force: true }));

const folder = join(stage, "langchain-agent");
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  cpSync(import.meta.dirname, folder, { recursive: true });
});

/** A model that follows a script: it drafts, counts, and asks to publish. */
function writer() {
  return fakeModel()
    .respondWithTools([
      { name: "read_file", args: { path: "drafts:idea.md" } },
      { name: "write_file", args: { path: "drafts:post.md", content: "Lamps that follow you\n" } },
    ])
    .respondWithTools([
      { name: "shell", args: { argv: ["wc", "-w", "post.md"], cwd: "drafts" } },
      { name: "shell", args: { argv: ["cp", "post.md", "../site/post.md"], cwd: "drafts" } },
      { name: "write_file", args: { path: "site:index.html", content: "<h1>More lamps</h1>\n" } },
    ])
    .respond(new AIMessage("The post is out."));
}

/** The results of its calls, in order. */
function told(messages: readonly BaseMessage[]) {
  return messages.filter((one) => ToolMessage.isInstance(one)).map(({ status, text }) => [status, text]);
}

test("it drafts freely, asks before the site changes, and a no to one call drops no other", async () => {
  const asked: ApprovalQuestion[] = [];
  const messages = await work(folder, "write about lamps", writer(), async (question) => {
    asked.push(question);
    return question.tool === "shell" ? approve(question, { by: "ann" }) : reject(question, "the page stays");
  });
  expect(told(messages)).toEqual([
    ["success", expect.stringContaining("follows the reader")],
    ["success", expect.any(String)],
    ["success", expect.stringContaining('"stdout":"4 post.md\\n"')],
    ["success", expect.stringContaining('"status":0')],
    ["error", expect.stringMatching(/^Denied: rejected by langchain: the page stays\nWhat would help: /)],
  ]);
  expect(messages.at(-1)?.text).toBe("The post is out.");
  expect(asked.map(({ description }) => description).sort()).toEqual([
    "run cp post.md ../site/post.md",
    "write to site:index.html",
  ]);
  expect(readdirSync(join(folder, "site")).sort()).toEqual(["index.html", "post.md"]);
  expect(readFileSync(join(folder, "site/index.html"), "utf8")).toBe("<h1>Lamps</h1>\n");
});

test("it goes on later, by answers to its questions, and by what somebody answered elsewhere", async () => {
  const [model, saver] = [writer(), new MemorySaver()];
  const { waiting } = await goOn(folder, "write about lamps", model, saver);
  expect(waiting.size).toBe(2);
  await using desk = await createDesk({ config: `${folder}/cofferdam.yaml` });
  const [first] = [...waiting.values()].filter(({ tool }) => tool === "shell");
  await desk.broker.respond(first?.approvalId ?? "", { approved: true }, "ann");
  expect(existsSync(join(folder, "site/post.md"))).toBe(false);
  const second = [...waiting].flatMap(([id, question]) =>
    question.tool === "write_file" ? [[id, approve(question)] as const] : [],
  );
  const { messages } = await goOn(folder, Object.fromEntries(second), model, saver);
  expect(messages.at(-1)?.text).toBe("The post is out.");
  expect(readFileSync(join(folder, "site/index.html"), "utf8")).toBe("<h1>More lamps</h1>\n");
  expect(readFileSync(join(folder, "site/post.md"), "utf8")).toBe("Lamps that follow you\n");
});

test("tools alone need no agent, and what is granted they do at once", async () => {
  await using supervisor = await createSupervisor({ config: `${folder}/cofferdam.yaml` });
  const tools = toolsFor(supervisor);
  expect(tools.map(({ name }) => name)).toEqual(["shell", "read_file"]);
  expect(await tools[1]?.invoke({ path: "drafts:idea.md" })).toContain("follows the reader");
});
