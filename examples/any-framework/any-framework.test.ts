import { readFileSync } from "node:fs";
import { approved, CallbackHandler, rejected } from "cofferdam/gate";
import { expect, test } from "vitest";
import { gated, type TheirTool } from "./gated.ts";

const sent: unknown[] = [];

/** Asks about mails to other domains, with the agent and the run from the framework. */
const mail: TheirTool = {
  name: "send_mail",
  execute: (args) => {
    sent.push(args);
    return "sent";
  },
  checkApproval: ({ tool, args, metadata }) =>
    JSON.stringify(args).includes("@house.example")
      ? null
      : {
          description: `${tool} for ${String(metadata["caller"])} in run ${String(metadata["run_id"])}`,
          payload: args,
        },
};
const bare: TheirTool = { name: "delete_mail", execute: () => "deleted" };

function asked(isYes: boolean) {
  const questions: string[] = [];
  const handler = new CallbackHandler(({ description }) => {
    questions.push(description);
    return isYes ? approved("ann") : rejected("ann", "not to them");
  });
  return { call: gated([mail, bare], handler), questions };
}

test("what a framework knows of a call is what the tool's own check reads (S1-5)", async () => {
  const { call, questions } = asked(true);
  const result = await call("send_mail", { to: "bob@far.example" }, { run_id: "r-1", caller: "clerk" });
  expect(result).toEqual({ type: "success", output: "sent" });
  expect(questions).toEqual(["send_mail for clerk in run r-1"]);
  expect(sent.splice(0)).toEqual([{ to: "bob@far.example" }]);
});

test("what the check lets pass is asked of nobody, and a no is told to the model", async () => {
  const { call, questions } = asked(false);
  expect(await call("send_mail", { to: "eve@house.example" }, {})).toEqual({
    type: "success",
    output: "sent",
  });
  expect(questions).toEqual([]);
  expect(await call("send_mail", { to: "bob@far.example" }, {})).toEqual({
    type: "denied",
    output: expect.stringMatching(/^Denied: rejected by ann: not to them\nWhat would help: /),
  });
  expect(sent.splice(0)).toEqual([{ to: "eve@house.example" }]);
});

test("a tool that says nothing of approval is asked about", async () => {
  const { call, questions } = asked(true);
  expect(await call("delete_mail", {}, {})).toEqual({ type: "success", output: "deleted" });
  expect(questions).toEqual(["use delete_mail"]);
});

test("the recipe takes 20 lines, without its types", () => {
  const text = readFileSync(new URL("gated.ts", import.meta.url), "utf8");
  const body = text.slice(text.indexOf("/** Calls of their tools"));
  expect(body.trimEnd().split("\n").length).toBeLessThanOrEqual(20);
});
