import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { PROTECTIONS } from "../backend/plan.ts";
import { adviceText, resultText, toolResult } from "../call/tool-result.ts";
import type { Outcome } from "../decide/outcome.ts";
import type { Receipt } from "../decide/receipt.ts";
import { orNull } from "../host/or-null.ts";
import { answerText } from "../policy/call-answer.ts";
import { OUTCOME_KINDS } from "../policy/outcome-kinds.ts";
import { jsonText, spelledOut } from "../policy/spelled-out.ts";

/** The `_meta` key of the whole receipt, for programs that keep records. Models do not see it. */
const RECEIPT = "cofferdam/receipt";

const DenialAnswer = z.strictObject({
  operation: z.string(),
  target: z.string(),
  certainty: z.enum(["certain", "likely"]),
  because: z.string(),
  remedy: z.string(),
  askable: z.literal(true).optional().describe("A person is asked if the call is repeated"),
});

/** The receipt in short: the protections of the call, and those that were not fully enforced. */
const ReceiptAnswer = z.strictObject({
  backend: z.string().describe("Backend of the sandbox; `none` for a function"),
  granted: z.string().optional().describe("SHA-256 of the profile of the call"),
  args_hash: z.string().optional().describe("SHA-256 of the command or the arguments that ran"),
  not_whole: z.array(
    z.strictObject({
      protection: z.enum(PROTECTIONS),
      stands: z.enum(["partial", "absent"]),
      reason: z.string(),
    }),
  ),
  appeared: z.array(z.string()).describe("Files made during the call that other programs may execute"),
  quarantined: z.array(z.string()).describe("Files among them that were moved to the quarantine"),
  devices: z.array(z.string()).optional().describe("Devices of the machine that the call could use"),
  limits_reached: z.array(z.string()),
});

/** The outcome of a call, as structured data. */
export const ToolAnswer = z.strictObject({
  outcome: z.enum(OUTCOME_KINDS),
  result: z.json().optional().describe("The result of the tool; for a program, its status and output"),
  reason: z.string().optional().describe("Why the call did not run or failed"),
  hint: z.string().optional().describe("What would help, and whether repeating the call does"),
  answer: z.string().optional().describe("What the approval said, such as that it changed the input"),
  approval_id: z.string().optional().describe("Id of the request that a person can still answer"),
  denials: z.array(DenialAnswer).optional(),
  receipt: ReceiptAnswer.optional(),
});
export type ToolAnswer = z.infer<typeof ToolAnswer>;

/** `ToolAnswer` as JSON Schema: the `outputSchema` of our tools. */
export const ANSWER_SCHEMA = z
  .looseObject({ type: z.literal("object") })
  .parse(z.toJSONSchema(ToolAnswer, { io: "output" }));

/**
 * The outcome of a call as a `tools/call` result: a text for the model, the same as data, and the receipt. A call that
 * did not run or could not be completed has `isError`. A program that ran and exited with a failure does not.
 */
export function callResult(outcome: Outcome): CallToolResult {
  const { text, parts, isError } = contentOf(outcome);
  const receipt = "receipt" in outcome ? outcome.receipt : null;
  const denials = "denials" in outcome && outcome.denials !== undefined ? outcome.denials : [];
  const structuredContent: ToolAnswer = {
    outcome: outcome.kind,
    ...parts,
    ...(denials.length === 0 ? {} : { denials: [...denials] }),
    ...(receipt === null ? {} : { receipt: shortReceipt(receipt) }),
  };
  return {
    content: [{ type: "text", text }],
    structuredContent,
    ...(isError ? { isError } : {}),
    ...(receipt === null ? {} : { _meta: { [RECEIPT]: dataOf(receipt) } }),
  };
}

/** A client without forms gets the result of a suspended call by making it again. */
const REPEAT_AFTER = "Make the same call again after the answer.";

interface Content {
  readonly text: string;
  readonly parts: Partial<ToolAnswer>;
  readonly isError: boolean;
}

function contentOf(outcome: Outcome): Content {
  const result = toolResult(outcome);
  const { reason = "" } = "reason" in outcome ? outcome : {};
  const data = result.type === "success" ? dataOf(result.output) : null;
  const text = resultText(result, (output) => (typeof output === "string" ? output : JSON.stringify(data)));
  const given = "answer" in outcome ? outcome.answer : undefined;
  const answer = given === undefined ? {} : { answer: answerText(given) };
  switch (result.type) {
    case "success":
      return { text, parts: { result: data, ...answer }, isError: false };
    case "error":
      return { text, parts: { reason: text, ...answer }, isError: true };
    case "denied":
      return { text, parts: { reason, hint: adviceText(outcome), ...answer }, isError: true };
    case "pending": {
      const hint = REPEAT_AFTER;
      return {
        text: `${text} ${hint}`,
        parts: { reason, hint, approval_id: result.approvalId },
        isError: true,
      };
    }
  }
}

function shortReceipt(receipt: Receipt): z.infer<typeof ReceiptAnswer> {
  const { backend, granted, argsHash, enforcement, appeared, limitsReached, devices } = receipt;
  return {
    backend,
    ...(granted === null ? {} : { granted }),
    ...(argsHash === null ? {} : { args_hash: argsHash }),
    not_whole: PROTECTIONS.flatMap((protection) => {
      const found = enforcement[protection];
      if (found.kind !== "partial" && found.kind !== "absent") return [];
      return [{ protection, stands: found.kind, reason: found.reason }];
    }),
    appeared: appeared.found.map(({ path }) => spelledOut(path)),
    quarantined: appeared.found.flatMap(({ path, fate }) =>
      fate.kind === "quarantined" ? [spelledOut(path)] : [],
    ),
    ...(devices === undefined ? {} : { devices: devices.map(({ path }) => path) }),
    limits_reached: [...limitsReached],
  };
}

/** The value as it is sent: parts that JSON cannot express are dropped. */
function dataOf(value: unknown): z.infer<ReturnType<typeof z.json>> {
  return orNull(() => z.json().parse(JSON.parse(jsonText(value ?? null))));
}
