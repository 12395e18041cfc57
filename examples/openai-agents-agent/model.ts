import type { AgentOutputItem, Model } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents/testing";

/** The calls of the model, one a turn. */
const SCRIPT: readonly AgentOutputItem[] = [
  {
    type: "shell_call",
    callId: "call_1",
    status: "completed",
    action: { commands: ["wc -w ../drafts/hello.md", "curl https://example.com"] },
  },
  functionCall("read_file", { path: "drafts:hello.md" }, { callId: "call_2" }),
  {
    type: "apply_patch_call",
    callId: "call_3",
    status: "completed",
    operation: { type: "create_file", path: "site:hello.html", diff: "+<p>Hello, world.</p>\n+" },
  },
];

/** A model that follows a script, in any process; a real one would ask a provider. */
export const model: Model = {
  getResponse: (request) => {
    const { input } = request;
    const asked = typeof input === "string" ? [] : input.filter(({ type = "" }) => type.endsWith("_call"));
    const last = typeof input === "string" ? "" : JSON.stringify(input.at(-1));
    const said = last.includes("not today") ? "Then another day." : "It is published.";
    return new ScriptedModel([[SCRIPT[asked.length] ?? assistantMessage(said)]]).getResponse(request);
  },
  getStreamedResponse: () => {
    throw new Error("this model does not stream");
  },
};
