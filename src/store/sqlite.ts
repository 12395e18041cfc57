import { CofferdamError, visible } from "../errors.ts";
import type { ApprovalEvent, ApprovalNews } from "../event/event.ts";
import { otherTurns } from "../host/turns.ts";
import type { Decision } from "../policy/decision.ts";
import { boundsOf, type Grant } from "../policy/grant.ts";
import { assertOptions, count, type OptionsOf } from "../policy/options.ts";
import type { ApprovalRequest } from "../policy/request.ts";
import { spelledOut } from "../policy/spelled-out.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { inputText, withoutInput } from "./edited.ts";
import { MEMORY_OPTIONS } from "./memory.ts";
import { eventsGone } from "./numbered-events.ts";
import { OpenFile } from "./sqlite/open-file.ts";
import { callColumn, readRow, readRows } from "./sqlite/rows.ts";
import { MIGRATIONS } from "./sqlite/schema.ts";
import type { SqliteStatements } from "./sqlite/statements.ts";
import { SqliteWatching } from "./sqlite/watching.ts";
import type { Belongings, Overdue, Resolution, Store, StoredRequest } from "./store.ts";

/** Limits, clock and patience of a SQLite store. */
export interface SqliteStoreOptions {
  /** Events kept for subscribers that come back. Default 100,000. */
  readonly maxEvents?: number;
  /** Ended requests that are kept, so that a late answer differs from one to an unknown request. Default 10,000. */
  readonly maxSettled?: number;
  /** Milliseconds since 1970; all that share a file must have the same clock. Default `Date.now`. */
  readonly now?: () => number;
  /** How long a step waits while other programs use the file, in milliseconds. Default 5,000. */
  readonly patienceMs?: number;
}

const SQLITE_OPTIONS: OptionsOf<SqliteStoreOptions> = MEMORY_OPTIONS.extend({
  patienceMs: count().optional(),
});

/** Maximum of rows forgotten in one step; a file from a store that kept more shrinks bit by bit. */
const MAX_FORGOTTEN = 1_000;

/**
 * Keeps everything in one file, for all processes of one user on one host, by Node's own SQLite. The file is opened,
 * and created, by the first step that needs it: as long as it is missing, reads find nothing.
 * A step that has returned outlives the process and the machine. A step that was under way when either died, or that
 * could not be written to the disk, is there whole or not at all. Data of a request is deleted with the step that ends
 * the request. Its bytes leave the file and its log some seconds later, or, if all processes are killed meanwhile, when
 * the next one opens the file.
 */
export class SqliteStore implements Store {
  readonly outlivesProcess = true;
  readonly #path: AbsolutePath;
  readonly #now: () => number;
  readonly #maxEvents: number;
  readonly #maxSettled: number;
  readonly #file: OpenFile;
  readonly #watching: SqliteWatching;

  /** Throws `USAGE` for unknown options. */
  constructor(file: AbsolutePath, options: SqliteStoreOptions = {}) {
    assertOptions("SqliteStore", SQLITE_OPTIONS, options);
    const { maxEvents = 100_000, maxSettled = 10_000, now = Date.now, patienceMs = 5_000 } = options;
    this.#path = file;
    this.#now = now;
    this.#maxEvents = maxEvents;
    this.#maxSettled = maxSettled;
    const onChange = (): void => this.#watching.wake();
    this.#file = new OpenFile({ file, migrations: MIGRATIONS, patienceMs, onChange });
    this.#watching = new SqliteWatching(file, () => this.#file.hasChanged());
  }

  id(): Promise<string> {
    return this.#file.make((rows) => readRow(this.#path, "the id", rows.get("id")).id);
  }

  async add(request: ApprovalRequest, belongings: Belongings, news: ApprovalNews): Promise<void> {
    const { approvalId, createdAt, expiresAt } = request;
    const id = spelledOut(approvalId);
    const [callText, picture] = [callColumn(belongings), textOf(belongings.presentation)];
    await otherTurns(callText?.length ?? 0);
    return this.#file.make((rows) => {
      const deadline = expiresAt === null ? null : this.#now() + expiresAt - createdAt;
      if (rows.run("add", id, JSON.stringify(request), deadline) === 0)
        throw new CofferdamError("INTERNAL", `a request with the id ${visible(approvalId)} already exists`);
      if (callText !== null || picture !== null) rows.run("keep", callText, picture, id);
      this.#publish(rows, news);
    });
  }

  find(approvalId: string): Promise<StoredRequest | null> {
    return this.#file.read(null, (rows) => {
      const row = rows.get("find", spelledOut(approvalId));
      return row === undefined ? null : readRow(this.#path, "a stored request", row);
    });
  }

  belongings(approvalId: string): Promise<Belongings | null> {
    return this.#file.read(null, (rows) => {
      const row = rows.get("belongings", spelledOut(approvalId));
      return row === undefined ? null : readRow(this.#path, "the data of a request", row);
    });
  }

  resolve(approvalId: string, decision: Decision, news: ApprovalNews): Promise<Resolution> {
    const [id, { status }] = [spelledOut(approvalId), decision];
    const [text, edited] = [JSON.stringify(withoutInput(decision)), inputText(decision)];
    return this.#file.change<Resolution>("unknown", (rows) => {
      const decided =
        status === "expired"
          ? rows.run("expire", text, id)
          : rows.run("decide", status, text, id, this.#now());
      if (decided === 0) return this.#late(rows, id);
      if (edited !== null) rows.run("edit", edited, id);
      if (status !== "approved") this.#settle(rows, id);
      this.#publish(rows, news);
      return "accepted";
    });
  }

  claim(approvalId: string, runId: string): Promise<boolean> {
    const [id, run] = [spelledOut(approvalId), spelledOut(runId)];
    return this.#file.change(false, (rows) => rows.run("claim", run, id) > 0);
  }

  finish(approvalId: string, runId: string, how: "done" | "failed"): Promise<boolean> {
    const id = spelledOut(approvalId);
    return this.#file.change(false, (rows) => {
      if (rows.run("finish", how, id, spelledOut(runId), how) === 0) return false;
      this.#settle(rows, id);
      return true;
    });
  }

  abandon(approvalId: string, news: ApprovalNews): Promise<boolean> {
    const id = spelledOut(approvalId);
    return this.#file.change(false, (rows) => {
      if (rows.run("abandon", id, this.#now()) === 0) return false;
      this.#settle(rows, id);
      this.#publish(rows, news);
      return true;
    });
  }

  pending(): Promise<readonly ApprovalRequest[]> {
    return this.#file.read([], (rows) => readRows(this.#path, "a request", rows.all("pending", this.#now())));
  }

  async keepAlive(runId: string, forMs: number): Promise<void> {
    if (forMs > 0) return this.#file.make((rows) => this.#live(rows, runId, forMs));
    return this.#file.change(undefined, (rows) => this.#live(rows, runId, forMs));
  }

  isAlive(runId: string): Promise<boolean> {
    return this.#file.read(false, (rows) => rows.get("alive", spelledOut(runId), this.#now()) !== undefined);
  }

  overdue(): Promise<Overdue> {
    return this.#file.read<Overdue>({ expired: [], abandoned: [], grants: [] }, (rows) => {
      const now = this.#now();
      return {
        expired: readRows(this.#path, "a request", rows.all("expired", now)),
        abandoned: readRows(this.#path, "a request", rows.all("abandoned", now)),
        grants: readRows(this.#path, "a grant", rows.all("orphaned", now)),
      };
    });
  }

  saveGrant(grant: Grant, runId: string, news: ApprovalNews): Promise<void> {
    const keys = [grant.grantId, grant.sessionId, runId].map(spelledOut);
    const { lastsMs, maxUses } = boundsOf(grant);
    return this.#file.make((rows) => {
      const end = lastsMs === null ? null : this.#now() + lastsMs;
      rows.run("grant", ...keys, JSON.stringify(grant), end, maxUses);
      this.#publish(rows, news);
    });
  }

  useGrant(grantId: string): Promise<boolean> {
    return this.#file.change(false, (rows) => {
      const of = [spelledOut(grantId), this.#now()];
      return rows.run("use", ...of) > 0 || rows.get("holds", ...of) !== undefined;
    });
  }

  grants(sessionId: string | null): Promise<readonly Grant[]> {
    return this.#file.read([], (rows) => {
      const now = this.#now();
      const [which, of] =
        sessionId === null ? ["grants" as const, now] : ["grantsOf" as const, spelledOut(sessionId)];
      return readRows(this.#path, "a grant", rows.all(which, now, of));
    });
  }

  findGrant(grantId: string): Promise<Grant | null> {
    return this.#file.read(null, (rows) => {
      const found = rows.all("findGrant", spelledOut(grantId));
      return readRows(this.#path, "a grant", found)[0] ?? null;
    });
  }

  removeGrant(grantId: string, news: ApprovalNews): Promise<boolean> {
    return this.#file.change(false, (rows) => {
      if (rows.run("revoke", spelledOut(grantId)) === 0) return false;
      this.#publish(rows, news);
      return true;
    });
  }

  /** Kept for as long as the request is known, so that a message of a channel can still be changed. */
  note(approvalId: string, channel: string, text: string): Promise<void> {
    return this.#file.change(undefined, (rows) => {
      rows.run("note", spelledOut(channel), JSON.stringify(text), spelledOut(approvalId));
    });
  }

  noted(approvalId: string, channel: string): Promise<string | null> {
    return this.#file.read(null, (rows) => {
      const row = rows.get("noted", spelledOut(approvalId), spelledOut(channel));
      return row === undefined ? null : readRow(this.#path, "a note", row);
    });
  }

  append(news: ApprovalNews): Promise<void> {
    return this.#file.make((rows) => this.#publish(rows, news));
  }

  eventsAfter(seq: number | null, limit: number, runId: string | null): Promise<readonly ApprovalEvent[]> {
    return this.#file.read([], (rows) => {
      const first = this.#number(rows.get("first"));
      // The number of the last event that is gone: row numbers are one more.
      const gone = first === null ? this.#lastSeq(rows) : first - 2;
      if (seq !== null && seq < gone) throw eventsGone(gone);
      const [behind, max] = [(seq ?? gone) + 1, Math.min(limit, Number.MAX_SAFE_INTEGER)];
      const found =
        runId === null
          ? rows.all("events", behind, max)
          : rows.all("eventsOf", spelledOut(runId), behind, max);
      return readRows(this.#path, "an event", found);
    });
  }

  lastSeq(): Promise<number> {
    return this.#file.read(-1, (rows) => this.#lastSeq(rows));
  }

  watch(onChange: () => void): Disposable {
    return this.#watching.add(onChange);
  }

  /** Closes the store, as `await using` does at the end of a scope. */
  close(): Promise<void> {
    return this[Symbol.asyncDispose]();
  }

  /** Ends all watches; a later step opens the file for itself. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#watching[Symbol.dispose]();
    await this.#file[Symbol.asyncDispose]();
  }

  #publish(rows: SqliteStatements, news: ApprovalNews): void {
    const number = this.#number(rows.get("publish", spelledOut(news.runId), JSON.stringify(news))) ?? 0;
    if (number % often(this.#maxEvents) === 0) rows.run("trim", number - this.#maxEvents, MAX_FORGOTTEN);
  }

  #late(rows: SqliteStatements, id: string): Resolution {
    const row = rows.get("status", id);
    if (row === undefined) return "unknown";
    const status = readRow(this.#path, "a status", row);
    return status === "pending" || status === "expired" ? "expired" : "duplicate";
  }

  #settle(rows: SqliteStatements, id: string): void {
    const { place, settled } = readRow(this.#path, "a place", rows.get("settle", id));
    if (rows.run("leave", place) > 0) this.#file.forgetSoon();
    if (settled % often(this.#maxSettled) === 0)
      rows.run("forget", settled - this.#maxSettled, MAX_FORGOTTEN);
  }

  #live(rows: SqliteStatements, runId: string, forMs: number): void {
    const now = this.#now();
    rows.run("live", spelledOut(runId), now + forMs);
    rows.run("bury", now);
  }

  #lastSeq(rows: SqliteStatements): number {
    const row = rows.get("last");
    return row === undefined ? -1 : (this.#number(row) ?? 0) - 1;
  }

  #number(row: unknown): number | null {
    return readRow(this.#path, "a number", row);
  }
}

function textOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** One in this many steps forgets rows, so that few are forgotten at once. */
function often(max: number): number {
  return Math.min(100, Math.max(1, Math.floor(max / 10)));
}
