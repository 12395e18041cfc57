import { CofferdamError, visible } from "../../errors.ts";
import { RecentMap } from "../../host/recent-map.ts";
import { otherTurns } from "../../host/turns.ts";
import { sha256 } from "../../profile/digest.ts";
import { defineTool } from "../../tool/define-tool.ts";
import { ambiguity, callParams } from "./arguments.ts";
import type { ClientRequest } from "./client-requests.ts";
import { type JsonObject, memberOf, objectOf } from "./json-rpc.ts";
import { CODES, errorResponse, requiresInput, responseFor } from "./responses.ts";
import type { ServerRequestOptions } from "./server-requests.ts";
import type { ListedTool, ToolList } from "./tool-list.ts";

/** Maximum number of calls that wait for input of the client. If there are more, the oldest needs a new approval. */
const MAX_CONTINUED = 256;

/** Options for calls of the server's tools. */
export interface ToolCallOptions extends Pick<ServerRequestOptions, "server" | "callTool"> {
  readonly tools: ToolList;
  /** Resolves when the server has started: no call is decided before its profile is known. */
  readonly started: Promise<void>;
  /** Forwards a request and waits for the server's response. Null if the client cancelled it. */
  readonly forward: (request: ClientRequest, params: JsonObject) => Promise<JsonObject | null>;
}

/** Calls of the server's tools. Each goes through the gate before the server receives it. */
export class ToolCalls {
  readonly #options: ToolCallOptions;
  /** Allowed calls for which the server requested input, by their continuation. */
  readonly #continued = new RecentMap<string, true>(MAX_CONTINUED);

  constructor(options: ToolCallOptions) {
    this.#options = options;
  }

  /** Decides a call and makes it if it is allowed. Returns the response, or null if the client cancelled it. */
  async call(request: ClientRequest): Promise<JsonObject | null> {
    const { server, tools, callTool, forward, started } = this.#options;
    const { params, stop } = request;
    const { name, arguments: args = {} } = params;
    if (typeof name !== "string") return errorResponse(CODES.invalidParams, "`name` is not a string");
    const refusal = tools.refusal(name);
    if (refusal !== null)
      return errorResponse(CODES.invalidParams, `cannot call ${visible(name.slice(0, 100))}: ${refusal}`);
    if (objectOf(args) === null) return errorResponse(CODES.invalidParams, "`arguments` is not an object");
    const listed = tools.find(name);
    const size = request.identity.length;
    await otherTurns(size);
    const problem = ambiguity(params, listed.names);
    if (problem !== null) return errorResponse(CODES.invalidParams, problem);
    await otherTurns(size);
    // An allowed call continues with the client's input. Only the server can have issued this state.
    if (this.#continued.delete(continuation(request, params["requestState"])))
      return this.#remember(request, await forward(request, callParams(params)));
    const tool = defineTool({
      name: `${server}/${name}`,
      version: listed.version,
      risk: listed.risk,
      run: ({ input }) => {
        this.#assertUnchanged(name, listed);
        const isPlain = params["arguments"] === undefined && Object.keys(objectOf(input) ?? {}).length === 0;
        return forward(request, { ...callParams(request.params), ...(isPlain ? {} : { arguments: input }) });
      },
    });
    // Plain data for the decision: numbers that JSON cannot hold exactly are refused, and none changes.
    const plain: unknown = JSON.parse(JSON.stringify(args));
    await otherTurns(size);
    await started;
    const outcome = await callTool(tool, plain, { signal: stop.signal, groupId: request.key });
    if (stop.signal.aborted || (outcome.kind === "done" && outcome.value === null)) return null;
    return this.#remember(request, responseFor(outcome, request.isModern));
  }

  #assertUnchanged(name: string, { version }: ListedTool): void {
    const { tools } = this.#options;
    if (tools.find(name).version === version && tools.refusal(name) === null) return;
    throw new CofferdamError("FACTS_UNSTABLE", "the server changed the definition of this tool", {
      hint: "request the list of tools again (`tools/list`), then call the tool",
    });
  }

  /** Remembers that a response requires input: the call then continues without another approval. */
  #remember(request: ClientRequest, response: JsonObject | null): JsonObject | null {
    const state = memberOf(response?.["result"], "requestState");
    if (response !== null && typeof state === "string" && requiresInput(response))
      this.#continued.set(continuation(request, state), true);
    return response;
  }
}

/** The key of the same call with the same state: it must equal the call that was allowed. */
function continuation({ identity }: ClientRequest, state: unknown): string {
  return sha256(`${identity}\n${JSON.stringify(typeof state === "string" ? state : null)}`);
}
