import { z } from "zod";
import { type ApprovalEvent, Event, isApprovalEvent } from "../../event/event.ts";
import { BoundCall } from "../../policy/bound-call.ts";
import { Decision } from "../../policy/decision.ts";
import { Grant } from "../../policy/grant.ts";
import { KeptCall } from "../../policy/kept-call.ts";
import { Presentation } from "../../policy/presentation.ts";
import { ApprovalRequest } from "../../policy/request.ts";
import { spelledOut } from "../../policy/spelled-out.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import { jsonOf, Status } from "../column.ts";
import { EditedInput, withInput } from "../edited.ts";
import type { Belongings, RequestStatus } from "../store.ts";
import { MOVE_AWAY, unavailable } from "./failure.ts";

const ASKED = { id: z.string(), request: jsonOf(ApprovalRequest) };
const ANOTHER_ID = "has another id";

/** A call with its bound parts, or the parts alone of one that only its caller can make. */
const CallColumn = z.union([
  z.strictObject({ ...KeptCall.unwrap().shape, bound: BoundCall.exactOptional() }),
  z.strictObject({ bound: BoundCall }),
]);
type CallColumn = z.infer<typeof CallColumn>;

/** The schema of each kind of row. A file is data from outside, whoever wrote it. */
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
      edited: jsonOf(EditedInput).nullable(),
    })
    .refine(isUnderItsId, ANOTHER_ID)
    .refine(({ status, decision }) => decision?.status === decidedBy(status), "has another decision")
    .transform(({ request, status, decision, edited }) => ({
      request,
      status,
      decision: withInput(decision, edited),
    })),
  "a status": z.strictObject({ status: Status }).transform(({ status }) => status),
  "the data of a request": z
    .strictObject({
      call: jsonOf(CallColumn).nullable(),
      presentation: jsonOf(Presentation).nullable(),
    })
    .transform(toBelongings),
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

/** The text of the column `call`; null if there is nothing to keep. */
export function callColumn({ call, bound }: Belongings): string | null {
  return call === null && bound === undefined ? null : JSON.stringify({ ...call, bound });
}

function toBelongings({
  call: column,
  presentation,
}: {
  readonly call: CallColumn | null;
  readonly presentation: Presentation | null;
}): Belongings {
  if (column === null) return { call: null, presentation };
  const { bound, ...call } = column;
  return {
    call: "input" in call ? call : null,
    presentation,
    ...(bound === undefined ? {} : { bound }),
  };
}

type What = keyof typeof ROWS;

/** A checked row of a file. Throws `STORE_UNAVAILABLE` for an invalid row: its meaning is never guessed. */
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
  throw unavailable(file, `contains an invalid row of ${what}: ${why}`, MOVE_AWAY, read.error);
}

function isUnderItsId({ id, request }: { readonly id: string; readonly request: ApprovalRequest }): boolean {
  return id === spelledOut(request.approvalId);
}

/** The same for every row. */
export function readRows<Wanted extends What>(
  file: AbsolutePath,
  what: Wanted,
  rows: readonly unknown[],
): readonly z.output<(typeof ROWS)[Wanted]>[] {
  return rows.map((row) => readRow(file, what, row));
}

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

function toEvent(
  { number, event }: { readonly number: number; readonly event: Readonly<Record<string, unknown>> },
  context: z.RefinementCtx,
): ApprovalEvent {
  const read = Event.safeParse({ ...event, seq: number - 1 });
  if (read.success && isApprovalEvent(read.data)) return read.data;
  context.addIssue("is not an event about approvals");
  return z.NEVER;
}
