import { z } from "zod";
import type { Json } from "../policy/canonical-json.ts";
import { JsonData } from "../policy/json-data.ts";
import { Presentation } from "../policy/presentation.ts";
import type { Risk } from "../policy/risk.ts";

/** What a tool's own check is told: which tool, its arguments, and what the host knows beside them. */
export interface ApprovalContext {
  /** The name that the model sees. */
  readonly tool: string;
  readonly args: Json;
  /** Whatever a framework has: run, session, agent, its own objects. Nothing here decides. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A tool's wish that a person be asked, and how to put it. */
export const Ask = z
  .strictObject({
    description: z.string(),
    /** What a yes for the session covers; without it, exactly these arguments. */
    payload: JsonData.optional(),
    presentation: Presentation.optional(),
    /** What is shown in place of the arguments. */
    displayArgs: JsonData.optional(),
    groupId: z.string().optional(),
    /** False: a yes holds once, and none that was given before answers. */
    remember: z.boolean().optional(),
    reason: z.string().optional(),
  })
  .readonly();
export type Ask = z.infer<typeof Ask>;

/** Whether this use of a tool needs a yes, and why. */
export const Requirement = z
  .strictObject({
    required: z.boolean(),
    reason: z.string(),
    /** What would be done, as a person is asked about it. */
    description: z.string().optional(),
    /** False: a yes holds once, and none that was given before answers. */
    remember: z.boolean().optional(),
  })
  .readonly();
export type Requirement = z.infer<typeof Requirement>;

/** What a tool is called with. */
export interface ToolInput<Input> {
  readonly input: Input;
  readonly signal: AbortSignal | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** How a call came to run. `by`: who said yes to it; null where rules, a grant or a mode let it pass. */
export interface Permission {
  readonly by: string | null;
}

/**
 * A function of the host's own as a tool: it runs in this process, without walls, behind the gate. Without a check of its
 * own its risk decides, which is `write` where it says none.
 */
export interface FunctionTool<Input = Json, Output = unknown> {
  readonly name: string;
  /** A grant holds for this version alone. */
  readonly version?: string;
  readonly risk?: Risk;
  /** What a model is told of it. */
  readonly description?: string;
  /** Checked before anybody is asked, and again before it runs. */
  readonly input?: z.ZodType<Input>;
  /** Null: no question. Throws `ApprovalBlockedError` for what it never does. Quick, and without effects. */
  readonly checkApproval?: (context: ApprovalContext) => Ask | null;
  /** The same for checks that look something up; told what `run` will be told. */
  readonly requireApproval?: Requirement | ((given: ToolInput<Input>) => Requirement | Promise<Requirement>);
  readonly run: (given: ToolInput<Input>, permission: Permission) => Output | Promise<Output>;
}
