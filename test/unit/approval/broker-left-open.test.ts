import { describe, expect, test } from "vitest";
import { approved } from "../../../src/approval/factories.ts";
import type { Answer, Asking } from "../../../src/approval/handler.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import { atRest, bringing, desk, handlingAll, NOW, SILENCE } from "../../support/approval/desk.ts";
import { requestWith } from "../../support/approval/request.ts";

const ID = "approval-1";
const LEFT_OPEN = (): Answer => ({ status: "pending" });

/** A store that other processes share. */
class Shared extends MemoryStore {
  override readonly outlivesProcess = true;
}

/** Number of timers that keep the process alive. */
const timers = (): number => process.getActiveResourcesInfo().filter((one) => one === "Timeout").length;

test.each([true, false])(
  "a sweep expires a request of its own process once, whether its call waits or not (%s)",
  async (isBlocking) => {
    await handlingAll(async () => {
      const { broker, clock, told, store } = desk();
      const request = requestWith({ expiresAt: NOW + 60_000 });
      const held = broker.request(request, bringing([SILENCE], { isBlocking }));
      await atRest();
      clock.now = NOW + 60_000;
      await Promise.all([broker.sweep(), broker.sweep()]);
      expect(await held).toEqual(isBlocking ? { status: "expired" } : { status: "pending" });
      await atRest();
      expect(told()).toEqual(["approval.requested", "approval.expired"]);
      expect(broker.countWaiting("session-1")).toBe(0);
      expect(await store.find(ID)).toMatchObject({ status: "expired" });
    });
  },
);

describe("a call that all handlers left open waits no more", () => {
  const leftOpen = async (more: { readonly expiresAt?: number } = {}) => {
    const store = new Shared({ now: () => NOW });
    const [here, there] = [desk({ store }), desk({ store, runId: "run-2" })];
    expect(await here.broker.request(requestWith(more), bringing([LEFT_OPEN]))).toEqual({
      status: "pending",
    });
    return { here, there, store };
  };

  test("so the end of its session leaves the request open", async () => {
    const { here, store } = await leftOpen();
    await here.broker.endSession("session-1");
    expect(await store.find(ID)).toMatchObject({ status: "pending" });
  });

  test("so an answer in another process is not recorded here: the later caller records it", async () => {
    const { here, there } = await leftOpen();
    await there.broker.respond(ID, approved("ann"), "a page");
    await atRest();
    expect(here.told()).toEqual(["approval.requested"]);
    expect(here.broker.countWaiting("session-1")).toBe(0);
  });

  test("so it does not keep the process alive", async () => {
    const before = timers();
    const { here } = await leftOpen({ expiresAt: NOW + 60_000 });
    expect(timers()).toBeLessThanOrEqual(before);
    await here.broker.close();
  });

  test("so handlers that attend later hear that no call waits, and their failure rejects nothing", async () => {
    const { here, store } = await leftOpen();
    const seen: boolean[] = [];
    using _attending = await here.broker.attend({
      requestApproval: async (_, { isBlocking }: Asking) => {
        seen.push(isBlocking);
        throw new Error("no terminal");
      },
    });
    await atRest();
    expect(seen).toEqual([false]);
    expect(await store.find(ID)).toMatchObject({ status: "pending" });
  });
});
