import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { approve } from "../../src/adapters/langchain.ts";
import { cofferdamTools, settle } from "../../src/adapters/openai-agents.ts";
import { ASKER, Elsewhere, OTHER, PASSES, variablesIn } from "../support/approval/elsewhere.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place, type Settings } from "../support/battery/place.ts";
import {
  call as agentsCall,
  DONE,
  inProcess,
  only,
  restored,
  runner,
  told,
} from "../support/integrations/agents-run.ts";
import { Chat } from "../support/integrations/ai-sdk-chat.ts";
import { scriptedModel, toldOf } from "../support/integrations/scripted-model.ts";
import { call, Talk, withAgent } from "../support/langchain/agents.ts";
import { FileSaver } from "../support/langchain/file-saver.ts";
import { endpoint } from "../support/mcp/sessions.ts";
import { describeWithPostgres } from "../support/postgres/must-be-there.ts";
import { PostgresServer } from "../support/postgres/server.ts";

sandboxMustWork("a yes that an integration uses elsewhere");

/** The call that tells the environment it had. */
const SHOW = { script: "env > made" };
const TOOL = { argv: ["./tool"] };
const CHANGED = "it has changed since request";

/** The variables that the call had. */
const had = ({ place }: { readonly place: Place }) => variablesIn(readFileSync(`${place.ws}/made`, "utf8"));

function tool({ place }: { readonly place: Place }, says: string): void {
  writeFileSync(`${place.ws}/tool`, `#!/bin/sh\necho ${says} > made\n`, { mode: 0o755 });
}

describe.skipIf(unusable !== null)("an approval under one environment", () => {
  it("runs a conversation's call of the AI SDK under another, and a changed program is named", async () => {
    using fates = new Elsewhere();
    const shown = new Chat(fates);
    await shown.turn(scriptedModel([{ id: "c1", tool: "shell", input: SHOW }]), { settings: PASSES });
    shown.answer(() => true);
    fates.env = OTHER;
    await shown.turn(scriptedModel("done"), { settings: PASSES });
    expect(had(fates)).toMatchObject(ASKER);
    tool(fates, "shown");
    const changed = new Chat(fates);
    await changed.turn(scriptedModel([{ id: "c2", tool: "shell", input: TOOL }]), { settings: PASSES });
    changed.answer(() => true);
    tool(fates, "other");
    const model = scriptedModel("done");
    await changed.turn(model, { settings: PASSES });
    expect(toldOf(model)["c2"]).toMatchObject({
      type: "execution-denied",
      reason: expect.stringMatching(new RegExp(`${CHANGED} [0-9a-f]{8} \\(the program \`\\./tool\`\\)`)),
    });
  });

  it("resumes an agent of LangChain under another, whose question names agent, project, folder and session", async () => {
    using fates = new Elsewhere();
    const saver = new FileSaver(`${fates.place.top}/saved`);
    const turns = [[call("1", "shell", SHOW)], "done"] as const;
    const own = { settings: PASSES, own: { agent: "writer" } };
    const said = await withAgent(fates, ({ middleware }) => new Talk(turns, middleware, saver).begin(), own);
    expect(said.asked).toMatchObject([
      {
        agent: "writer",
        project: fates.place.top,
        folder: fates.place.ws,
        sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
    fates.env = OTHER;
    const after = await withAgent(
      fates,
      ({ middleware }) => new Talk(turns, middleware, saver).answer(said, (one) => approve(one)),
      own,
    );
    expect(after.told).toMatchObject([{ id: "1", status: "success" }]);
    expect(had(fates)).toMatchObject(ASKER);
  });

  it("resumes a run of the OpenAI Agents SDK under another", async () => {
    using fates = new Elsewhere();
    const turn = [agentsCall("shell", SHOW, { callId: "1" })];
    const text = await inProcess(
      fates,
      async ({ session, agentWith }) => {
        const { state } = await runner.run(agentWith(cofferdamTools(session), [turn, DONE]), "go");
        state.approve(only(await settle(state)).item);
        return state.toString();
      },
      PASSES,
    );
    fates.env = OTHER;
    await inProcess(
      fates,
      async ({ session, agentWith }) => {
        const agent = agentWith(cofferdamTools(session), [DONE]);
        const state = await restored(agent, text);
        expect(await settle(state, "ann")).toEqual([]);
        expect(told((await runner.run(agent, state)).newItems)).toEqual({
          "1": expect.stringContaining('"status":0'),
        });
      },
      PASSES,
    );
    expect(had(fates)).toMatchObject(ASKER);
  });

  it("runs the repeated call of an MCP client under another, once", async () => {
    using place = new Place(CALLER);
    const served = (env: Readonly<Record<string, string>>) => {
      const { TERM: _, TZ: __, LANG: ___, PWD: ____, ...own } = place.host().env;
      return endpoint(place, PASSES, { host: { env: { ...own, ...env } } });
    };
    const asked = await (async () => {
      await using at = await served(ASKER);
      const one = await at.call(await at.session(), "shell", SHOW);
      const [request] = await at.supervisor.broker.pending();
      if (request === undefined) throw new Error(JSON.stringify(one));
      await at.supervisor.broker.respond(request.approvalId, { approved: true }, "ann");
      return request.approvalId;
    })();
    await using at = await served(OTHER);
    expect(await at.call(await at.session(), "shell", SHOW)).toMatchObject({ outcome: "done" });
    expect(had({ place })).toMatchObject(ASKER);
    expect(await at.supervisor.broker.find(asked)).toMatchObject({ status: "done" });
  });
});

describeWithPostgres("an approval in PostgreSQL", () => {
  it("runs under another environment, and names what changed", async () => {
    using fates = new Elsewhere();
    await using server = await PostgresServer.start({ folder: fates.place.top, fsync: false });
    const settings: Settings = {
      ...PASSES,
      approval: { wait: "suspend", store: { postgres: server.url() } },
    };
    const ask = async (input: unknown): Promise<string> => {
      fates.env = ASKER;
      await using supervisor = await fates.supervisor(settings);
      await using session = supervisor.session();
      const outcome = await session.call("shell", input);
      if (outcome.kind !== "pending") throw new Error(JSON.stringify(outcome));
      await supervisor.broker.respond(outcome.approvalId, { approved: true }, "ann");
      fates.env = OTHER;
      return outcome.approvalId;
    };
    expect(await fates.resume(await ask(SHOW), settings)).toMatchObject({ kind: "done" });
    expect(had(fates)).toMatchObject(ASKER);
    tool(fates, "shown");
    const id = await ask(TOOL);
    tool(fates, "other");
    expect(await fates.resume(id, settings)).toMatchObject({
      kind: "pending",
      reason: expect.stringContaining(`${CHANGED} ${id.slice(0, 8)} (the program \`./tool\`)`),
    });
  });
});
