import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { startService } from "./service.ts";

const state = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-example-")));
process.env["XDG_STATE_HOME"] = state;
afterAll(() => rmSync(state, { recursive: true, force: true }));

/** A token of 256 random bits; a service reads it from its environment. */
const TOKEN = Buffer.alloc(32, "a token that ann has").toString("base64url");
const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
const Asked = z.looseObject({ request_id: z.string(), arguments: z.looseObject({ to: z.string() }) });

/** The stream as a page reads it: each event by its name, with its data. */
async function* follow(url: string, signal: AbortSignal): AsyncGenerator<readonly [string, unknown]> {
  const { body } = await fetch(`${url}/events?view=stream`, { headers, signal });
  let text = "";
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/m.exec(frame) ?? [];
      if (name !== undefined && data !== undefined) yield [name, JSON.parse(data)];
    }
  }
}

test("an agent's letters wait on a page, and each goes out or not as is answered there (S0-23, S0-32, S0-33)", async () => {
  await using service = await startService(TOKEN);
  const seen: string[] = [];
  const closing = new AbortController();
  const page = (async () => {
    for await (const [name, data] of follow(service.url, closing.signal)) {
      seen.push(name);
      if (name !== "ApprovalRequestEvent") continue;
      const { request_id, arguments: letter } = Asked.parse(data);
      const answer = letter.to === "ben" ? { approved: true } : { approved: false, reason: "only to ben" };
      const body = JSON.stringify(answer);
      const said = await fetch(`${service.url}/approve/${request_id}`, { method: "POST", headers, body });
      expect([said.status, await said.json()]).toEqual([200, { status: "ok" }]);
    }
  })().catch((error: unknown) => {
    if (!closing.signal.aborted) throw error;
  });
  expect(await service.send({ to: "ben", text: "hello" }, { to: "eve", text: "hello" })).toEqual([
    { type: "success", output: "sent to ben" },
    {
      type: "denied",
      output: expect.stringMatching(/^Denied: rejected by \w+: only to ben\nWhat would help: /),
    },
  ]);
  while (seen.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
  closing.abort();
  await page;
  expect(seen.toSorted()).toEqual([
    "ApprovalRequestEvent",
    "ApprovalRequestEvent",
    "ApprovalResultEvent",
    "ApprovalResultEvent",
  ]);
});

test("without the token the page is told nothing (S4-18)", async () => {
  await using service = await startService(TOKEN);
  expect((await fetch(`${service.url}/approvals`)).status).toBe(401);
  expect((await fetch(`${service.url}/approvals`, { headers })).status).toBe(200);
});
