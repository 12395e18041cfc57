import fc from "fast-check";
import { expect, test } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import { MemoryStore } from "../../../src/store/memory.ts";
import type { Resolution } from "../../../src/store/store.ts";
import { atRest, bringing, desk, handlingAll, NOW, SILENCE } from "../../support/approval/desk.ts";
import { requestWith } from "../../support/approval/request.ts";
import { SlowStore, turns } from "../../support/approval/slow-store.ts";

const ID = "approval-1";

test("approve.race: of racing answers from everywhere exactly one decides, every other is told so, and every request ends (S3-10, S4-2, S4-6, S2-25)", async () => {
  const answer = fc.record({ isYes: fc.boolean(), after: fc.nat(30), isHandler: fc.boolean() });
  await handlingAll(() =>
    fc.assert(
      fc.asyncProperty(
        fc.array(answer, { minLength: 1, maxLength: 8 }),
        fc.option(fc.nat(30)),
        fc.option(fc.nat(30)),
        fc.array(fc.nat(10), { maxLength: 8 }),
        async (answers, late, abortAfter, delays) => {
          const { broker, clock, written } = desk({ store: new SlowStore(delays) });
          const aborting = new AbortController();
          const decision = ({ isYes }: { isYes: boolean }, by: string) =>
            isYes ? approved(by) : rejected(by);
          const handlers = answers
            .filter(({ isHandler }) => isHandler)
            .map((one, index) => async () => {
              await turns(one.after);
              return decision(one, `handler ${index}`);
            });
          const asked = broker.request(
            requestWith({ expiresAt: late === null ? null : NOW + 60_000 }),
            bringing([...handlers, SILENCE], { signal: aborting.signal }),
          );
          const responders = answers
            .filter(({ isHandler }) => !isHandler)
            .map(async (one, index): Promise<Resolution> => {
              await turns(one.after);
              return broker.respond(ID, decision(one, `person ${index}`), "nobody else");
            });
          const jump = turns(late ?? 0).then(() => {
            if (late !== null) clock.now += 60_000;
          });
          const abort = turns(abortAfter ?? 31).then(() => aborting.abort());
          const [said] = await Promise.all([Promise.all(responders), jump, abort]);
          await atRest();
          await broker.respond(ID, rejected("the last"), "nobody else");
          const got = await asked;
          await atRest();

          const resolved = written().filter(
            ({ type }) => type === "approval.resolved" || type === "approval.expired",
          );
          expect(resolved).toHaveLength(1);
          expect((await broker.find(ID))?.decision).toEqual(got);
          expect(said.filter((one) => one === "accepted").length).toBeLessThanOrEqual(1);
          const accepted = said.indexOf("accepted");
          if (accepted >= 0) expect(got).toMatchObject({ by: `person ${accepted}` });
          const ignored = written().filter(({ type }) => type === "approval.ignored");
          const isAnswer = "by" in got && got.by !== "nobody";
          const isLateOrNotAsked = answers.length + 1 - (isAnswer ? 1 : 0);
          expect(ignored.length).toBeLessThanOrEqual(isLateOrNotAsked);
          expect(ignored.length).toBeGreaterThanOrEqual(said.filter((one) => one !== "accepted").length);
          expect(broker.countWaiting("session-1")).toBe(0);
          expect(await broker.pending()).toEqual([]);
        },
      ),
      { numRuns: 300 },
    ),
  );
});

test("an answer from before anybody was asked counts, and then nobody is asked (S4-6)", async () => {
  const kept = Promise.withResolvers<void>();
  /** Others find a request before the one that asked knows that it is kept. */
  class Lagging extends MemoryStore {
    override async add(...given: Parameters<MemoryStore["add"]>): Promise<void> {
      await super.add(...given);
      await kept.promise;
    }
  }
  const { broker, told } = desk({ store: new Lagging() });
  let asked = 0;
  const got = broker.request(
    requestWith(),
    bringing([
      () => {
        asked += 1;
        return rejected("handler");
      },
    ]),
  );
  while ((await broker.pending()).length === 0) await Promise.resolve();
  const answered = broker.respond(ID, approved("ann"), "a page");
  await atRest();
  kept.resolve();
  expect(await answered).toBe("accepted");
  expect(await got).toEqual(approved("ann"));
  expect(asked).toBe(0);
  expect(told()).toEqual(["approval.requested", "approval.resolved: yes by ann"]);
});

test("an answer to an id that nobody has asked under yet decides nothing, also when somebody does meanwhile (S0-23)", async () => {
  const { broker } = desk();
  const early = broker.respond(ID, approved("mallory"), "a page");
  const got = broker.request(requestWith(), bringing([SILENCE]));
  expect(await early).toBe("unknown");
  await atRest();
  await broker.respond(ID, rejected("ann"), "a page");
  expect(await got).toEqual(rejected("ann"));
});

test("a second request under an id that waits is refused, and the first keeps its meaning", async () => {
  const { broker } = desk();
  const first = broker.request(requestWith(), bringing([SILENCE]));
  const second = requestWith({ tool: "drop_all" });
  await expect(broker.request(second, bringing([SILENCE]))).rejects.toMatchObject({ code: "INTERNAL" });
  await atRest();
  await broker.respond(ID, approved("ann"), "a page");
  expect(await first).toEqual(approved("ann"));
  await expect(broker.request(second, bringing([SILENCE]))).rejects.toMatchObject({ code: "INTERNAL" });
  expect(await broker.find(ID)).toMatchObject({ status: "approved", request: { tool: "deploy" } });
  expect(broker.countWaiting("session-1")).toBe(0);
});

test("every request is told before its answer, and each gets one, among 1,000 at once (S0-16, S4-19)", async () => {
  const { broker, written } = desk();
  const ids = Array.from({ length: 1_000 }, (_, index) => `approval-${index}`);
  const asked = ids.map((approvalId) => broker.request(requestWith({ approvalId }), bringing([SILENCE])));
  const answering = async (): Promise<void> => {
    const left = new Set(ids);
    while (left.size > 0) {
      const [{ approvalId } = { approvalId: "" }] = (await broker.pending()).toReversed();
      if (approvalId !== "" && (await broker.respond(approvalId, approved("ann"), "a page")) === "accepted")
        left.delete(approvalId);
      await Promise.resolve();
    }
  };
  await Promise.all([...asked, answering()]);
  const open = new Set<string>();
  for (const event of written()) {
    if (event.type === "approval.requested") open.add(event.request.approvalId);
    if (event.type === "approval.resolved") expect(open.delete(event.approvalId)).toBe(true);
  }
  expect(open.size).toBe(0);
});

test("what could not be offered for the session is granted once, whatever is answered", async () => {
  const { broker } = desk();
  const yes = approved("ann", { scope: "session" });
  const narrow = broker.request(requestWith({ covers: null }), bringing([() => yes]));
  expect(await narrow).toEqual(approved("ann"));
  const wide = broker.request(requestWith({ approvalId: "approval-2" }), bringing([() => yes]));
  expect(await wide).toEqual(yes);
});
