import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, applyPatchTool, Runner, RunState, shellTool } from "@openai/agents";
import { absolutePath, createSupervisor } from "cofferdam";
import { cofferdamEditor, cofferdamShell, cofferdamTools, settle } from "cofferdam/openai-agents";
import { model } from "./model.ts";

const here = import.meta.dirname;
const supervisor = await createSupervisor({
  config: `${here}/cofferdam.yaml`,
  cwd: absolutePath(`${here}/site`),
});
const session = supervisor.session({ agent: "publisher" });

const agent = new Agent({
  name: "publisher",
  instructions: "Publish drafts as pages of the site.",
  model, // or a name, such as "gpt-5.1"; this one follows a script
  tools: [
    ...cofferdamTools(session).filter(({ name }) => name === "read_file"),
    shellTool(cofferdamShell(session)),
    applyPatchTool(cofferdamEditor(session)),
  ],
});
// Traces go to OpenAI and include tool results, unless they are off.
const runner = new Runner({ tracingDisabled: true });

/** A run that waits for an answer is a file: `node agent.ts "publish hello"`, and later `node agent.ts yes`, or `no`. */
const kept = `${here}/run.json`;
const [, , words = "publish hello"] = process.argv;
try {
  const result = await runner.run(agent, existsSync(kept) ? await answered(words === "yes") : words);

  const open = await settle(result.state);
  if (open.length === 0) {
    rmSync(kept, { force: true });
    console.log(result.finalOutput);
  } else {
    writeFileSync(kept, result.state.toString());
    for (const { requests } of open)
      for (const { description, reason } of requests) console.log(`May it ${description}? (${reason})`);
  }
} finally {
  await supervisor.close();
}

/** The stored run, with one answer to all its questions. */
async function answered(isYes: boolean) {
  const state = await RunState.fromString(agent, readFileSync(kept, "utf8"));
  for (const item of state.getInterruptions()) {
    if (isYes) state.approve(item);
    else state.reject(item, { message: "not today, please" });
  }
  await settle(state, "ann");
  return state;
}
