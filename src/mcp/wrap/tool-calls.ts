import { CofferdamError, visible } from "../../errors.ts";
import { RecentMap } from "../../host/recent-map.ts";
import { otherTurns } from "../../host/turns.ts";
import { sha256 } from "../../profile/digest.ts";
import { answerOf, CODES, errorAnswer, wantsInput } from "./answers.ts";
import { ambiguity, callParams } from "./arguments.ts";
import { calledTool, type Guard } from "./gatekeeper.ts";
import type { ToolList } from "./tool-list.ts";
import type { Turn } from "./turn.ts";
import { type Members, memberOf, membersOf } from "./wire.ts";

/** So many calls may be known that the server wants something for; the oldest is asked about again. */
const MOST_CONTINUED = 256;

/** How calls of tools pass. */
export interface CallOptions {
  readonly server: string;
  readonly tools: ToolList;
  readonly guard: Guard;
  /** Sends a request on as it stands, and waits for the server; null where the client does not want it any more. */
  readonly forward: (turn: Turn, params: Members) => Promise<Members | null>;
}

/** Calls of the server's tools: each goes through the gate before the server hears of it. */
export class ToolCalls {
  readonly #options: CallOptions;
  /** Calls that were let pass and that the server wants something for, by what makes them the same again. */
  readonly #continued = new RecentMap<string, true>(MOST_CONTINUED);

  constructor(options: CallOptions) {
    this.#options = options;
  }

  /** Judges a call and makes it where it may be made; what the client is told, null where it wants to hear nothing. */
  async call(turn: Turn): Promise<Members | null> {
    const { server, tools, guard, forward } = this.#options;
    const { params } = turn;
    const known = callParams(params);
    const name = memberOf(params, "name");
    if (typeof name !== "string") return errorAnswer(CODES.invalidParams, "`name` is no text");
    const refusal = tools.refusal(name);
    if (refusal !== null)
      return errorAnswer(CODES.invalidParams, `${visible(name.slice(0, 100))} can't be called: ${refusal}`);
    const given = memberOf(params, "arguments");
    if (given !== undefined && membersOf(given) === null)
      return errorAnswer(CODES.invalidParams, "`arguments` are no object");
    const listed = tools.find(name);
    const size = turn.identity.length;
    await otherTurns(size);
    const doubt = ambiguity(params, listed.names);
    if (doubt !== null) return errorAnswer(CODES.invalidParams, doubt);
    await otherTurns(size);
    // What it was let pass for goes on: with what the server wanted, and which it alone can have asked for.
    if (this.#continued.delete(continuation(turn, memberOf(params, "requestState"))))
      return this.#answered(turn, await forward(turn, known));
    const tool = calledTool(server, name, listed, async (args) => {
      if (tools.find(name).version !== listed.version || tools.refusal(name) !== null)
        throw new CofferdamError("FACTS_UNSTABLE", "the server lists another tool under this name by now", {
          hint: "list the tools and call it again",
        });
      const isPlain = given === undefined && Object.keys(membersOf(args) ?? {}).length === 0;
      return forward(
        turn,
        isPlain ? callParams(turn.params) : { ...callParams(turn.params), arguments: args },
      );
    });
    const { signal } = turn.stop;
    const args = plainArguments(given);
    await otherTurns(size);
    const outcome = await guard(tool, args, { signal, groupId: turn.key });
    if (signal.aborted || (outcome.kind === "done" && outcome.value === null)) return null;
    return this.#answered(turn, answerOf(outcome, turn.isModern));
  }

  #answered(turn: Turn, answer: Members | null): Members | null {
    const state = memberOf(answer?.["result"], "requestState");
    if (answer !== null && typeof state === "string" && wantsInput(answer))
      this.#continued.set(continuation(turn, state), true);
    return answer;
  }
}

/** The same call with the same state: nothing of it may differ from what was let pass. */
function continuation({ identity }: Turn, state: unknown): string {
  return sha256(`${identity}\n${JSON.stringify(typeof state === "string" ? state : null)}`);
}

/** As data that is judged: what it can't hold exactly is refused there, and no number is another one by then. */
function plainArguments(given: unknown): unknown {
  return given === undefined ? {} : JSON.parse(JSON.stringify(given));
}
