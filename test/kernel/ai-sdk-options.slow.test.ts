import { describe, expect, it } from "vitest";
import { cofferdamTools, sandboxSession } from "../../src/adapters/ai-sdk.ts";
import { ASKS, Fates } from "../support/approval/fates.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { goOn, START, touch } from "../support/integrations/ai-sdk-chat.ts";
import { scriptedModel, toldOf } from "../support/integrations/scripted-model.ts";

sandboxMustWork("options of the AI SDK's integration");

/** As JavaScript gives them. */
const given = (options: object): object => options;

describe.skipIf(unusable !== null)("what is given beside a supervisor", () => {
  it("is refused where there is no such option, by the tools and by the sandbox", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    const tools = (options: object) => cofferdamTools(supervisor, given(options));
    const misspelt = { code: "USAGE", message: "unknown option `onlyy` of `cofferdamTools`" };
    expect(() => tools({ onlyy: ["read_file"] })).toThrow(
      expect.objectContaining({ ...misspelt, hint: "did you mean `only`?" }),
    );
    for (const wrong of [
      { only: "read_file" },
      { prefix: 7 },
      { by: 7 },
      { conversation: "" },
      { remember: "no" },
    ])
      expect(() => tools(wrong)).toThrow(expect.objectContaining({ code: "USAGE" }));
    expect(() => sandboxSession(supervisor, given({ agnet: "editor" }))).toThrow(
      expect.objectContaining({ message: "unknown option `agnet` of `sandboxSession`" }),
    );
  });

  it("is of the session that is made: whose it is, and who is asked", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor({ ...ASKS, approval: {} });
    const asked: unknown[] = [];
    const handler = async ({ agent }: { readonly agent: string | null }) => {
      asked.push(agent);
      return { approved: true, by: "bob" };
    };
    await using sandbox = sandboxSession(supervisor, { agent: "editor", handler });
    expect(await sandbox.run({ command: "echo hi" })).toMatchObject({ stdout: "hi\n" });
    await using gate = cofferdamTools(supervisor, { agent: "writer", only: ["shell"] });
    const model = scriptedModel([touch("c1")]);
    await goOn(gate, model, START);
    expect(toldOf(model)).toEqual({});
    expect(asked).toEqual(["editor"]);
    expect(await supervisor.broker.pending()).toMatchObject([{ agent: "writer" }]);
  });

  it("is refused beside a session, which has its own", async () => {
    using fates = new Fates();
    await using supervisor = await fates.supervisor();
    await using session = supervisor.session({ agent: "editor" });
    const beside = expect.objectContaining({
      code: "USAGE",
      message: "an existing session takes no options",
    });
    expect(() => cofferdamTools(session, { by: "ann", agent: "other" })).toThrow(beside);
    expect(() => sandboxSession(session, { agent: "other" })).toThrow(beside);
  });
});
