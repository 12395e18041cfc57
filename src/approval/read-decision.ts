import { z } from "zod";
import { CofferdamError, thrownText, visible } from "../errors.ts";
import { Decision, Note, Scope, ScopeLimits, Who } from "../policy/decision.ts";
import { ExactJson } from "../policy/json-data.ts";
import { deepFrozen } from "./factories.ts";
import type { HandlerAnswer } from "./handler.ts";

const HINT =
  'answer `{ status: "approved", scope: "once", by }` or `{ status: "rejected", by, note? }`, or `{ approved: true | false, by?, editedInput? }`';

/**
 * The short form: yes or no. `always` and `remember` mean `scope`, `reason` means `note`. `lasts` makes a rejection hold
 * for the session.
 */
const Short = z
  .strictObject({
    approved: z.boolean(),
    scope: Scope.optional(),
    always: z.boolean().optional(),
    remember: z.literal("session").nullish(),
    by: Who.optional(),
    note: Note.nullish(),
    reason: Note.nullish(),
    editedInput: ExactJson.optional(),
    limits: ScopeLimits.optional(),
    lasts: z.literal("session").optional(),
  })
  .transform(({ approved, scope, always, remember, by, note, reason, editedInput, limits, lasts }) => {
    const rest = { by, ...noteOf(note ?? reason) };
    if (!approved)
      return { status: "rejected" as const, ...rest, ...(lasts === undefined ? {} : { scope: lasts }) };
    const limited = {
      ...(limits === undefined ? {} : { limits }),
      ...(editedInput === undefined ? {} : { editedInput }),
    };
    if ((scope === "similar" || scope === "project") && always !== false)
      return { status: "approved" as const, scope, ...rest, ...limited };
    // If two contradict each other, the narrower counts.
    const isForSession =
      scope !== "once" &&
      always !== false &&
      (scope === "session" || always === true || remember === "session");
    return { status: "approved" as const, scope: isForSession ? "session" : "once", ...rest, ...limited };
  });

/** A decision, or `pending`; the caller may add the name. */
const Unsigned = z.union([
  z.strictObject({
    status: z.literal("approved"),
    scope: Scope.default("once"),
    by: Who.optional(),
    note: Note.optional(),
    editedInput: ExactJson.optional(),
    limits: ScopeLimits.exactOptional(),
  }),
  z.strictObject({
    status: z.literal("rejected"),
    by: Who.optional(),
    note: Note.optional(),
    scope: z.literal("session").exactOptional(),
  }),
  z.strictObject({ status: z.literal("expired") }),
  z.strictObject({ status: z.literal("pending") }),
]);

/** The form that `createApprovalResult` makes. */
const Result = z
  .strictObject({
    status: z.enum(["approved", "rejected", "timeout", "pending"]),
    approvedBy: Who.or(z.literal("")).nullish(),
    reason: Note.nullish(),
    approvalId: z.string().nullish(),
    metadata: z.record(z.string(), z.unknown()).nullish(),
  })
  .transform(({ status, approvedBy, reason }) => {
    const rest = { by: approvedBy === null || approvedBy === "" ? undefined : approvedBy, ...noteOf(reason) };
    switch (status) {
      case "approved":
        return { status, scope: "once", ...rest } as const;
      case "rejected":
        return { status, ...rest };
      case "timeout":
        return { status: "expired" } as const;
      case "pending":
        return { status };
    }
  });

const AnswerForm = z.union([Short, Unsigned, Result]);

/**
 * Parses an answer from outside, in any of its forms. `by` is the name if the answer has none. Only an own `true` or
 * `"approved"` is an approval. Throws `USAGE` for anything else, including unreadable values.
 */
export function readAnswer(given: unknown, by: string): HandlerAnswer {
  try {
    const own = ownOf(given);
    const read = AnswerForm.safeParse(own);
    if (!read.success)
      throw new CofferdamError("USAGE", `invalid answer${problemOf(own, read.error)}`, { hint: HINT });
    const { data } = read;
    if (data.status === "pending") return Object.freeze(data);
    const signed = data.status === "expired" ? data : { ...data, by: data.by ?? by };
    return deepFrozen(Decision.parse(signed));
  } catch (cause) {
    if (cause instanceof CofferdamError) throw cause;
    throw new CofferdamError("USAGE", `unreadable answer: ${visible(thrownText(cause))}`, {
      hint: HINT,
      cause,
    });
  }
}

/** The same for an answer that must decide. Throws `USAGE` for `pending` as well. */
export function readDecision(given: unknown, by: string): Decision {
  const answer = readAnswer(given, by);
  if (answer.status !== "pending") return answer;
  throw new CofferdamError("USAGE", "invalid answer: `pending` decides nothing", { hint: HINT });
}

/** The answer's own properties, each read once: an inherited property is no answer. */
function ownOf(given: unknown): unknown {
  return typeof given === "object" && given !== null && !Array.isArray(given)
    ? { __proto__: null, ...given }
    : given;
}

function noteOf(note: string | null | undefined): { readonly note?: string } {
  return note === null || note === undefined || note === "" ? {} : { note };
}

function problemOf(given: unknown, error: z.ZodError): string {
  if (typeof given !== "object" || given === null) return ": not an object";
  if ("status" in given)
    return `: the status ${visible(String(given.status))} or a value beside it is invalid`;
  // Its first fault as the short form.
  const [issue] = error.issues.flatMap((one) =>
    one.code === "invalid_union" ? (one.errors[0] ?? []) : [one],
  );
  const place = issue?.code === "unrecognized_keys" ? issue.keys[0] : issue?.path[0];
  return place === undefined ? "" : `: ${visible(String(place))} is missing or not allowed`;
}
