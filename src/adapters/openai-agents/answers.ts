import { randomUUID } from "node:crypto";
import type { RunToolApprovalItem } from "@openai/agents";

/** What the model said it wants: a call of a function, of the shell, or of the editor. */
export type RawItem = RunToolApprovalItem["rawItem"];

/**
 * What the SDK's person said to a call: yes or no to it, or `always` to every call of the tool, of which nobody can tell any
 * more to which it was said; null where nobody was asked, or where it can't be told whose answer it is.
 */
export type Said = "yes" | "always" | "no" | null;

/** Tells what was said to a call: a part of the SDK's run context. */
export interface Answers {
  isToolApproved(of: { toolName: string; callId: string }): boolean | undefined;
}

/** A call that the SDK asked about, of one agent. */
export type AskedItem = Pick<RunToolApprovalItem, "agent" | "rawItem" | "name">;

/** No call has this id, and no model can guess it: what counts for it counts for every call. */
const NO_CALL = `cofferdam: ${randomUUID()}`;

/**
 * What was said to this call of this agent, as the SDK itself tells it: an answer is bound to an agent, a call id and what the
 * call would do. An `always` to a shell or an editor the SDK takes for every agent's; here it is the one's to whose call it was
 * said, and answers that call alone.
 */
export function saidToItem(answers: Answers, item: AskedItem): Said {
  const isYes = resolved(answers, item, item.rawItem);
  if (isYes === undefined) return null;
  if (!isYes) return "no";
  const { rawItem } = item;
  if (!("callId" in rawItem)) return null;
  if (resolved(answers, item, { ...rawItem, callId: NO_CALL }) !== true) return "yes";
  return rawItem.type === "function_call" || isBound(answers, item) ? "always" : null;
}

/** What was said to a call of a shell or an editor by its id alone, whoever's it is: an `always` is nobody's then. */
export function saidToId(answers: Answers, toolName: string, callId: string): Said {
  const of = (id: string) => {
    const asked = { toolName, callId: id, functionTool: false };
    return answers.isToolApproved(asked);
  };
  if (of(NO_CALL) === true) return null;
  const isYes = of(callId);
  if (isYes === undefined) return null;
  return isYes ? "yes" : "no";
}

/** Whether a function's call of this id was approved for this agent. */
export function isApprovedFor(answers: Answers, toolName: string, callId: string, agent: unknown): boolean {
  const asked = { toolName, callId, agent };
  return answers.isToolApproved(asked) === true;
}

/** In which words this call was said no to. */
export function noteTo(answers: Answers, item: AskedItem): string | undefined {
  const note = own(answers, "_getToolInvocationRejectionMessage", [item.agent, nameOf(item), item.rawItem]);
  return typeof note === "string" ? note : undefined;
}

function resolved(answers: Answers, item: AskedItem, rawItem: RawItem): boolean | undefined {
  try {
    const isYes = own(answers, "_resolveToolInvocationApproval", [item.agent, nameOf(item), rawItem]);
    return typeof isYes === "boolean" ? isYes : undefined;
  } catch {
    // The id was given to another call before: the SDK will not make this one, and nobody answered it.
    return undefined;
  }
}

/** Whether somebody answered this very call. */
function isBound(answers: Answers, item: AskedItem): boolean {
  try {
    own(answers, "_validateAgentApprovalInvocation", [item.agent, idOf(item.rawItem), NO_CALL]);
    return false;
  } catch {
    // What was answered is another invocation than one that there can't be.
    return true;
  }
}

/** Asks the SDK by a method of its own, the only one that knows; undefined where a version has none. */
function own(answers: Answers, method: string, given: readonly unknown[]): unknown {
  const found: unknown = Reflect.get(answers, method);
  return typeof found === "function" ? Reflect.apply(found, answers, given) : undefined;
}

/** Under which name the SDK keeps answers to the tool of an item: a function's is made of its namespace too. */
function nameOf(item: AskedItem): string {
  const { rawItem } = item;
  if (rawItem.type !== "function_call") return item.name ?? "";
  const key: unknown = Reflect.get(item, "functionToolStateKey");
  if (typeof key === "string") return key;
  const { name, namespace } = rawItem;
  if (namespace === undefined || namespace === "") return JSON.stringify(["bare", name]);
  return JSON.stringify(namespace === name ? ["deferred_top_level", name] : ["namespaced", namespace, name]);
}

/** The id that the model gave to a call. */
function idOf(rawItem: RawItem): string {
  return "callId" in rawItem ? rawItem.callId : "";
}
