import { type ApprovalHandler, createSupervisor, toolResult } from "cofferdam";
import { tools } from "./tools.ts";

/** The calls of one turn of a model. */
export type Turn = readonly { readonly tool: string; readonly args: unknown }[];

/** Plays the turns of an agent behind the gate. Returns the result of each call, as the model gets it. */
export async function runAgent(agent: string, turns: readonly Turn[], handler: ApprovalHandler) {
  const supervisor = await createSupervisor({ config: `${import.meta.dirname}/cofferdam.yaml` });
  try {
    const session = supervisor.session({ agent, handler });
    const guarded = session.guard(tools);
    const transcript = [];
    for (const turn of turns) {
      const outcomes = await guarded.callAll(turn);
      transcript.push(...outcomes.map(toolResult));
    }
    return transcript;
  } finally {
    await supervisor.close();
  }
}
