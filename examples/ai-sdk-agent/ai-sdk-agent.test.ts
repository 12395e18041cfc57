import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AbstractChat,
  type ChatState,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ModelMessage,
  type UIMessage,
} from "ai";
import { absolutePath, createDesk, createSupervisor } from "cofferdam";
import { afterAll, beforeEach, expect, test } from "vitest";
import { scriptedModel, toldOf } from "../../test/support/integrations/scripted-model.ts";
import { answer, goOn } from "./agent.ts";
import { chatRoute } from "./route.ts";

const stage = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-example-")));
process.env["XDG_STATE_HOME"] = join(stage, "state");
afterAll(() => rmSync(stage, { recursive: true, force: true }));

const folder = join(stage, "ai-sdk-agent");
const page = join(folder, "site/ideas.html");
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  cpSync(import.meta.dirname, folder, { recursive: true });
});

const START: ModelMessage[] = [{ role: "user", content: "make a page of my ideas" }];
const READ = { id: "r1", tool: "read_file", input: { path: "notes:ideas.md" } };
const WRITE = {
  id: "w1",
  tool: "write_file",
  input: { path: "site:ideas.html", content: "<h1>A lamp</h1>\n" },
};
const COUNT = { id: "s1", tool: "shell", input: { argv: ["wc", "-w", "ideas.html"], cwd: "site" } };

test("it reads, asks before it writes, and after a yes another supervisor goes on, from its messages alone", async () => {
  const before = scriptedModel([READ], [WRITE]);
  const asked = await goOn(folder, before, START, "ann");
  expect(toldOf(before)).toMatchObject({
    r1: { type: "json", value: { text: expect.stringContaining("lamp") } },
  });
  expect(asked.questions).toMatchObject([{ toolCall: { toolName: "write_file" } }]);
  expect(existsSync(page)).toBe(false);
  await using desk = await createDesk({ config: `${folder}/cofferdam.yaml` });
  expect(await desk.broker.pending()).toMatchObject([
    { agent: "editor", description: "write to site:ideas.html" },
  ]);

  const stored: ModelMessage[] = JSON.parse(JSON.stringify(asked.messages));
  const after = scriptedModel([COUNT], "It has two words.");
  const [question] = asked.questions;
  const done = await goOn(folder, after, [...stored, answer(question?.approvalId ?? "", true)], "ann");
  expect(done.text).toBe("It has two words.");
  expect(readFileSync(page, "utf8")).toBe("<h1>A lamp</h1>\n");
  expect(toldOf(after)).toMatchObject({ s1: { type: "json", value: { stdout: "2 ideas.html\n" } } });
  expect(await desk.broker.pending()).toEqual([]);
});

test("after a no it is told why, and nothing is written", async () => {
  const { questions, messages } = await goOn(folder, scriptedModel([WRITE]), START, "ann");
  const model = scriptedModel("Another time, then.");
  const no = answer(questions[0]?.approvalId ?? "", false, "only on Mondays");
  const { text } = await goOn(folder, model, [...messages, no], "ann");
  expect(text).toBe("Another time, then.");
  expect(toldOf(model)).toEqual({ w1: { type: "execution-denied", reason: "only on Mondays" } });
  expect(existsSync(page)).toBe(false);
});

/** The messages that `useChat` keeps in a page. */
class Page extends AbstractChat<UIMessage> {
  constructor(send: (request: Request) => Promise<Response>) {
    const state: ChatState<UIMessage> = {
      status: "ready",
      error: undefined,
      messages: [],
      pushMessage: (message) => {
        state.messages = [...state.messages, message];
      },
      popMessage: () => {
        state.messages = state.messages.slice(0, -1);
      },
      replaceMessage: (index, message) => {
        state.messages = state.messages.with(index, message);
      },
      snapshot: structuredClone,
    };
    const transport = new DefaultChatTransport<UIMessage>({
      api: "http://127.0.0.1/chat",
      fetch: (url, init) => send(new Request(url instanceof Request ? url.url : url, init)),
    });
    super({ state, transport, sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
  }

  /** The questions that are shown. */
  get questions(): readonly string[] {
    return this.messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        "state" in part && part.state === "approval-requested" ? [part.approval.id] : [],
      ),
    );
  }
}

test("a page with `useChat` shows the question, and what is clicked there decides", async () => {
  const cwd = absolutePath(folder);
  await using supervisor = await createSupervisor({ config: `${cwd}/cofferdam.yaml`, cwd });
  const model = scriptedModel([WRITE], "not now", [{ ...WRITE, id: "w2" }], "it is there");
  const route = chatRoute(supervisor, model, "a secret of the server");
  const chat = new Page((request) => route(request, "ann"));
  await chat.sendMessage({ text: "make a page" });
  await chat.addToolApprovalResponse({ id: chat.questions[0] ?? "", approved: false, reason: "wait" });
  await expect.poll(() => toldOf(model)).toEqual({ w1: { type: "execution-denied", reason: "wait" } });
  await expect.poll(() => chat.status).toBe("ready");
  expect([existsSync(page), await supervisor.broker.pending()]).toEqual([false, []]);
  await chat.sendMessage({ text: "now" });
  await chat.addToolApprovalResponse({ id: chat.questions[0] ?? "", approved: true });
  await expect.poll(() => existsSync(page)).toBe(true);
  await expect.poll(() => toldOf(model)["w2"]).toMatchObject({ type: "json", value: { is_new: true } });
  expect(chat.error).toBeUndefined();
});
