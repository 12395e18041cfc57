import {
  Agent,
  type ApplyPatchOperation,
  applyPatchTool,
  type RunItem,
  Runner,
  RunState,
  type ShellAction,
  shellTool,
  type Tool,
} from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents/testing";
import type { OnApproval } from "../../../src/adapters/openai-agents.ts";
import { cofferdamEditor, cofferdamShell, cofferdamTools } from "../../../src/adapters/openai-agents.ts";
import type { ApprovalRequest, Session, SessionOptions, Supervisor } from "../../../src/index.ts";
import { ASKS, type Fates } from "../approval/fates.ts";
import type { Settings } from "../battery/place.ts";

/** What a model says in one turn. */
type Turn = ConstructorParameters<typeof ScriptedModel>[0] extends Iterable<infer Input> | undefined
  ? Input
  : never;

/** The model calls a function. */
export const call = functionCall;
/** The model has done what it wanted. */
export const DONE: Turn = [assistantMessage("done")];

/** The model wants lines to be run. */
export function shellCall(callId: string, action: ShellAction) {
  return { type: "shell_call", callId, status: "completed", action } as const;
}

/** The model patches a file. */
export function patchCall(callId: string, operation: ApplyPatchOperation) {
  return { type: "apply_patch_call", callId, status: "completed", operation } as const;
}

/** Whatever writes is asked about. */
export const writes = ({ place }: Fates, approval: Settings["approval"] = {}): Settings => ({
  sandbox: { paths: { ws: { root: place.ws, mode: "rw", write_approval: true } } },
  approval: { wait: "suspend", ...approval },
});
/** The model wants a file to be written. */
export const write = (callId: string, path: string, content = "new\n") =>
  call("write_file", { path, content }, { callId });
/** Nothing is sent anywhere: no traces, and a model that says what was written down for it. */
export const runner = new Runner({ tracingDisabled: true });

/** One process, as far as it matters: a supervisor of its own over the files of these fates. */
export interface Process {
  readonly supervisor: Supervisor;
  readonly session: Session;
  /** An agent with every tool of ours, whose model says this. */
  agent(turns: readonly Turn[], onApproval?: OnApproval): Agent;
  /** An agent with these tools. */
  agentWith(tools: Tool[], turns: readonly Turn[]): Agent;
  open(): Promise<readonly ApprovalRequest[]>;
}

/** Work in a process of its own, over when this returns. */
export async function inProcess<Value>(
  fates: Fates,
  work: (process: Process) => Promise<Value>,
  settings: Settings = ASKS,
  options: SessionOptions = {},
  profiles: readonly string[] = [],
): Promise<Value> {
  await using supervisor = await fates.supervisor(settings, { profiles });
  const session = supervisor.session({ agent: "tester", ...options });
  const agentWith: Process["agentWith"] = (tools, turns) =>
    new Agent({ name: "tester", model: new ScriptedModel(turns), tools });
  return await work({
    supervisor,
    session,
    agentWith,
    agent: (turns, onApproval) => {
      const asked = onApproval === undefined ? {} : { onApproval };
      return agentWith(
        [
          ...cofferdamTools(session).filter(({ name }) => name !== "shell"),
          shellTool(cofferdamShell(session, asked)),
          applyPatchTool(cofferdamEditor(session, asked)),
        ],
        turns,
      );
    },
    open: () => supervisor.broker.pending(),
  });
}

/** What the model was told of each call, by its id. */
export function told(items: readonly RunItem[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    items.flatMap((item) =>
      item.type === "tool_call_output_item" && "callId" in item.rawItem
        ? [[item.rawItem.callId, item.output]]
        : [],
    ),
  );
}

/** A run as another process finds it. */
export function restored(agent: Agent, text: string): Promise<RunState<unknown, Agent>> {
  return RunState.fromString(agent, text);
}

/** The only one of them. */
export function only<Value>(values: readonly Value[]): Value {
  const [first, ...others] = values;
  if (first === undefined || others.length > 0) throw new Error(`${values.length} are not one`);
  return first;
}
