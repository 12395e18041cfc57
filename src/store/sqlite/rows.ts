import { z } from "zod";
import { type ApprovalEvent, Event, isApprovalEvent } from "../../event/event.ts";
import { Decision } from "../../policy/decision.ts";
import { Grant } from "../../policy/grant.ts";
import { KeptCall } from "../../policy/kept-call.ts";
import { Presentation } from "../../policy/presentation.ts";
import { ApprovalRequest } from "../../policy/request.ts";
import { spelledOut } from "../../policy/spelled-out.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import { jsonOf, Status } from "../column.ts";
import { Edited, withInput } from "../edited.ts";
import type { RequestStatus } from "../store.ts";
import { unavailable } from "./failure.ts";

const ASKED = { id: z.string(), request: jsonOf(ApprovalRequest) };
const ANOTHER_ID = "stands under another id";

/** What each row holds, by what is wanted of it. A file is data from outside, whoever wrote it. */
const ROWS = {
  "the id": z.strictObject({ id: z.string().min(1) }),
  "a request": z
    .strictObject(ASKED)
    .refine(isUnderItsId, ANOTHER_ID)
    .transform(({ request }) => request),
  "a stored request": z
    .strictObject({
      ...ASKED,
      status: Status,
      decision: jsonOf(Decision).nullable(),
      edited: jsonOf(Edited).nullable(),
    })
    .refine(isUnderItsId, ANOTHER_ID)
    .refine(({ status, decision }) => decision?.status === decidedBy(status), "was decided otherwise")
    .transform(({ request, status, decision, edited }) => ({
      request,
      status,
      decision: withInput(decision, edited),
    })),
  "a status": z.strictObject({ status: Status }).transform(({ status }) => status),
  "what belongs to a request": z.strictObject({
    call: jsonOf(KeptCall).nullable(),
    presentation: jsonOf(Presentation).nullable(),
  }),
  "a place": z.strictObject({ place: z.int(), settled: z.int() }),
  "a grant": z
    .strictObject({ id: z.string(), session: z.string(), body: jsonOf(Grant) })
    .refine(({ id, body }) => id === spelledOut(body.grantId), ANOTHER_ID)
    .refine(({ session, body }) => session === spelledOut(body.sessionId), "is of another session")
    .transform(({ body }) => body),
  "a note": z.strictObject({ note: jsonOf(z.string()) }).transform(({ note }) => note),
  "a number": z.strictObject({ number: z.int().nullable() }).transform(({ number }) => number),
  "an event": z.strictObject({ number: z.int(), event: jsonOf(z.looseObject({})) }).transform(toEvent),
} as const;

type What = keyof typeof ROWS;

/**
 * What a row of a file holds. Throws `STORE_UNAVAILABLE` for a row that holds something else: it is never taken for what
 * it might mean.
 */
export function readRow<Wanted extends What>(
  file: AbsolutePath,
  what: Wanted,
  row: unknown,
): z.output<(typeof ROWS)[Wanted]>;
export function readRow(file: AbsolutePath, what: What, row: unknown): unknown {
  const read = ROWS[what].safeParse(row);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const why = `${issue?.path.map(String).join(".") ?? ""} ${issue?.message ?? ""}`.trim();
  throw unavailable(
    file,
    `holds in place of ${what} something else: ${why}`,
    "move it away: nothing of it is changed or removed here",
    read.error,
  );
}

function isUnderItsId({ id, request }: { readonly id: string; readonly request: ApprovalRequest }): boolean {
  return id === spelledOut(request.approvalId);
}

/** The same of every row. */
export function readRows<Wanted extends What>(
  file: AbsolutePath,
  what: Wanted,
  rows: readonly unknown[],
): readonly z.output<(typeof ROWS)[Wanted]>[] {
  return rows.map((row) => readRow(file, what, row));
}

/** What was answered where a request is so far in its life. */
function decidedBy(status: RequestStatus): Decision["status"] | undefined {
  switch (status) {
    case "pending":
      return undefined;
    case "approved":
    case "executing":
    case "done":
    case "failed":
      return "approved";
    case "rejected":
    case "expired":
      return status;
  }
}

/** Numbers of rows begin with one, of events with zero. */
function toEvent(
  { number, event }: { readonly number: number; readonly event: Readonly<Record<string, unknown>> },
  context: z.RefinementCtx,
): ApprovalEvent {
  const read = Event.safeParse({ ...event, seq: number - 1 });
  if (read.success && isApprovalEvent(read.data)) return read.data;
  context.addIssue("is no event about approvals");
  return z.NEVER;
}
