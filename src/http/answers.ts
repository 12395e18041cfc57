import type { Broker } from "../approval/broker.ts";
import { approved, rejected } from "../approval/factories.ts";
import { readDecision } from "../approval/read-decision.ts";
import { CofferdamError } from "../errors.ts";
import type { Json } from "../policy/canonical-json.ts";
import type { Decision } from "../policy/decision.ts";
import type { StoredRequest } from "../store/store.ts";
import { type HttpRefusal, refusal } from "./refusal.ts";
import type { AnswerBody, AnswersBody, StoredDecision } from "./schemas.ts";

/** The result of an answer: it counted, or the refusal. */
export type AnswerOutcome =
  | { readonly kind: "accepted"; readonly stored: StoredRequest | null }
  | { readonly kind: "refused"; readonly refusal: HttpRefusal };

type Body = { readonly [Key in keyof AnswerBody]: unknown } & { readonly editedInput?: Json | undefined };

/** The decision in a body. Throws `USAGE` if it contradicts itself. */
export function decisionOf(body: Body, by: string): Decision {
  const { editedInput, ...short } = body;
  const decision = readDecision(short, by);
  if (editedInput === undefined) return decision;
  if (decision.status === "approved") return { ...decision, editedInput };
  throw new CofferdamError("USAGE", "a rejection can't have an edited input", {
    hint: "remove `editedInput`, or approve",
  });
}

/** A decision as clients see it. */
export function storedDecision(decision: Decision | null): StoredDecision | null {
  switch (decision?.status) {
    case undefined:
      return null;
    case "approved": {
      const { status, scope, by, note = null, editedInput } = decision;
      return { status, scope, by, note, isEdited: editedInput !== undefined };
    }
    case "rejected": {
      const { status, by, note = null, scope } = decision;
      return { status, by, note, ...(scope === undefined ? {} : { lasts: scope }) };
    }
    case "expired":
      return { status: "expired" };
  }
}

/** Answers one request. The broker records answers that do not count. */
export async function answer(
  broker: Broker,
  approvalId: string,
  decision: Decision,
  by: string,
): Promise<AnswerOutcome> {
  const resolution = await broker.decide(approvalId, decision, by);
  if (resolution === "unknown") return { kind: "refused", refusal: refusal("REQUEST_UNKNOWN") };
  const stored = await broker.find(approvalId);
  if (resolution === "accepted") return { kind: "accepted", stored };
  const code = resolution === "expired" ? "REQUEST_EXPIRED" : "ANSWERED_ALREADY";
  const beside = { status: stored?.status ?? null, decision: storedDecision(stored?.decision ?? null) };
  return { kind: "refused", refusal: refusal(code, { beside }) };
}

/** Answers several requests; returns the number decided. */
export async function answerSeveral(broker: Broker, body: AnswersBody, by: string): Promise<number> {
  const { filter, note } = body;
  const said = note ?? undefined;
  if (!body.approved) return broker.respondAll(filter, rejected(by, said), by);
  const seen = new Set(body.seen);
  const meant = (await broker.pending(filter)).filter(({ approvalId }) => seen.has(approvalId));
  const yes = approved(by, said === undefined ? {} : { note: said });
  const all = await Promise.all(meant.map(({ approvalId }) => broker.decide(approvalId, yes, by)));
  return all.filter((one) => one === "accepted").length;
}
