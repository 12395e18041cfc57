import { z } from "zod";
import { BoundCall } from "../../policy/bound-call.ts";
import { Decision } from "../../policy/decision.ts";
import { Grant } from "../../policy/grant.ts";
import { KeptCall } from "../../policy/kept-call.ts";
import { Presentation } from "../../policy/presentation.ts";
import { ApprovalRequest } from "../../policy/request.ts";
import { jsonOf, Status } from "../column.ts";
import { EditedInput } from "../edited.ts";
import { quoted, type Statement } from "./statement.ts";

const Belongings = z.strictObject({
  call: KeptCall.nullable(),
  presentation: Presentation.nullable(),
  bound: BoundCall.exactOptional(),
});
/** Integers up to 2^53 are exact. */
const Seq = z.strictObject({ seq: z.int().min(-1) });
const Count = z.strictObject({ count: z.int() });
const Done = z.strictObject({ done: z.literal(true) });
const Nothing = z.looseObject({});
const OneGrant = z.strictObject({ body: jsonOf(Grant) });

const Decided = z.union([
  z.strictObject({ seq: z.int(), status: z.null(), is_over: z.null() }),
  z.strictObject({ seq: z.null(), status: Status, is_over: z.boolean() }),
]);
/** A grant that has not ended, and may answer one more call. */
const HOLDS = "(until is null or until > clock_timestamp()) and (uses_left is null or uses_left > 0)";
const IN_TIME = "(deadline is null or deadline > clock_timestamp())";

/** An event with the first and last number kept; without an event, these numbers alone. */
const EventRow = z.strictObject({
  first: z.int().nullable(),
  last: z.int(),
  seq: z.int().nullable(),
  body: jsonOf(z.record(z.string(), z.unknown())).nullable(),
});

/** Every statement of the steps, for the tables of a schema. */
export type PostgresStatements = ReturnType<typeof statementsIn>;

/**
 * A step is one statement, and so one transaction and one round trip. One with news locks the counter's row until the
 * transaction is visible: numbers become visible in order, without gaps, at a disk flush per event. A sequence costs
 * less, but gives its numbers out of order.
 * A deadline is compared with `clock_timestamp()`: an answer that waited past it for a lock does not count. A run is
 * looked for with `now()`, before all that its transaction sees: a run alive then is not gone.
 */
export function statementsIn(schemaName: string) {
  const schema = quoted(schemaName);
  const statement = <Row>(name: string, row: z.ZodType<Row>, text: string): Statement<Row> => ({
    name: `cofferdam ${name}`,
    row,
    text: text.replaceAll("@", `${schema}.`),
  });
  /** Keeps the news of a step: `$1` is its token, `$2` the run, `$3` the text; `did` has a row if it did something. */
  const news = `
    number as (update @meta set last_seq = last_seq + 1 from did returning last_seq),
    published as (insert into @events (seq, run_id, token, body) select last_seq, $2, $1, $3 from number returning seq)`;
  const telling = (name: string, did: string, more = "") =>
    statement(name, Seq, `with did as (${did}) ${more}, ${news} select seq::float8 from published`);
  /** Applies decision `$5` to request `$4`, or returns its status. The row is locked first, then its time compared. */
  const deciding = (name: string, set: string, when: string, more = "") =>
    statement(
      name,
      Decided,
      `with held as (
          select approval_id from @requests where approval_id = $4 and status = 'pending' for no key update
        ), did as (
          update @requests set decision = $5, ${set} from held
            where requests.approval_id = held.approval_id and ${when} returning held.approval_id
        ) ${more}, ${news}
        select seq::float8, null as status, null as is_over from published
        union all select null, status, coalesce(deadline <= clock_timestamp(), false)
          from @requests where approval_id = $4 and not exists (select from published)`,
    );
  const isGone = (run: string) =>
    `not exists (select from @runs where run_id = ${run} and alive_until > now())`;
  const inMs = (value: string) => `clock_timestamp() + ${value}::float8 * interval '1 millisecond'`;
  const over = "settled_at = clock_timestamp(), belongings = null, edited = null";
  const forgotten = ", forgotten as (delete from @notes using did where notes.approval_id = did.approval_id)";

  return {
    published: statement("published", Seq, "select seq::float8 from @events where token = $1"),
    id: statement("id", z.strictObject({ id: z.string() }), "select store_id as id from @meta"),

    add: telling(
      "add",
      `insert into @requests (approval_id, status, request, belongings, deadline)
        values ($4, 'pending', $5, $6, ${inMs("$7")}) on conflict do nothing returning approval_id`,
    ),
    find: statement(
      "find",
      z.strictObject({
        request: jsonOf(ApprovalRequest),
        status: Status,
        decision: jsonOf(Decision).nullable(),
        edited: jsonOf(EditedInput).nullable(),
      }),
      "select request, status, decision, edited from @requests where approval_id = $1",
    ),
    belongings: statement(
      "belongings",
      z.strictObject({ belongings: jsonOf(Belongings) }),
      "select belongings from @requests where approval_id = $1 and belongings is not null",
    ),
    approve: deciding("approve", "status = 'approved', edited = $6", IN_TIME),
    reject: deciding("reject", `status = 'rejected', ${over}`, IN_TIME, forgotten),
    expire: deciding("expire", `status = 'expired', ${over}`, "true", forgotten),
    claim: statement(
      "claim",
      Done,
      `update @requests set status = 'executing', run_id = $3, token = $1
        where approval_id = $2 and (status = 'approved' or status = 'executing' and token = $1)
        returning true as done`,
    ),
    finish: statement(
      "finish",
      Done,
      `with did as (
          update @requests set status = $4, token = $1, run_id = null, ${over}
          where approval_id = $2 and (token = $1
            or run_id = $3 and (status = 'executing' or status = 'failed' and $4 = 'done')) returning approval_id
        ) ${forgotten}
        select true as done from did`,
    ),
    abandon: telling(
      "abandon",
      `update @requests as taken set status = 'failed', ${over}
        where approval_id = $4 and status = 'executing' and ${isGone("taken.run_id")} returning approval_id`,
      forgotten,
    ),
    pending: statement(
      "pending",
      z.strictObject({ request: jsonOf(ApprovalRequest) }),
      `select request from @requests
        where settled_at is null and status = 'pending' and (deadline is null or deadline > now()) order by place`,
    ),
    overdue: statement(
      "overdue",
      z.discriminatedUnion("kind", [
        z.strictObject({ kind: z.literal("expired"), body: jsonOf(ApprovalRequest) }),
        z.strictObject({ kind: z.literal("abandoned"), body: jsonOf(ApprovalRequest) }),
        z.strictObject({ kind: z.literal("grant"), body: jsonOf(Grant) }),
      ]),
      `select kind, body from (
          select 'expired' as kind, request as body, place from @requests
            where settled_at is null and status = 'pending' and deadline <= now()
          union all select 'abandoned', request, place from @requests as taken
            where settled_at is null and status = 'executing' and ${isGone("taken.run_id")}
          union all select 'grant', body, place from @grants as granted where ${isGone("granted.run_id")}
        ) as found order by kind, place`,
    ),

    keepAlive: statement(
      "keep alive",
      Nothing,
      `with forgotten as (delete from @runs where run_id in (
          select run_id from @runs where alive_until < now() - interval '1 day' and run_id <> $1
            limit 1000 for update skip locked))
        insert into @runs values ($1, ${inMs("$2")})
          on conflict (run_id) do update set alive_until = excluded.alive_until`,
    ),
    isAlive: statement(
      "is alive",
      z.strictObject({ is_alive: z.boolean() }),
      "select alive_until > clock_timestamp() as is_alive from @runs where run_id = $1",
    ),

    saveGrant: telling(
      "save grant",
      `insert into @grants (grant_id, session_id, run_id, body, until, uses_left)
        values ($4, $5, $6, $7, ${inMs("$8")}, $9)
        on conflict (grant_id) do update set session_id = excluded.session_id, run_id = excluded.run_id,
          body = excluded.body, until = excluded.until, uses_left = excluded.uses_left
        returning grant_id`,
    ),
    // A use that is repeated after a lost connection may count twice: never too few.
    useGrant: statement(
      "use grant",
      Done,
      `update @grants set uses_left = uses_left - 1 where grant_id = $1 and ${HOLDS} returning true as done`,
    ),
    grants: statement(
      "grants",
      OneGrant,
      `select body from @grants as granted
        where ${HOLDS} and (session_id = $1 or $1 is null and not ${isGone("granted.run_id")}) order by place`,
    ),
    findGrant: statement("find grant", OneGrant, "select body from @grants where grant_id = $1"),
    removeGrant: telling("remove grant", "delete from @grants where grant_id = $4 returning grant_id"),

    note: statement(
      "note",
      Nothing,
      // The request is locked: one that ends meanwhile gets no note.
      `insert into @notes (approval_id, channel, body)
        select approval_id, $2, $3 from @requests where approval_id = $1 and settled_at is null for share
        on conflict (approval_id, channel) do update set body = excluded.body`,
    ),
    noted: statement(
      "noted",
      z.strictObject({ body: jsonOf(z.string()) }),
      `select body from @notes join @requests using (approval_id)
        where approval_id = $1 and channel = $2 and settled_at is null`,
    ),

    append: telling("append", "select"),
    eventsAfter: statement("events after", EventRow, eventsText("")),
    eventsOfRunAfter: statement("events of run after", EventRow, eventsText("and run_id = $3")),
    lastSeq: statement("last seq", Seq, "select last_seq::float8 as seq from @meta"),
    notify: statement("notify", Nothing, "select pg_notify($1, $2)"),

    forgetEvents: statement(
      "forget events",
      Count,
      `with gone as (delete from @events where seq in (
          select seq from @events where seq <= $1 order by seq limit 10000) returning seq)
        select count(*)::integer from gone`,
    ),
    forgetRequests: statement(
      "forget requests",
      Count,
      `with gone as (delete from @requests where approval_id in (
          select approval_id from @requests where settled_at is not null
            order by settled_at desc, place desc offset $1 limit 10000) returning approval_id)
        select count(*)::integer from gone`,
    ),
  };
}

/** The events after `$1`, at most `$2` of them, from one snapshot. */
function eventsText(more: string): string {
  return `
    select (select min(seq) from @events)::float8 as first, (select last_seq from @meta)::float8 as last,
      found.seq::float8, found.body
    from (select) as one left join lateral (
      select seq, body from @events where seq > $1 ${more} order by seq limit $2
    ) as found on true order by found.seq`;
}
