/**
 * What makes a file of each version from one of the version before; the first from an empty one. Versions that were
 * released are never changed: a change is another one behind them.
 *
 * Each table's `place` is the order in which things came. Times are milliseconds since 1970, by the clock of whoever
 * writes: all are on one host. `number` is one more than the number of an event, which is never given twice, also when the
 * last was forgotten (https://www.sqlite.org/autoinc.html). `settled` is the order in which requests were over; what belongs
 * to one is in a table of its own, which lists never read.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE store (id TEXT NOT NULL) STRICT;
  INSERT INTO store VALUES (lower(hex(randomblob(16))));

  CREATE TABLE requests (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    approval_id TEXT NOT NULL UNIQUE,
    request TEXT NOT NULL,
    status TEXT NOT NULL,
    decision TEXT,
    run_id TEXT,
    deadline REAL,
    settled INTEGER
  ) STRICT;
  CREATE INDEX requests_open ON requests (status, place) WHERE settled IS NULL;
  CREATE INDEX requests_timed ON requests (deadline) WHERE status = 'pending' AND deadline IS NOT NULL;
  CREATE UNIQUE INDEX requests_settled ON requests (settled) WHERE settled IS NOT NULL;

  CREATE TABLE belongings (
    place INTEGER PRIMARY KEY REFERENCES requests ON DELETE CASCADE,
    call TEXT,
    presentation TEXT,
    edited TEXT
  ) STRICT;

  CREATE TABLE notes (
    place INTEGER NOT NULL REFERENCES requests ON DELETE CASCADE,
    channel TEXT NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (place, channel)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE grants (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    grant_id TEXT NOT NULL UNIQUE,
    session_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX grants_session ON grants (session_id, place);

  CREATE TABLE runs (run_id TEXT PRIMARY KEY, until REAL NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE events (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL,
    event TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_run ON events (run_id);
  `,
];
