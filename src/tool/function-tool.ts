import { z } from "zod";
import type { Json } from "../policy/canonical-json.ts";
import { JsonData } from "../policy/json-data.ts";
import { Presentation } from "../policy/presentation.ts";
import type { Risk } from "../policy/risk.ts";

/** Input of a tool's own check: the tool, its arguments, and the host's metadata. */
export interface ApprovalContext {
  /** The name that the model sees. */
  readonly tool: string;
  readonly args: Json;
  /** Anything the framework has: run, session, agent, its own objects. No decision depends on it. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A tool's request to ask a person, and how to word it. */
export const Ask = z
  .strictObject({
    description: z.string(),
    /** The content that a session approval covers; default: exactly these arguments. */
    payload: JsonData.optional(),
    presentation: Presentation.optional(),
    /** Shown in place of the arguments. */
    displayArgs: JsonData.optional(),
    groupId: z.string().optional(),
    /** False: an approval holds once, and no earlier approval is used. */
    remember: z.boolean().optional(),
    reason: z.string().optional(),
  })
  .readonly();
export type Ask = z.infer<typeof Ask>;

/** Whether this use of a tool needs approval, and why. */
export const Requirement = z
  .strictObject({
    required: z.boolean(),
    reason: z.string(),
    /** The effect of the call, as the question words it. */
    description: z.string().optional(),
    /** False: an approval holds once, and no earlier approval is used. */
    remember: z.boolean().optional(),
  })
  .readonly();
export type Requirement = z.infer<typeof Requirement>;

/** The input of a tool. */
export interface ToolInput<Input> {
  readonly input: Input;
  readonly signal: AbortSignal | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Why a call was allowed to run. `by`: the name of the approver; null if rules, a grant or a mode allowed it. */
export interface Permission {
  readonly by: string | null;
}

/**
 * A function of the host as a tool: it runs in this process, without a sandbox, after the gate. Without a check of its
 * own, its risk decides; the default is `write`.
 */
export interface FunctionTool<Input = Json, Output = unknown> {
  readonly name: string;
  /** A grant holds for this version only. */
  readonly version?: string;
  readonly risk?: Risk;
  /** The description for the model. */
  readonly description?: string;
  /** Checked before a person is asked, and again before it runs. */
  readonly input?: z.ZodType<Input>;
  /** Null: no question. Throws `ApprovalBlockedError` for a use that it never allows. Quick, and without effects. */
  readonly checkApproval?: (context: ApprovalContext) => Ask | null;
  /** The same for checks that look something up; it receives the input of `run`. */
  readonly requireApproval?: Requirement | ((given: ToolInput<Input>) => Requirement | Promise<Requirement>);
  readonly run: (given: ToolInput<Input>, permission: Permission) => Output | Promise<Output>;
}
