import { setTimeout as wait } from "node:timers/promises";
import { execa } from "execa";
import { describe, expect, it } from "vitest";
import { approve, reject } from "../../src/adapters/langchain.ts";
import { ASKS, Fates } from "../support/approval/fates.ts";
import { toldDenied, toldNote } from "../support/approval/told.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { call, runs, Talk, type Turn, withAgent, writes } from "../support/langchain/agents.ts";
import { FileSaver } from "../support/langchain/file-saver.ts";
import type { Job } from "../support/langchain/resumes.ts";

sandboxMustWork("agents of LangChain that go on later");

const HERE = import.meta.dirname;

describe.skipIf(unusable !== null)("an agent that was interrupted", () => {
  it("goes on in another process, where each call of its turn gets its answer and none runs twice", async () => {
    using fates = new Fates();
    const { place } = fates;
    const saver = `${place.top}/saved`;
    const turns: readonly Turn[] = [
      [writes("yes"), writes("no"), call("free", "tally")],
      [writes("next")],
      "done",
    ];
    const said = await withAgent(fates, ({ middleware }) =>
      new Talk(turns, middleware, new FileSaver(saver)).begin(),
    );
    expect([said.asked.length, runs(fates, "tally")]).toEqual([2, 1]);
    const answers = [...said.questions].map(([id, one]) => [
      id,
      one.toolCallId === "yes" ? approve(one, { by: "ann" }) : reject(one, "not this one"),
    ]);
    const job: Job = {
      config: place.config(ASKS),
      cwd: place.ws,
      state: place.state,
      saver,
      turns,
      resume: Object.fromEntries(answers),
    };
    const { stdout } = await execa(process.execPath, [`${HERE}/../support/langchain/resumes.ts`], {
      input: JSON.stringify(job),
    });
    expect(JSON.parse(stdout)).toMatchObject({
      asked: [{ toolCallId: "next" }],
      told: [
        { id: "yes", status: "success" },
        { id: "no", status: "error", text: toldNote("not this one", "langchain") },
        { id: "free", status: "success" },
      ],
    });
    expect(["yes", "no", "tally", "next"].map((file) => runs(fates, file))).toEqual([1, 0, 1, 0]);
  });

  it("finds what somebody answered elsewhere meanwhile, yes, no and with another input, when it is resumed with nothing", async () => {
    using fates = new Fates();
    await withAgent(fates, async ({ middleware }) => {
      const turn = [writes("edit"), writes("no"), writes("still"), writes("yes")];
      const talk = new Talk([turn, "done"], middleware);
      const [edit, no, , yes] = (await talk.begin()).asked.map(({ approvalId }) => approvalId);
      await fates.answer(yes ?? "");
      await fates.answer(no ?? "", false);
      await fates.answer(edit ?? "", true, { editedInput: { script: "echo ran >> other" } });
      const between = await talk.resume({});
      expect(between.asked).toMatchObject([{ toolCallId: "still" }]);
      expect(["edit", "other", "no", "still", "yes"].map((file) => runs(fates, file))).toEqual([
        0, 1, 0, 0, 1,
      ]);
      const after = await talk.answer(between, (one) => approve(one));
      expect(after.told).toMatchObject([
        {
          text: expect.stringMatching(
            /^`ann` changed the input of this call\. .*`{"script":"echo ran >> other"}`\nNote of `ann`: as you like\n/,
          ),
        },
        { id: "no", status: "error", text: toldNote("as you like", "ann") },
        { id: "still", status: "success" },
        { id: "yes", status: "success" },
      ]);
    });
  });

  it("goes by the first answer, where somebody answered elsewhere before the one that it is resumed with", async () => {
    using fates = new Fates();
    await withAgent(fates, async ({ middleware, supervisor }) => {
      const talk = new Talk([[writes("no"), writes("yes")], "done"], middleware);
      const said = await talk.begin();
      const [no, yes] = said.asked.map(({ approvalId }) => approvalId);
      await fates.answer(yes ?? "");
      await fates.answer(no ?? "", false);
      const after = await talk.answer(said, (one) => (one.approvalId === yes ? reject(one) : approve(one)));
      expect(after.told).toMatchObject([{ text: toldNote("as you like", "ann") }, { status: "success" }]);
      expect([runs(fates, "no"), runs(fates, "yes")]).toEqual([0, 1]);
      expect(await supervisor.broker.find(yes ?? "")).toMatchObject({ decision: { by: "ann" } });
    });
  });

  it("is told that nobody answered in time, whatever comes after that", async () => {
    using fates = new Fates();
    const settings = { ...ASKS, approval: { wait: "suspend", timeout: "300ms", on_timeout: "deny" } };
    await withAgent(
      fates,
      async ({ middleware }) => {
        const talk = new Talk([[writes("late")], "done"], middleware);
        const said = await talk.begin();
        expect(said.asked).toMatchObject([{ expiresAt: expect.any(Number) }]);
        await wait(350);
        const after = await talk.answer(said, (one) => approve(one));
        expect(after).toMatchObject({
          told: [{ status: "error", text: toldDenied("the request was not answered in time", "timeout") }],
          last: "done",
        });
        expect(runs(fates, "late")).toBe(0);
      },
      { settings },
    );
  });

  it("takes nothing for a yes that is none: it asks again and says why, until there is one", async () => {
    using fates = new Fates();
    await withAgent(fates, async ({ middleware }) => {
      const talk = new Talk([[writes("once")], "done"], middleware);
      let said = await talk.begin();
      const [question] = said.asked;
      const yes = approve(question);
      const { approvalId: _, ...unnamed } = yes;
      const nones = [
        true,
        "yes",
        {},
        { approved: true },
        { decisions: [{ type: "approve" }] },
        unnamed,
        [yes],
        JSON.stringify(yes),
        { ...yes, more: 1 },
        { ...yes, status: "Approved" },
      ];
      for (const none of nones) {
        said = await talk.resume(none);
        expect(said.asked).toEqual([{ ...question, problem: expect.stringContaining("is not an answer") }]);
      }
      expect(runs(fates, "once")).toBe(0);
      expect(await talk.resume(yes)).toMatchObject({
        asked: [],
        told: [{ status: "success" }],
        last: "done",
      });
      expect(runs(fates, "once")).toBe(1);
    });
  });
});
