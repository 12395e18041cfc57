import { randomUUID } from "node:crypto";
import type { ApplyPatchOperation, ApplyPatchResult, Editor, RunContext } from "@openai/agents";
import type { CallsOf, FrameworkCall } from "../framework-calls.ts";
import type { RawItem, RunAnswers } from "./answers.ts";
import { GatedCalls, outcomeText } from "./gated-calls.ts";
import { KnownCalls } from "./known-calls.ts";
import { type HasPart, PART, type SdkToolPart } from "./part.ts";
import { type Planned, planned, readOf } from "./patch-call.ts";
import { askedAtOnce, checked, type OnApproval, type SdkToolOptions } from "./sdk-tool-options.ts";

/** The options of `applyPatchTool`. */
export interface EditorToolOptions {
  name: string;
  editor: Editor & HasPart;
  needsApproval: (context: RunContext, operation: ApplyPatchOperation, callId?: string) => Promise<boolean>;
  onApproval?: OnApproval;
}

/**
 * Options of `applyPatchTool` over our file tools: a patch is parsed, checked, asked about and applied in the sandbox.
 * An approval holds for the exact change: if the file has changed since, it is denied, and another patch is asked about
 * again. Throws `USAGE` for unknown options.
 */
export function cofferdamEditor(of: CallsOf, options: SdkToolOptions = {}): EditorToolOptions {
  const { name = "apply_patch", onApproval, conversation } = checked("cofferdamEditor", options);
  const editor = new GatedEditor(new GatedCalls(of, conversation), name);
  return {
    name,
    editor,
    needsApproval: (context, operation, callId = randomUUID()) =>
      editor.needsApproval(context, operation, callId),
    ...(onApproval === undefined ? {} : { onApproval: askedAtOnce(onApproval, editor[PART]) }),
  };
}

class GatedEditor implements Editor, HasPart {
  readonly #gated: GatedCalls;
  readonly #known: KnownCalls;
  readonly [PART]: SdkToolPart;

  constructor(gated: GatedCalls, name: string) {
    this.#gated = gated;
    this.#known = new KnownCalls(name);
    const known = this.#known;
    this[PART] = {
      gated,
      callsOf: async (item: RawItem) =>
        item.type === "apply_patch_call" ? this.#callsOf(item.operation, item.callId) : [],
      note: (item, answers) => {
        const { rawItem } = item;
        if (rawItem.type !== "apply_patch_call") return;
        const { operation: content, callId } = rawItem;
        known.note(keyOf(content), { callId, answers, wasAsked: true, content, item });
      },
    };
  }

  async needsApproval(answers: RunAnswers, operation: ApplyPatchOperation, callId: string): Promise<boolean> {
    let wasAsked = false;
    for (const call of await this.#callsOf(operation, callId))
      wasAsked ||= (await this.#gated.check(call, false)).kind === "pending";
    this.#known.note(keyOf(operation), { callId, answers, wasAsked, content: operation });
    return wasAsked;
  }

  createFile(operation: ApplyPatchOperation): Promise<ApplyPatchResult> {
    return this.#patch(operation);
  }

  updateFile(operation: ApplyPatchOperation): Promise<ApplyPatchResult> {
    return this.#patch(operation);
  }

  deleteFile(operation: ApplyPatchOperation): Promise<ApplyPatchResult> {
    return this.#patch(operation);
  }

  async #patch(operation: ApplyPatchOperation): Promise<ApplyPatchResult> {
    const { callId, ...passed } = this.#known.take(keyOf(operation), operation);
    const plan = await this.#planned(operation, callId);
    if (plan.kind === "stopped") return { status: "failed", output: plan.reason };
    const outcome = await this.#gated.make(plan.call, passed);
    return { status: outcome.kind === "done" ? "completed" : "failed", output: outcomeText(outcome) };
  }

  /** The calls of a patch, if its file may be read without approval. */
  async #callsOf(operation: ApplyPatchOperation, callId: string): Promise<readonly FrameworkCall[]> {
    const reading = readOf(operation, callId);
    if (reading !== null && (await this.#gated.check(reading, true)).kind !== "allowed") return [];
    const plan = await this.#planned(operation, callId);
    return plan.kind === "call" ? [plan.call] : [];
  }

  #planned(operation: ApplyPatchOperation, callId: string): Promise<Planned> {
    return planned(operation, callId, (call) => this.#gated.run(call));
  }
}

function keyOf(operation: ApplyPatchOperation): string {
  const { type, path } = operation;
  const diff = "diff" in operation ? operation.diff : null;
  return JSON.stringify([type, path, diff, "moveTo" in operation ? (operation.moveTo ?? null) : null]);
}
