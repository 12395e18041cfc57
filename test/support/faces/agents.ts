import type { Mapping } from "./mapping.ts";

const TOOLS = "test/kernel/openai-agents.slow.test.ts";
const ALWAYS = "test/kernel/openai-agents-always.slow.test.ts";
const EXAMPLE = "examples/openai-agents-agent/openai-agents-agent.slow.test.ts";

/** How the OpenAI Agents SDK is served. */
export const AGENTS: Mapping = {
  framework: "OpenAI Agents SDK",
  cells: {
    allow: {
      how: "`needsApproval` is false, and the call runs",
      test: [TOOLS, "run at once where nobody has to be asked, and say why where they may not run"],
    },
    deny: {
      how: "nobody is asked, and the tool's output is `Denied: …`; of a shell, standard error and status 126",
      test: [TOOLS, "run at once where nobody has to be asked, and say why where they may not run"],
    },
    ask: {
      how: "an interruption; `settle` returns it with what would run and why",
      test: [
        TOOLS,
        "interrupt the run where a yes is needed, with what would run and why, and run once after it",
      ],
    },
    approve: {
      how: "`state.approve(item)`: once, and exactly what was asked about",
      test: [
        TOOLS,
        "write what was approved, and nothing where the file is another by then: that is asked about anew",
      ],
    },
    "reject with note": {
      how: "`state.reject(item, { message })`, and `settle` writes it down",
      test: [TOOLS, "tell the model a person's no in their words, and leave nothing open"],
    },
    "for session": {
      how: "`alwaysApprove` answers later calls of the tool, where a yes may be remembered; none of a shell or an editor",
      test: [ALWAYS, "answers later calls of the tool, where a yes may be remembered"],
    },
    timeout: {
      how: "a yes after `approval.timeout` runs nothing, and the model is told",
      test: [TOOLS, "are not run by a yes that comes too late"],
    },
    edit: { reason: "the SDK makes a call with the arguments that the model gave, or not at all" },
    "suspend/resume": {
      how: "`state.toString()`, and `RunState.fromString` in another process",
      test: [
        EXAMPLE,
        "it works inside walls, is asked about in one process, and goes on in another after a yes",
      ],
    },
    batch: {
      how: "an interruption for each call, each with its own answer; what needs none runs",
      test: [TOOLS, "give each call of a turn its own answer, and let run what needs none"],
    },
  },
};
