import { randomUUID } from "node:crypto";
import type {
  ApplyPatchOperation,
  ApplyPatchResult,
  Editor,
  EditorInvocationContext,
  RunContext,
} from "@openai/agents";
import type { CallsOf, FrameworkCall } from "../framework-calls.ts";
import { type Answers, GatedCalls, saidTo, told } from "./gated-calls.ts";
import { KnownCalls, type Taken } from "./known-calls.ts";
import { type HasPart, PART, type Part, type RawItem } from "./part.ts";
import { type Planned, planned, readOf } from "./patch-call.ts";
import { askedAtOnce, type OnApproval, type SdkToolOptions } from "./shell.ts";

/** What `applyPatchTool` takes. */
export interface EditorToolOptions {
  name: string;
  editor: Editor & HasPart;
  needsApproval: (context: RunContext, operation: ApplyPatchOperation, callId?: string) => Promise<boolean>;
  onApproval?: OnApproval;
}

/**
 * What `applyPatchTool` takes, over our tools on files: a patch is read, judged, asked about and made inside walls. A yes holds
 * for the change as it was asked about: where the file is another by then, it is denied, and another patch is asked about anew.
 */
export function cofferdamEditor(
  of: CallsOf,
  { name = "apply_patch", onApproval }: SdkToolOptions = {},
): EditorToolOptions {
  const editor = new GatedEditor(new GatedCalls(of), name);
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
  readonly #name: string;
  readonly #known: KnownCalls;
  readonly [PART]: Part;

  constructor(gated: GatedCalls, name: string) {
    this.#gated = gated;
    this.#name = name;
    this.#known = new KnownCalls(name);
    const known = this.#known;
    this[PART] = {
      gated,
      callsOf: async (item: RawItem) =>
        item.type === "apply_patch_call" ? this.#callsOf(item.operation, item.callId) : [],
      note: (item, answers) => {
        if (item.type === "apply_patch_call")
          known.note(contentOf(item.operation), { callId: item.callId, answers, wasAsked: true });
      },
    };
  }

  async needsApproval(answers: Answers, operation: ApplyPatchOperation, callId: string): Promise<boolean> {
    let wasAsked = false;
    for (const call of await this.#callsOf(operation, callId))
      wasAsked ||= (await this.#gated.clearance(call, false)).kind === "pending";
    this.#known.note(contentOf(operation), { callId, answers, wasAsked });
    return wasAsked;
  }

  createFile(operation: ApplyPatchOperation, context?: EditorInvocationContext): Promise<ApplyPatchResult> {
    return this.#patch(operation, context);
  }

  updateFile(operation: ApplyPatchOperation, context?: EditorInvocationContext): Promise<ApplyPatchResult> {
    return this.#patch(operation, context);
  }

  deleteFile(operation: ApplyPatchOperation, context?: EditorInvocationContext): Promise<ApplyPatchResult> {
    return this.#patch(operation, context);
  }

  async #patch(
    operation: ApplyPatchOperation,
    context: EditorInvocationContext | undefined,
  ): Promise<ApplyPatchResult> {
    const { callId, ...passed } = this.#known.take(contentOf(operation)) ?? this.#unknown(context);
    const plan = await this.#planned(operation, callId);
    if (plan.kind === "stopped") return { status: "failed", output: plan.reason };
    const outcome = await this.#gated.make(plan.call, passed);
    return { status: outcome.kind === "done" ? "completed" : "failed", output: told(outcome) };
  }

  /** A call that nobody was asked about: an `always` is all that can have let it pass. */
  #unknown(context: EditorInvocationContext | undefined): Taken {
    const callId = randomUUID();
    const said = context === undefined ? null : saidTo(context.runContext, this.#name, callId);
    return { callId, said: said === "always" ? said : null, wasAsked: false };
  }

  /** What a patch comes to, as far as its file may be read without asking anybody. */
  async #callsOf(operation: ApplyPatchOperation, callId: string): Promise<readonly FrameworkCall[]> {
    const reading = readOf(operation, callId);
    if (reading !== null && (await this.#gated.clearance(reading, true)).kind !== "allowed") return [];
    const plan = await this.#planned(operation, callId);
    return plan.kind === "call" ? [plan.call] : [];
  }

  #planned(operation: ApplyPatchOperation, callId: string): Promise<Planned> {
    return planned(operation, callId, (call) => this.#gated.run(call));
  }
}

function contentOf(operation: ApplyPatchOperation): readonly unknown[] {
  const { type, path } = operation;
  const diff = "diff" in operation ? operation.diff : null;
  return [type, path, diff, "moveTo" in operation ? (operation.moveTo ?? null) : null];
}
