import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** A grant that has not ended, and may answer one more call. */
const HOLDS = "(grants.until IS NULL OR grants.until > ?) AND (uses_left IS NULL OR uses_left > 0)";

/** Every statement of a step. Its `WHERE` says whether it may happen; the number of changed rows whether it did. */
const SQL = {
  id: "SELECT id FROM store",

  add: `INSERT INTO requests (approval_id, request, status, deadline) VALUES (?, ?, 'pending', ?)
    ON CONFLICT (approval_id) DO NOTHING`,
  keep: `INSERT INTO belongings (place, call, presentation)
    SELECT place, ?, ? FROM requests WHERE approval_id = ?`,
  find: `SELECT approval_id AS id, request, status, decision, edited FROM requests LEFT JOIN belongings USING (place)
    WHERE approval_id = ?`,
  belongings: `SELECT call, presentation FROM requests LEFT JOIN belongings USING (place)
    WHERE approval_id = ? AND settled IS NULL`,
  status: "SELECT status FROM requests WHERE approval_id = ?",
  pending: `SELECT approval_id AS id, request FROM requests
    WHERE settled IS NULL AND status = 'pending' AND (deadline IS NULL OR deadline > ?) ORDER BY place`,

  decide: `UPDATE requests SET status = ?, decision = ?
    WHERE approval_id = ? AND status = 'pending' AND (deadline IS NULL OR deadline > ?)`,
  edit: `INSERT INTO belongings (place, edited) SELECT place, ? FROM requests WHERE approval_id = ?
    ON CONFLICT (place) DO UPDATE SET edited = excluded.edited`,
  expire: `UPDATE requests SET status = 'expired', decision = ? WHERE approval_id = ? AND status = 'pending'`,
  claim: `UPDATE requests SET status = 'executing', run_id = ? WHERE approval_id = ? AND status = 'approved'`,
  // A run reports its end once; a run that was abandoned may still do so.
  finish: `UPDATE requests SET status = ?, run_id = NULL WHERE approval_id = ? AND run_id = ?
    AND (status = 'executing' OR status = 'failed' AND ? = 'done')`,
  abandon: `UPDATE requests SET status = 'failed' WHERE approval_id = ? AND status = 'executing'
    AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.run_id = requests.run_id AND until > ?)`,
  settle: `UPDATE requests
    SET settled = (SELECT ifnull(max(settled), -1) + 1 FROM requests WHERE settled IS NOT NULL)
    WHERE approval_id = ? RETURNING place, settled`,
  leave: "DELETE FROM belongings WHERE place = ?",
  forget: `DELETE FROM requests
    WHERE place IN (SELECT place FROM requests WHERE settled <= ? ORDER BY settled LIMIT ?)`,

  expired: `SELECT approval_id AS id, request FROM requests WHERE status = 'pending' AND deadline <= ? ORDER BY place`,
  abandoned: `SELECT approval_id AS id, request FROM requests WHERE settled IS NULL AND status = 'executing'
    AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.run_id = requests.run_id AND until > ?) ORDER BY place`,
  orphaned: `SELECT grant_id AS id, session_id AS session, body FROM grants
    WHERE NOT EXISTS (SELECT 1 FROM runs WHERE runs.run_id = grants.run_id AND runs.until > ?) ORDER BY place`,

  live: `INSERT INTO runs (run_id, until) VALUES (?, ?)
    ON CONFLICT (run_id) DO UPDATE SET until = excluded.until`,
  bury: "DELETE FROM runs WHERE until <= ?",
  alive: "SELECT 1 FROM runs WHERE run_id = ? AND until > ?",

  grant: `INSERT INTO grants (grant_id, session_id, run_id, body, until, uses_left) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (grant_id) DO UPDATE SET session_id = excluded.session_id, run_id = excluded.run_id,
      body = excluded.body, until = excluded.until, uses_left = excluded.uses_left`,
  use: `UPDATE grants SET uses_left = uses_left - 1 WHERE grant_id = ? AND uses_left IS NOT NULL AND ${HOLDS}`,
  holds: `SELECT 1 FROM grants WHERE grant_id = ? AND uses_left IS NULL AND ${HOLDS}`,
  grants: `SELECT grant_id AS id, session_id AS session, body FROM grants
    WHERE ${HOLDS} AND EXISTS (SELECT 1 FROM runs WHERE runs.run_id = grants.run_id AND runs.until > ?)
    ORDER BY place`,
  grantsOf: `SELECT grant_id AS id, session_id AS session, body FROM grants
    WHERE ${HOLDS} AND session_id = ? ORDER BY place`,
  findGrant: "SELECT grant_id AS id, session_id AS session, body FROM grants WHERE grant_id = ?",
  revoke: "DELETE FROM grants WHERE grant_id = ?",

  note: `INSERT INTO notes (place, channel, note) SELECT place, ?, ? FROM requests WHERE approval_id = ?
    ON CONFLICT (place, channel) DO UPDATE SET note = excluded.note`,
  noted: "SELECT note FROM requests JOIN notes USING (place) WHERE approval_id = ? AND channel = ?",

  publish: "INSERT INTO events (run_id, event) VALUES (?, ?) RETURNING number",
  trim: "DELETE FROM events WHERE number IN (SELECT number FROM events WHERE number <= ? ORDER BY number LIMIT ?)",
  first: "SELECT min(number) AS number FROM events",
  last: "SELECT seq AS number FROM sqlite_sequence WHERE name = 'events'",
  events: "SELECT number, event FROM events WHERE number > ? ORDER BY number LIMIT ?",
  eventsOf: "SELECT number, event FROM events WHERE run_id = ? AND number > ? ORDER BY number LIMIT ?",
} as const;

type Name = keyof typeof SQL;

/** The statements of one connection, each prepared on first use. */
export class SqliteStatements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<Name, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Returns the number of changed rows. */
  run(name: Name, ...values: readonly SQLInputValue[]): number {
    return Number(this.#statement(name).run(...values).changes);
  }

  get(name: Name, ...values: readonly SQLInputValue[]): unknown {
    return this.#statement(name).get(...values);
  }

  all(name: Name, ...values: readonly SQLInputValue[]): readonly unknown[] {
    return this.#statement(name).all(...values);
  }

  #statement(name: Name): StatementSync {
    const known = this.#prepared.get(name);
    if (known !== undefined) return known;
    const fresh = this.#database.prepare(SQL[name]);
    this.#prepared.set(name, fresh);
    return fresh;
  }
}
