import type { RunContext } from "@openai/agents";
import type { AskedItem } from "./answers.ts";

type Agent = AskedItem["agent"];

interface Run {
  readonly requestsBefore: number;
  readonly agents: Set<Agent>;
  readonly asked: Map<string, boolean>;
}

/**
 * Which calls of functions the SDK has asked about in a run, and what it was told: that somebody has to say yes, or nobody. It
 * asks about every one but those to which somebody had said `always`.
 */
export class AskedCalls {
  readonly #runs = new WeakMap<object, Run>();

  /** A run comes here, at its start or out of a text: before its model says anything more. */
  begin(context: RunContext, agent: Agent): true {
    this.#of(context).agents.add(agent);
    return true;
  }

  /** The agents of a run that have these tools: those that run at once share a context. */
  agentsOf(context: RunContext): readonly Agent[] {
    return [...this.#of(context).agents];
  }

  /** True for a call that the model made since, of which the SDK had not asked before. */
  isNew(context: RunContext, callId: string, input: unknown): boolean {
    const { asked, requestsBefore } = this.#of(context);
    return !asked.has(keyOf(callId, input)) && context.usage.requests > requestsBefore;
  }

  /** Keeps in mind what the SDK was told. */
  tell(context: RunContext, callId: string, input: unknown, mustAsk: boolean): boolean {
    this.#of(context).asked.set(keyOf(callId, input), mustAsk);
    return mustAsk;
  }

  /** What the SDK was last told about a call that it makes now; null where it did not ask. */
  take(context: RunContext, callId: string, input: unknown): boolean | null {
    const { asked } = this.#of(context);
    const told = asked.get(keyOf(callId, input));
    asked.delete(keyOf(callId, input));
    return told ?? null;
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
