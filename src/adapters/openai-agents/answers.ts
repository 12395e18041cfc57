import { randomUUID } from "node:crypto";
import type { RunToolApprovalItem } from "@openai/agents";

/** A tool call of the model: of a function, the shell or the editor. */
export type RawItem = RunToolApprovalItem["rawItem"];

/**
 * The answer of the SDK's person to a call. `always` answers every call of the tool, and the SDK does not keep which
 * one it was given to. Null if nobody was asked, or if it is unknown whose answer it is.
 */
export type SdkAnswer = "yes" | "always" | "no" | null;

/** Answers to calls: a part of the SDK's run context. */
export interface RunAnswers {
  isToolApproved(of: { toolName: string; callId: string }): boolean | undefined;
}

/** A call of one agent that the SDK asked about. */
export type AskedItem = Pick<RunToolApprovalItem, "agent" | "rawItem" | "name">;

/** An id that no call has and no model can guess: an answer to it is an answer to every call. */
const NO_CALL = `cofferdam: ${randomUUID()}`;

/**
 * The answer to this call of this agent in the SDK: it is bound to an agent, a call id and the content of the call. The
 * SDK applies an `always` to a shell or an editor to every agent. Here it belongs to the agent whose call was answered,
 * and answers that call alone.
 */
export function saidToItem(answers: RunAnswers, item: AskedItem): SdkAnswer {
  const isYes = resolved(answers, item, item.rawItem);
  if (isYes === undefined) return null;
  if (!isYes) return "no";
  const { rawItem } = item;
  if (!("callId" in rawItem)) return null;
  if (resolved(answers, item, { ...rawItem, callId: NO_CALL }) !== true) return "yes";
  return rawItem.type === "function_call" || isBound(answers, item) ? "always" : null;
}

/** The answer to a call of a shell or an editor by its id, of any agent. An `always` counts as no answer. */
export function saidToId(answers: RunAnswers, toolName: string, callId: string): SdkAnswer {
  const of = (id: string) => {
    const asked = { toolName, callId: id, functionTool: false };
    return answers.isToolApproved(asked);
  };
  if (of(NO_CALL) === true) return null;
  const isYes = of(callId);
  if (isYes === undefined) return null;
  return isYes ? "yes" : "no";
}

/** True if a function call of this id was approved for this agent. */
export function isApprovedFor(
  answers: RunAnswers,
  toolName: string,
  callId: string,
  agent: unknown,
): boolean {
  const asked = { toolName, callId, agent };
  return answers.isToolApproved(asked) === true;
}

/** The message of the rejection of this call. */
export function noteTo(answers: RunAnswers, item: AskedItem): string | undefined {
  const note = own(answers, "_getToolInvocationRejectionMessage", [item.agent, nameOf(item), item.rawItem]);
  return typeof note === "string" ? note : undefined;
}

function resolved(answers: RunAnswers, item: AskedItem, rawItem: RawItem): boolean | undefined {
  try {
    const isYes = own(answers, "_resolveToolInvocationApproval", [item.agent, nameOf(item), rawItem]);
    return typeof isYes === "boolean" ? isYes : undefined;
  } catch {
    // The id belonged to another call before: the SDK will not make this one, and it has no answer.
    return undefined;
  }
}

function isBound(answers: RunAnswers, item: AskedItem): boolean {
  try {
    own(answers, "_validateAgentApprovalInvocation", [item.agent, idOf(item.rawItem), NO_CALL]);
    return false;
  } catch {
    // The answer is for another invocation than an impossible one.
    return true;
  }
}

/** Calls a method of the SDK, the only source of this; undefined in versions without it. */
function own(answers: RunAnswers, method: string, given: readonly unknown[]): unknown {
  const found: unknown = Reflect.get(answers, method);
  return typeof found === "function" ? Reflect.apply(found, answers, given) : undefined;
}

/** The SDK's key of answers to the tool of an item: a function's key includes its namespace. */
function nameOf(item: AskedItem): string {
  const { rawItem } = item;
  if (rawItem.type !== "function_call") return item.name ?? "";
  const key: unknown = Reflect.get(item, "functionToolStateKey");
  if (typeof key === "string") return key;
  const { name, namespace } = rawItem;
  if (namespace === undefined || namespace === "") return JSON.stringify(["bare", name]);
  return JSON.stringify(namespace === name ? ["deferred_top_level", name] : ["namespaced", namespace, name]);
}

function idOf(rawItem: RawItem): string {
  return "callId" in rawItem ? rawItem.callId : "";
}
