/**
 * The statements that bring a file of each version to the next; the first creates the tables. Released versions never
 * change: a change is a new version at the end.
 * `place` is the order of arrival, `settled` that in which requests ended. Times are milliseconds since 1970; all are
 * of one host. `number` is one more than an event's, which is never given twice (https://www.sqlite.org/autoinc.html).
 * Data of a request is in a table of its own, which lists never read.
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
  `
  ALTER TABLE grants ADD COLUMN until REAL;
  ALTER TABLE grants ADD COLUMN uses_left INTEGER;
  `,
];
