import type { Broker } from "../approval/broker.ts";
import { approved, rejected } from "../approval/factories.ts";
import { readDecision } from "../approval/read-decision.ts";
import { CofferdamError } from "../errors.ts";
import type { Json } from "../policy/canonical-json.ts";
import type { Decision } from "../policy/decision.ts";
import type { StoredRequest } from "../store/store.ts";
import { type Refusal, refusal } from "./refusal.ts";
import type { AnswerBody, AnswersBody, Told } from "./schemas.ts";

/** What became of an answer: it counted, or why it did not. */
export type Outcome =
  | { readonly kind: "accepted"; readonly stored: StoredRequest | null }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** An answer in any of the forms that a body may have. */
type Body = { readonly [Key in keyof AnswerBody]: unknown } & { readonly editedInput?: Json | undefined };

/** The decision that a body stands for. Throws `USAGE` for one that contradicts itself. */
export function decisionOf(body: Body, by: string): Decision {
  const { editedInput, ...short } = body;
  const decision = readDecision(short, by);
  if (editedInput === undefined) return decision;
  if (decision.status === "approved") return { ...decision, editedInput };
  throw new CofferdamError("USAGE", "an answer says no, and what shall run instead", {
    hint: "leave `editedInput` out, or approve",
  });
}

/** A decision as it is told to those who look. */
export function toldOf(decision: Decision | null): Told | null {
  switch (decision?.status) {
    case undefined:
      return null;
    case "approved": {
      const { status, scope, by, note = null, editedInput } = decision;
      return { status, scope, by, note, isEdited: editedInput !== undefined };
    }
    case "rejected": {
      const { status, by, note = null } = decision;
      return { status, by, note };
    }
    case "expired":
      return { status: "expired" };
  }
}

/** Answers one request. What does not count the broker has written down. */
export async function answer(
  broker: Broker,
  approvalId: string,
  decision: Decision,
  by: string,
): Promise<Outcome> {
  const resolution = await broker.respond(approvalId, decision, by);
  if (resolution === "unknown") return { kind: "refused", refusal: refusal("REQUEST_UNKNOWN") };
  const stored = await broker.find(approvalId);
  if (resolution === "accepted") return { kind: "accepted", stored };
  const code = resolution === "expired" ? "REQUEST_EXPIRED" : "ANSWERED_ALREADY";
  const beside = { status: stored?.status ?? null, decision: toldOf(stored?.decision ?? null) };
  return { kind: "refused", refusal: refusal(code, { beside }) };
}

/** Answers several; how many of them it decided. */
export async function answerSeveral(broker: Broker, body: AnswersBody, by: string): Promise<number> {
  const { filter, note } = body;
  const said = note ?? undefined;
  if (!body.approved) return broker.respondAll(filter, rejected(by, said), by);
  const seen = new Set(body.seen);
  const meant = (await broker.pending(filter)).filter(({ approvalId }) => seen.has(approvalId));
  const yes = approved(by, said === undefined ? {} : { note: said });
  const all = await Promise.all(meant.map(({ approvalId }) => broker.respond(approvalId, yes, by)));
  return all.filter((one) => one === "accepted").length;
}
