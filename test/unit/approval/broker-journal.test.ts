import { expect, test } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import type { Answer } from "../../../src/approval/handler.ts";
import { createGate } from "../../../src/call/create-gate.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import { atRest, bringing, desk, handlingAll, SILENCE, SmallJournal } from "../../support/approval/desk.ts";
import { requestWith } from "../../support/approval/request.ts";

const ID = "approval-1";
const second = requestWith({ approvalId: "approval-2" });

test("a question that can't be written down is asked of nobody, can't be answered, and harms no later one", async () => {
  await handlingAll(async () => {
    const journal = new SmallJournal();
    const { broker } = desk({ journal });
    let asked = 0;
    const yes = (): Answer => {
      asked += 1;
      return approved("ann");
    };
    journal.isFull = true;
    await expect(broker.request(requestWith(), bringing([yes]))).rejects.toThrow("ENOSPC");
    expect(asked).toBe(0);
    expect(await broker.find(ID)).toBeNull();
    expect(broker.countWaiting("session-1")).toBe(0);
    journal.isFull = false;
    expect(await broker.request(second, bringing([yes]))).toEqual(approved("ann"));
  });
});

test("a yes that can't be written down is none: whoever answered learns of it, the call too, and it is never run", async () => {
  await handlingAll(async () => {
    const journal = new SmallJournal();
    const { broker } = desk({ journal });
    const held = broker.request(requestWith(), bringing([SILENCE]));
    await broker.request(second, bringing([SILENCE], { isBlocking: false }));
    await atRest();
    journal.isFull = true;
    const answered = broker.respond(ID, approved("ann"), "a page");
    const suspended = broker.respond("approval-2", approved("ann"), "a page");
    for (const one of [answered, suspended, held]) await expect(one).rejects.toThrow("ENOSPC");
    journal.isFull = false;
    for (const id of [ID, "approval-2"]) {
      expect(await broker.find(id)).toMatchObject({ status: "failed" });
      expect(await broker.claim(id)).toBe(false);
    }
    expect(broker.countWaiting("session-1")).toBe(0);
    const third = requestWith({ approvalId: "approval-3" });
    expect(await broker.request(third, bringing([() => approved("ann")]))).toEqual(approved("ann"));
  });
});

test("a handler that fails where that can't be written down ends the wait, and leaves nothing behind", async () => {
  await handlingAll(async () => {
    const journal = new SmallJournal();
    const { broker } = desk({ journal });
    const held = broker.request(
      requestWith(),
      bringing([
        () => {
          journal.isFull = true;
          throw new Error("no terminal");
        },
        SILENCE,
      ]),
    );
    await expect(held).rejects.toThrow("ENOSPC");
    journal.isFull = false;
    expect(await broker.respond(ID, approved("ann"), "a page")).toBe("duplicate");
    expect(broker.countWaiting("session-1")).toBe(0);
  });
});

test("an end that can't be written down, of the time or of the call, is the call's failure", async () => {
  await handlingAll(async () => {
    const journal = new SmallJournal();
    const { broker, clock } = desk({ journal });
    const aborting = new AbortController();
    const timed = broker.request(requestWith({ expiresAt: clock.now + 200 }), bringing([SILENCE]));
    const given = broker.request(second, bringing([SILENCE], { signal: aborting.signal }));
    await atRest();
    journal.isFull = true;
    aborting.abort();
    await expect(given).rejects.toThrow("ENOSPC");
    await expect(timed).rejects.toThrow("ENOSPC");
    expect(broker.countWaiting("session-1")).toBe(0);
  });
});

test("a store that fails is told to whoever answers, who may try again", async () => {
  await handlingAll(async () => {
    let isDown = false;
    class Failing extends MemoryStore {
      override async resolve(...given: Parameters<MemoryStore["resolve"]>) {
        if (isDown) throw new Error("connection lost");
        return super.resolve(...given);
      }
    }
    const { broker } = desk({ store: new Failing() });
    const held = broker.request(requestWith(), bringing([SILENCE]));
    await atRest();
    isDown = true;
    await expect(broker.respond(ID, approved("ann"), "a page")).rejects.toThrow("connection lost");
    isDown = false;
    expect(await broker.respond(ID, rejected("ann"), "a page")).toBe("accepted");
    expect(await held).toEqual(rejected("ann"));
  });
});

test("a tool does not run on a yes that can't be written down, and runs on the next (S0-16)", async () => {
  await handlingAll(async () => {
    const journal = new SmallJournal();
    let runs = 0;
    const tool = defineTool({ name: "deploy", run: () => (runs += 1) });
    using gate = createGate({
      journal,
      handler: () => {
        journal.isFull = runs === 0;
        return approved("ann");
      },
    });
    const tools = gate.guard([tool]);
    await expect(tools.call("deploy", {})).rejects.toThrow("ENOSPC");
    expect(runs).toBe(0);
    journal.isFull = false;
    runs = 1;
    expect(await tools.call("deploy", {})).toEqual({ kind: "done", value: 2 });
  });
});
