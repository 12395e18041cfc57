import type { RunContext } from "@openai/agents";
import type { AskedItem } from "./answers.ts";

type Agent = AskedItem["agent"];

interface Run {
  readonly requestsBefore: number;
  readonly agents: Set<Agent>;
  readonly asked: Map<string, boolean>;
}

/** Function calls that the SDK asked about, and our replies. It asks about all but those answered with `always`. */
export class AskedCalls {
  readonly #runs = new WeakMap<object, Run>();

  /** Records a run, new or restored from text, before its model makes another turn. */
  begin(context: RunContext, agent: Agent): true {
    this.#of(context).agents.add(agent);
    return true;
  }

  /** The agents of a run that have these tools: concurrent agents share a context. */
  agentsOf(context: RunContext): readonly Agent[] {
    return [...this.#of(context).agents];
  }

  /** True for a call that the model made since `begin`, and that the SDK had not asked about. */
  isNew(context: RunContext, callId: string, input: unknown): boolean {
    const { asked, requestsBefore } = this.#of(context);
    return !asked.has(keyOf(callId, input)) && context.usage.requests > requestsBefore;
  }

  remember(context: RunContext, callId: string, input: unknown, mustAsk: boolean): boolean {
    this.#of(context).asked.set(keyOf(callId, input), mustAsk);
    return mustAsk;
  }

  /** Our last reply about a call that the SDK makes now; null if it did not ask. */
  take(context: RunContext, callId: string, input: unknown): boolean | null {
    const { asked } = this.#of(context);
    const answer = asked.get(keyOf(callId, input));
    asked.delete(keyOf(callId, input));
    return answer ?? null;
  }

  #of(context: RunContext): Run {
    const known = this.#runs.get(context);
    if (known !== undefined) return known;
    const run = {
      requestsBefore: context.usage.requests,
      agents: new Set<Agent>(),
      asked: new Map<string, boolean>(),
    };
    this.#runs.set(context, run);
    return run;
  }
}

function keyOf(callId: string, input: unknown): string {
  return JSON.stringify([callId, input]);
}
