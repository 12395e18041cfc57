// The entry `cofferdam/postgres`: a store that many hosts share.
import "../host/require-node.ts";
import { randomUUID } from "node:crypto";
import { CofferdamError, visible } from "../errors.ts";
import { type ApprovalEvent, type ApprovalNews, Event, isApprovalEvent } from "../event/event.ts";
import type { Decision } from "../policy/decision.ts";
import { boundsOf, type Grant } from "../policy/grant.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { inputText, withInput, withoutInput } from "./edited.ts";
import { eventsGone } from "./numbered-events.ts";
import { Connections, type ConnectionWork, configOf, type StepConnection } from "./postgres/connections.ts";
import { isTwice, unavailable } from "./postgres/failure.ts";
import { type PostgresOptions, settingsOf } from "./postgres/options.ts";
import { migrate } from "./postgres/schema.ts";
import { bounded, keyOf, onlyOne, rowOf, type Statement, type Value } from "./postgres/statement.ts";
import { type PostgresStatements, statementsIn } from "./postgres/statements.ts";
import { PostgresWatching } from "./postgres/watching.ts";
import type { Belongings, Overdue, Resolution, Store, StoredRequest } from "./store.ts";

export type { PostgresConnection, PostgresOptions } from "./postgres/options.ts";

/** Maximum of rows removed at once; `statements.ts` has the same. */
const FORGOTTEN_AT_ONCE = 10_000;

/**
 * Keeps everything in a schema of a Postgres database, for all processes on all hosts that can reach it. The first
 * store creates the tables. A connection lost during a step is replaced, and the step is repeated with the effect of
 * one. Tested with PostgreSQL 15; needs 13.
 * A user who may read the schema can read the whole input of calls that are not over. A standby that takes over must
 * have everything that was confirmed (`synchronous_standby_names`): if it lost the start of a call, it would allow
 * another.
 */
export class PostgresStore implements Store {
  readonly outlivesProcess = true;
  readonly #schema: string;
  readonly #maxEvents: number;
  readonly #maxSettled: number;
  readonly #connections: Connections;
  readonly #all: PostgresStatements;
  readonly #watching: PostgresWatching;
  #opened: Promise<void> | null = null;
  #settled = 0;

  /** Connects on first use. Throws `USAGE` for invalid options. */
  constructor(options: PostgresOptions) {
    const settings = settingsOf(options);
    this.#schema = settings.schema;
    this.#maxEvents = settings.maxEvents;
    this.#maxSettled = settings.maxSettled;
    this.#connections = new Connections(settings);
    this.#all = statementsIn(settings.schema);
    const once = async <Row>(statement: Statement<Row>, values: readonly Value[]) =>
      this.#connections.once(async (connection) => connection.ask(statement, values));
    this.#watching = new PostgresWatching({
      config: configOf(settings),
      channel: settings.schema,
      lastSeq: async () => {
        await this.#ready();
        return onlyOne(await once(this.#all.lastSeq, [])).seq;
      },
      callOut: async (seq) => void (await once(this.#all.notify, [settings.schema, String(seq)])),
    });
  }

  async id(): Promise<string> {
    return onlyOne(await this.#ask(this.#all.id, [])).id;
  }

  async add(request: ApprovalRequest, belongings: Belongings, news: ApprovalNews): Promise<void> {
    const { approvalId, createdAt, expiresAt } = request;
    const forMs = expiresAt === null ? null : bounded(expiresAt - createdAt);
    const texts = [JSON.stringify(request), JSON.stringify(belongings)];
    if (await this.#did(this.#all.add, news, [keyOf(approvalId), ...texts, forMs])) return;
    throw new CofferdamError("INTERNAL", `a request with the id ${visible(approvalId)} already exists`);
  }

  async find(approvalId: string): Promise<StoredRequest | null> {
    const [row] = await this.#ask(this.#all.find, [keyOf(approvalId)]);
    if (row === undefined) return null;
    const { edited, decision, ...rest } = row;
    return { ...rest, decision: withInput(decision, edited) };
  }

  async belongings(approvalId: string): Promise<Belongings | null> {
    return (await this.#ask(this.#all.belongings, [keyOf(approvalId)]))[0]?.belongings ?? null;
  }

  async resolve(approvalId: string, decision: Decision, news: ApprovalNews): Promise<Resolution> {
    const { approve: approved, reject: rejected, expire: expired } = this.#all;
    const statement = { approved, rejected, expired }[decision.status];
    const values: Value[] = [keyOf(approvalId), JSON.stringify(withoutInput(decision))];
    if (decision.status === "approved") values.push(inputText(decision));
    for (;;) {
      const row = await this.#publish(statement, news, values);
      if (row === undefined) return "unknown";
      if (!("status" in row) || row.seq !== null) {
        if (decision.status !== "approved") await this.#settle();
        return "accepted";
      }
      if (row.status === "expired") return "expired";
      if (row.status !== "pending") return "duplicate";
      if (decision.status !== "expired" && row.is_over) return "expired";
      // That was the state before this waited for another decision: the next look sees that one.
    }
  }

  async claim(approvalId: string, runId: string): Promise<boolean> {
    const values = [randomUUID(), keyOf(approvalId), keyOf(runId)];
    return (await this.#ask(this.#all.claim, values)).length > 0;
  }

  async finish(approvalId: string, runId: string, how: "done" | "failed"): Promise<boolean> {
    const values = [randomUUID(), keyOf(approvalId), keyOf(runId), how];
    const hasEnded = (await this.#ask(this.#all.finish, values)).length > 0;
    if (hasEnded) await this.#settle();
    return hasEnded;
  }

  async abandon(approvalId: string, news: ApprovalNews): Promise<boolean> {
    const hasEnded = await this.#did(this.#all.abandon, news, [keyOf(approvalId)]);
    if (hasEnded) await this.#settle();
    return hasEnded;
  }

  async pending(): Promise<readonly ApprovalRequest[]> {
    return (await this.#ask(this.#all.pending, [])).map(({ request }) => request);
  }

  async keepAlive(runId: string, forMs: number): Promise<void> {
    await this.#ask(this.#all.keepAlive, [keyOf(runId), bounded(forMs)]);
  }

  async isAlive(runId: string): Promise<boolean> {
    return (await this.#ask(this.#all.isAlive, [keyOf(runId)]))[0]?.is_alive ?? false;
  }

  async overdue(): Promise<Overdue> {
    const all = await this.#ask(this.#all.overdue, []);
    return {
      expired: all.flatMap((one) => (one.kind === "expired" ? [one.body] : [])),
      abandoned: all.flatMap((one) => (one.kind === "abandoned" ? [one.body] : [])),
      grants: all.flatMap((one) => (one.kind === "grant" ? [one.body] : [])),
    };
  }

  async saveGrant(grant: Grant, runId: string, news: ApprovalNews): Promise<void> {
    const { lastsMs, maxUses } = boundsOf(grant);
    const keys = [grant.grantId, grant.sessionId, runId].map(keyOf);
    await this.#did(this.#all.saveGrant, news, [...keys, JSON.stringify(grant), lastsMs, maxUses]);
  }

  async useGrant(grantId: string): Promise<boolean> {
    return (await this.#ask(this.#all.useGrant, [keyOf(grantId)])).length > 0;
  }

  async grants(sessionId: string | null): Promise<readonly Grant[]> {
    const rows = await this.#ask(this.#all.grants, [sessionId === null ? null : keyOf(sessionId)]);
    return rows.map(({ body }) => body);
  }

  async findGrant(grantId: string): Promise<Grant | null> {
    return (await this.#ask(this.#all.findGrant, [keyOf(grantId)]))[0]?.body ?? null;
  }

  async removeGrant(grantId: string, news: ApprovalNews): Promise<boolean> {
    return this.#did(this.#all.removeGrant, news, [keyOf(grantId)]);
  }

  async note(approvalId: string, channel: string, text: string): Promise<void> {
    await this.#ask(this.#all.note, [keyOf(approvalId), keyOf(channel), JSON.stringify(text)]);
  }

  async noted(approvalId: string, channel: string): Promise<string | null> {
    return (await this.#ask(this.#all.noted, [keyOf(approvalId), keyOf(channel)]))[0]?.body ?? null;
  }

  async append(news: ApprovalNews): Promise<void> {
    await this.#did(this.#all.append, news, []);
  }

  async eventsAfter(
    seq: number | null,
    limit: number,
    runId: string | null,
  ): Promise<readonly ApprovalEvent[]> {
    const { eventsAfter, eventsOfRunAfter } = this.#all;
    const bounds = [Math.min(seq ?? -1, Number.MAX_SAFE_INTEGER), Math.min(limit, Number.MAX_SAFE_INTEGER)];
    const rows = await (runId === null
      ? this.#ask(eventsAfter, bounds)
      : this.#ask(eventsOfRunAfter, [...bounds, keyOf(runId)]));
    const { first, last } = onlyOne(rows);
    const gone = first === null ? last : first - 1;
    if (seq !== null && seq < gone) throw eventsGone(gone);
    return rows.flatMap((row) => (row.seq === null ? [] : [eventOf({ ...row.body, seq: row.seq })]));
  }

  async lastSeq(): Promise<number> {
    return onlyOne(await this.#ask(this.#all.lastSeq, [])).seq;
  }

  watch(onChange: () => void): Disposable {
    return this.#watching.watch(onChange);
  }

  /** Closes the store, as `await using` does at the end of a scope. */
  close(): Promise<void> {
    return this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watching[Symbol.asyncDispose]();
    await this.#connections[Symbol.asyncDispose]();
  }

  async #ask<Row>(statement: Statement<Row>, values: readonly Value[]): Promise<readonly Row[]> {
    return this.#step(async (connection) => connection.ask(statement, values));
  }

  async #did(statement: Statement<SeqRow>, news: ApprovalNews, more: readonly Value[]): Promise<boolean> {
    return (await this.#publish(statement, news, more)) !== undefined;
  }

  /** Does a step with news: returns the number of its event, or else the statement's other row. */
  async #publish<Row extends { readonly seq: number | null }>(
    statement: Statement<Row>,
    news: ApprovalNews,
    more: readonly Value[],
  ): Promise<Row | SeqRow | undefined> {
    const token = randomUUID();
    const values = [token, keyOf(news.runId), JSON.stringify(news), ...more];
    const row = await this.#step(async (connection, isAgain): Promise<Row | SeqRow | undefined> => {
      // A try that was never answered may have done it: then there is an event with its token.
      const earlier = async () => (await connection.ask(this.#all.published, [token]))[0];
      try {
        const [row] = await connection.ask(statement, values);
        const isDone = row !== undefined && row.seq !== null;
        return isDone || !isAgain ? row : ((await earlier()) ?? row);
      } catch (thrown) {
        if (isTwice(thrown, "events_token")) return earlier();
        throw thrown;
      }
    });
    const seq = row?.seq ?? null;
    if (seq === null) return row;
    this.#watching.notify(seq);
    if (isTurn(seq, this.#maxEvents)) await this.#forget(this.#all.forgetEvents, seq - this.#maxEvents);
    return row;
  }

  /** Now and then removes excess ended requests. */
  async #settle(): Promise<void> {
    const isMine = isTurn(this.#settled, this.#maxSettled);
    this.#settled += 1;
    if (isMine) await this.#forget(this.#all.forgetRequests, this.#maxSettled);
  }

  /** Removes excess rows. The step itself is done: if this fails, the next turn does it. */
  async #forget(statement: Statement<{ readonly count: number }>, which: number): Promise<void> {
    const some = async (one: StepConnection) => onlyOne(await one.ask(statement, [which])).count;
    try {
      while ((await this.#connections.once(some)) === FORGOTTEN_AT_ONCE);
    } catch {
      return;
    }
  }

  async #step<Result>(work: ConnectionWork<Result>): Promise<Result> {
    await this.#ready();
    return this.#connections.step(work);
  }

  #ready(): Promise<void> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  async #open(): Promise<void> {
    try {
      await this.#connections.step(async (connection) => migrate(connection, this.#schema));
    } catch (thrown) {
      this.#opened = null;
      throw thrown;
    }
  }
}

interface SeqRow {
  readonly seq: number;
}

/** True for one number in a tenth of `max`, so that not many more than `max` are kept. */
function isTurn(number: number, max: number): boolean {
  return number % Math.max(1, Math.floor(max / 10)) === 0;
}

function eventOf(kept: unknown): ApprovalEvent {
  const event = rowOf(Event, kept);
  if (isApprovalEvent(event)) return event;
  throw unavailable("contains an event that is not about approvals", "restore it from a backup");
}
