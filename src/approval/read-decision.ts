import { z } from "zod";
import { CofferdamError, thrownText, visible } from "../errors.ts";
import { Decision, Note, Scope, Who } from "../policy/decision.ts";
import { deepFrozen } from "./factories.ts";
import type { HandlerAnswer } from "./handler.ts";

const HINT =
  'answer `{ status: "approved", scope: "once", by }` or `{ status: "rejected", by, note? }`, or `{ approved: true | false, by? }`';

/** The short form: yes or no. `always` and `remember` say what `scope` says, `reason` what `note` says. */
const Short = z.strictObject({
  approved: z.boolean(),
  scope: Scope.optional(),
  always: z.boolean().optional(),
  remember: z.literal("session").nullish(),
  by: Who.optional(),
  note: Note.nullish(),
  reason: Note.nullish(),
});

/** The form that `createApprovalResult` makes. */
const Result = z.strictObject({
  status: z.enum(["approved", "rejected", "timeout", "pending"]),
  approvedBy: Who.or(z.literal("")).nullish(),
  reason: Note.nullish(),
  approvalId: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
type Result = z.infer<typeof Result>;

/** Ours, where whoever passes it on says who answered. */
const Unsigned = z.union([
  z.strictObject({
    status: z.literal("approved"),
    scope: Scope.default("once"),
    by: Who.optional(),
    note: Note.optional(),
    editedInput: z.json().optional(),
  }),
  z.strictObject({
    status: z.literal("rejected"),
    by: Who.optional(),
    note: Note.optional(),
  }),
  z.strictObject({ status: z.literal("expired") }),
  z.strictObject({ status: z.literal("pending") }),
]);

/**
 * An answer from outside, in any of the forms that it may have, as one decision. `by` stands where it does not say who
 * answered. Only an own `true` and `"approved"` are a yes. Throws `USAGE` for anything else, also for what can't be read:
 * what is not understood is no yes.
 */
export function readAnswer(given: unknown, by: string): HandlerAnswer {
  try {
    return readOwn(ownOf(given), by);
  } catch (cause) {
    if (cause instanceof CofferdamError) throw cause;
    throw new CofferdamError("USAGE", `an answer can't be read: ${visible(thrownText(cause))}`, {
      hint: HINT,
      cause,
    });
  }
}

/** The same where an answer must decide. Throws `USAGE` for one that leaves it pending as well. */
export function readDecision(given: unknown, by: string): Decision {
  const answer = readAnswer(given, by);
  if (answer.status !== "pending") return answer;
  throw new CofferdamError("USAGE", "an answer says `pending`, which decides nothing", { hint: HINT });
}

/** The answer's own properties, each read once: nothing that it inherits, from whomever, is an answer. */
function ownOf(given: unknown): unknown {
  return typeof given === "object" && given !== null && !Array.isArray(given)
    ? { __proto__: null, ...given }
    : given;
}

function readOwn(given: unknown, by: string): HandlerAnswer {
  const short = Short.safeParse(given);
  if (short.success) return fromShort(short.data, by);
  const unsigned = Unsigned.safeParse(given);
  if (unsigned.success) {
    const { data } = unsigned;
    return data.status === "approved" || data.status === "rejected"
      ? deepFrozen(Decision.parse({ ...data, by: data.by ?? by }))
      : Object.freeze(data);
  }
  const result = Result.safeParse(given);
  if (result.success) return fromResult(result.data, by);
  throw new CofferdamError("USAGE", `an answer ${problemOf(given, short.error)}`, { hint: HINT });
}

function fromShort(short: z.infer<typeof Short>, by: string): Decision {
  const note = short.note ?? short.reason ?? null;
  const said = note === null || note === "" ? {} : { note };
  if (!short.approved) return Object.freeze({ status: "rejected", by: short.by ?? by, ...said });
  // Of two that contradict each other the narrower counts.
  const isForSession =
    short.scope !== "once" &&
    short.always !== false &&
    (short.scope === "session" || short.always === true || short.remember === "session");
  return Object.freeze({
    status: "approved",
    scope: isForSession ? "session" : "once",
    by: short.by ?? by,
    ...said,
  });
}

function fromResult({ status, approvedBy, reason }: Result, by: string): HandlerAnswer {
  const said = reason === null || reason === undefined || reason === "" ? {} : { note: reason };
  const who = approvedBy === null || approvedBy === undefined || approvedBy === "" ? by : approvedBy;
  switch (status) {
    case "approved":
      return Object.freeze({ status, scope: "once", by: who, ...said });
    case "rejected":
      return Object.freeze({ status, by: who, ...said });
    case "timeout":
      return Object.freeze({ status: "expired" });
    case "pending":
      return Object.freeze({ status });
  }
}

function problemOf(given: unknown, error: z.ZodError): string {
  if (typeof given !== "object" || given === null) return "is no object";
  if ("status" in given)
    return `has a status, or something beside it, that is none: ${visible(String(given.status))}`;
  const [issue] = error.issues;
  const place = issue?.code === "unrecognized_keys" ? issue.keys[0] : issue?.path[0];
  return place === undefined ? "is none" : `has no usable ${visible(String(place))}`;
}
