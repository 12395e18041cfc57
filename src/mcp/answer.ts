import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { PROTECTIONS } from "../backend/plan.ts";
import { jsonText, spelledOut } from "../policy/spelled-out.ts";
import type { Outcome } from "../supervisor/outcome.ts";
import type { Receipt } from "../supervisor/receipt.ts";
import { toolResult } from "../supervisor/tool-result.ts";

/** Under this name the whole receipt goes along, for those who keep records: models are not shown it. */
const RECEIPT = "cofferdam/receipt";

/** What the walls did not give, as models and people read it. */
const DenialAnswer = z.strictObject({
  operation: z.string(),
  target: z.string(),
  certainty: z.enum(["certain", "likely"]),
  because: z.string(),
  remedy: z.string(),
});

/** The receipt in short: what stood around the call, and what of it did not stand whole. */
const ReceiptAnswer = z.strictObject({
  backend: z.string().describe("What made the walls; `none` for a function, which has none"),
  granted: z.string().optional().describe("SHA-256 of the profile that it ran under"),
  args_hash: z.string().optional().describe("SHA-256 of what exactly ran"),
  not_whole: z.array(
    z.strictObject({
      protection: z.enum(PROTECTIONS),
      stands: z.enum(["partial", "absent"]),
      reason: z.string(),
    }),
  ),
  appeared: z.array(z.string()).describe("What came to be meanwhile and other programs may obey"),
  quarantined: z.array(z.string()).describe("What of that was taken away; a person can give it back"),
  devices: z.array(z.string()).optional().describe("Devices of the machine that it had"),
  limits_reached: z.array(z.string()),
});

/** What became of a call, as data. */
export const ToolAnswer = z.strictObject({
  outcome: z.enum(["done", "failed", "timed-out", "not-found", "denied", "pending"]),
  result: z.json().optional().describe("What the tool answers; of a program, its status and its output"),
  reason: z.string().optional().describe("Why it did not run, or failed"),
  hint: z.string().optional().describe("What would have to be changed"),
  approval_id: z.string().optional().describe("Under which a person can still answer"),
  denials: z.array(DenialAnswer).optional(),
  receipt: ReceiptAnswer.optional(),
});
export type ToolAnswer = z.infer<typeof ToolAnswer>;

/** The same as JSON Schema, as tools say what they answer. */
export const ANSWER_SCHEMA = outputSchema();

/**
 * What became of a call, as a client gets it: a text for the model, the same as data, and the receipt. What did not run, or
 * could not be done, is marked as an error; a program that ran and says that something failed is not.
 */
export function answerOf(outcome: Outcome): CallToolResult {
  const told = toolResult(outcome);
  const receipt = "receipt" in outcome ? outcome.receipt : null;
  const answer: ToolAnswer = {
    outcome: outcome.kind,
    ...partsOf(outcome, told),
    ...(receipt === null ? {} : { receipt: shortReceipt(receipt) }),
  };
  return {
    content: [{ type: "text", text: textOf(told) }],
    structuredContent: answer,
    ...(told.type === "success" ? {} : { isError: true }),
    ...(receipt === null ? {} : { _meta: { [RECEIPT]: dataOf(receipt) } }),
  };
}

type Told = ReturnType<typeof toolResult>;

function partsOf(outcome: Outcome, told: Told): Partial<ToolAnswer> {
  const denials = "denials" in outcome && outcome.denials !== undefined ? outcome.denials : [];
  const common = denials.length === 0 ? {} : { denials: [...denials] };
  switch (told.type) {
    case "success":
      return { result: dataOf(told.output), ...common };
    case "error":
      return { reason: told.error, ...common };
    case "denied":
    case "pending": {
      const { reason = "", hint = "" } = "reason" in outcome ? outcome : {};
      const id = "approvalId" in outcome ? { approval_id: outcome.approvalId } : {};
      return { reason, hint, ...id, ...common };
    }
  }
}

function textOf(told: Told): string {
  switch (told.type) {
    case "success":
      return typeof told.output === "string" ? told.output : JSON.stringify(dataOf(told.output));
    case "error":
      return told.error;
    case "denied":
      return told.output;
    case "pending":
      return `Not yet: ${told.reason}. A person has to answer first, under the id ${told.approvalId}; then make the same call again.`;
  }
}

function shortReceipt(receipt: Receipt): z.infer<typeof ReceiptAnswer> {
  const { backend, granted, argsHash, standings, appeared, limitsReached, devices } = receipt;
  return {
    backend,
    ...(granted === null ? {} : { granted }),
    ...(argsHash === null ? {} : { args_hash: argsHash }),
    not_whole: PROTECTIONS.flatMap((protection) => {
      const standing = standings[protection];
      if (standing.kind !== "partial" && standing.kind !== "absent") return [];
      return [{ protection, stands: standing.kind, reason: standing.reason }];
    }),
    appeared: appeared.found.map(({ path }) => spelledOut(path)),
    quarantined: appeared.found.flatMap(({ path, fate }) =>
      fate.kind === "quarantined" ? [spelledOut(path)] : [],
    ),
    ...(devices === undefined ? {} : { devices: devices.map(({ path }) => path) }),
    limits_reached: [...limitsReached],
  };
}

/** As it goes over a wire: what JSON has no word for is left out. */
function dataOf(value: unknown): z.infer<ReturnType<typeof z.json>> {
  try {
    return z.json().parse(JSON.parse(jsonText(value ?? null)));
  } catch {
    return null;
  }
}

function outputSchema() {
  const schema = z.strictObject({ type: z.literal("object") }).loose();
  return schema.parse(z.toJSONSchema(ToolAnswer, { io: "output" }));
}
