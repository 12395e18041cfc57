import { execa } from "execa";
import { expect, test } from "vitest";

const root = `${import.meta.dirname}/../../..`;
const PROGRAM = `
import { Agent, getGlobalTraceProvider, Runner } from "@openai/agents";
import { assistantMessage, ScriptedModel } from "@openai/agents/testing";
const agent = new Agent({ name: "tester", model: new ScriptedModel([[assistantMessage("done")]]) });
const runner = new Runner({ tracingDisabled: process.env.TRACES === "off" });
console.log((await runner.run(agent, "go")).finalOutput);
await getGlobalTraceProvider().forceFlush();
process.exit();
`;

/** What a program says that runs an agent, where every connection fails and is told. */
async function told(traces: "on" | "off"): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return execa(
    process.execPath,
    ["--import", `${root}/test/support/integrations/no-network.ts`, "--input-type=module", "-e", PROGRAM],
    { cwd: root, env: { TRACES: traces, OPENAI_API_KEY: "sk-none", NODE_ENV: "production" }, reject: false },
  );
}

test("an agent without traces connects to nobody; with them, it would be seen to", async () => {
  const [off, on] = await Promise.all([told("off"), told("on")]);
  expect(off).toMatchObject({ stdout: "done", stderr: "" });
  expect(on.stdout).toBe("done");
  expect(on.stderr).toContain("connects to ");
});
