import { expect, test } from "vitest";
import { Broker } from "../../../src/approval/broker.ts";
import { presentText } from "../../../src/approval/present.ts";
import { MemoryJournal } from "../../../src/journal/journal.ts";
import { Recorder } from "../../../src/journal/recorder.ts";
import { requestNamed } from "../../../src/session/kept-request.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { requestWith } from "../../support/approval/request.ts";

test("a request is named by the beginning of its id, if no other of that status begins so", async () => {
  const host = { now: Date.now };
  await using broker = new Broker(host, new MemoryStore(), new Recorder(host, new MemoryJournal(), "run-1"));
  const named = async (text: string, status: "pending" | "approved") =>
    (await requestNamed(broker, text, status)).request.approvalId;
  await expect(named("ab", "approved")).rejects.toMatchObject({ code: "USAGE" });
  for (const approvalId of ["abc-1", "abd-2", "abd-3", "abd"])
    await broker.request(requestWith({ approvalId }), {
      handlers: [],
      present: async () => presentText(approvalId),
      signal: null,
      isBlocking: false,
      call: null,
    });
  for (const approvalId of ["abc-1", "abd-2"])
    await broker.respond(approvalId, { status: "approved", scope: "once", by: "ann" }, "ann");
  expect(await named("abc", "approved")).toBe("abc-1");
  expect(await named("abc", "pending")).toBe("abc-1");
  expect(await named("abd-", "approved")).toBe("abd-2");
  expect(await named("abd-", "pending")).toBe("abd-3");
  expect(await named("abd", "pending")).toBe("abd");
  await expect(named("ab", "approved")).rejects.toMatchObject({
    code: "USAGE",
    message: "several requests begin with `ab`: abc-1, abd-2",
    hint: "list unanswered requests with `cofferdam approvals list`",
  });
  for (const text of ["", "b", "bc-1"])
    await expect(named(text, "approved")).rejects.toMatchObject({ message: `unknown request \`${text}\`` });
});
