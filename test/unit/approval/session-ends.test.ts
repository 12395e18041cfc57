import { describe, expect, test } from "vitest";
import { approved } from "../../../src/approval/factories.ts";
import { createGate } from "../../../src/call/create-gate.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import { atRest, bringing, desk, handlingAll } from "../../support/approval/desk.ts";
import { requestWith } from "../../support/approval/request.ts";
import { SlowStore } from "../../support/approval/slow-store.ts";

const ENDED = { status: "rejected", by: "nobody", note: "the session has ended" };

describe("the end of a session", () => {
  test.each([0, 1, 2, 3, 5, 8, 13])(
    "rejects a request that is being stored, and nobody is asked afterwards (%i turns)",
    async (delay) => {
      await handlingAll(async () => {
        const { broker } = desk({ store: new SlowStore([3, 7]) });
        let isEnded = false;
        const late: boolean[] = [];
        const handler = () => {
          late.push(isEnded);
          return new Promise<never>(() => undefined);
        };
        const held = broker.request(requestWith({ sessionId: "s" }), bringing([handler]));
        for (let turn = 0; turn < delay; turn += 1) await Promise.resolve();
        await broker.endSession("s");
        isEnded = true;
        expect(await held).toMatchObject(ENDED);
        await atRest();
        expect(late).not.toContain(true);
      });
    },
  );

  test("rejects requests that come after it; those of another session are asked about", async () => {
    const { broker } = desk();
    await broker.endSession("s");
    const yes = bringing([() => approved("ann")]);
    expect(await broker.request(requestWith({ approvalId: "1", sessionId: "s" }), yes)).toMatchObject(ENDED);
    expect(await broker.request(requestWith({ approvalId: "2", sessionId: "t" }), yes)).toMatchObject({
      status: "approved",
    });
  });
});

test("calls made at the same time share the maximum of pending requests", async () => {
  using gate = createGate({ handler: () => new Promise(() => undefined), approval: { most_pending: 3 } });
  const tools = gate.guard([defineTool({ name: "deploy", run: () => 1 })]);
  const calls = Array.from({ length: 10 }, (_, env) => tools.call("deploy", { env }));
  const denied = await Promise.all(
    calls.map(async (call) => Promise.race([call, atRest().then(() => null)])),
  );
  await atRest();
  expect(await gate.broker.pending()).toHaveLength(3);
  expect(denied.filter((one) => one !== null)).toEqual(
    Array.from({ length: 7 }, () =>
      expect.objectContaining({ reason: "3 requests of this session already wait for an answer" }),
    ),
  );
  await gate.close();
});
