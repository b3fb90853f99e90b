/**
 * Migrations of the fleet's tables. Steps only add tables and columns, so that instances of the previous version
 * continue to work during an upgrade. Times are milliseconds since the epoch by the clock of the database, because the
 * clocks of machines differ.
 */

const text = 'TEXT COLLATE "C"';

export const fleetMigrations: readonly string[] = [
  `
  -- Who is there: an instance that is not seen for some seconds is dead, and what it asked for is cancelled.
  CREATE TABLE instances (
    id TEXT PRIMARY KEY, role TEXT NOT NULL, version TEXT NOT NULL, queue TEXT NOT NULL, slots INTEGER NOT NULL,
    stay_ms INTEGER, seen_at BIGINT NOT NULL
  );
  `,
  `
  -- The queue of audits: whose each one is, its turn among clients, who runs it, and its outcome.
  CREATE TABLE audits (
    id UUID PRIMARY KEY, queue TEXT NOT NULL, owner TEXT NOT NULL, client TEXT NOT NULL, is_batch INTEGER NOT NULL,
    turn BIGINT NOT NULL, number BIGINT GENERATED ALWAYS AS IDENTITY, queued_at BIGINT NOT NULL,
    worker TEXT, attempt INTEGER, outcome TEXT, content BYTEA
  );
  ALTER TABLE audits ALTER COLUMN content SET STORAGE EXTERNAL;
  CREATE INDEX audits_that_wait ON audits (queue, is_batch, turn, number) WHERE worker IS NULL;
  CREATE INDEX audits_by_owner ON audits (owner);

  -- The turn after the last one that each client has taken.
  CREATE TABLE turns (
    queue TEXT NOT NULL, is_batch INTEGER NOT NULL, client TEXT NOT NULL, next BIGINT NOT NULL,
    PRIMARY KEY (queue, is_batch, client)
  );

  -- What one instance asks of one other: to audit artifacts again that are there, to remove them.
  CREATE TABLE calls (
    id UUID PRIMARY KEY, callee TEXT NOT NULL, owner TEXT NOT NULL, request TEXT NOT NULL,
    is_taken INTEGER NOT NULL DEFAULT 0, outcome TEXT, called_at BIGINT NOT NULL
  );
  CREATE INDEX calls_by_callee ON calls (callee) WHERE is_taken = 0;
  CREATE INDEX calls_by_owner ON calls (owner);
  `,
  `
  -- The generation grows with each clear. It begins with the time, so that a database made anew does not go back.
  -- Values up to a number are cleared, whether they are removed yet or not.
  CREATE TABLE cache_state (
    only_row BOOLEAN PRIMARY KEY DEFAULT true CHECK (only_row), generation BIGINT NOT NULL,
    cleared_through BIGINT NOT NULL DEFAULT 0
  );
  INSERT INTO cache_state (generation) VALUES ((extract(epoch from clock_timestamp()) * 1000)::bigint);

  CREATE TABLE cached_values (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name ${text} NOT NULL UNIQUE, content BYTEA NOT NULL,
    stored_at BIGINT NOT NULL, bytes BIGINT NOT NULL
  );
  ALTER TABLE cached_values ALTER COLUMN content SET STORAGE EXTERNAL;

  -- What is being produced. Later requests join the current request of a name; an overtaken one goes on beside it.
  -- Followers: who waits for it on other instances, and until when that is believed.
  CREATE TABLE requests (
    id ${text} PRIMARY KEY, name ${text} NOT NULL, owner ${text} NOT NULL, generation BIGINT NOT NULL,
    is_current BOOLEAN NOT NULL DEFAULT true, followers JSONB NOT NULL DEFAULT '{}', expires_at BIGINT NOT NULL,
    ended ${text}, is_kept BOOLEAN NOT NULL DEFAULT false, outcome BYTEA
  ) WITH (fillfactor = 50);
  ALTER TABLE requests ALTER COLUMN outcome SET STORAGE EXTERNAL;
  CREATE UNIQUE INDEX requests_current ON requests (name) WHERE is_current;

  CREATE TABLE call_slots (
    name ${text} NOT NULL, number INTEGER NOT NULL, holder ${text}, expires_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (name, number)
  ) WITH (fillfactor = 50);
  -- When the calls of the last minute went out.
  CREATE TABLE call_starts (name ${text} PRIMARY KEY, starts BIGINT[] NOT NULL DEFAULT '{}') WITH (fillfactor = 50);
  CREATE TABLE back_offs (name ${text} PRIMARY KEY, version BIGINT NOT NULL, state JSONB NOT NULL);

  -- As rate-limiter-flexible wants it.
  CREATE TABLE page_limits (key VARCHAR(255) PRIMARY KEY, points INTEGER NOT NULL DEFAULT 0, expire BIGINT);
  `,
  `
  -- What a worker needs to audit, and until when its claim holds: the queue is this table. Older versions have a queue
  -- of another name, in pg-boss, and leave both empty.
  ALTER TABLE audits ADD COLUMN job TEXT;
  ALTER TABLE audits ADD COLUMN lease_until BIGINT;
  `,
  `
  -- The host name of an instance, for people. Older versions leave it empty.
  ALTER TABLE instances ADD COLUMN name TEXT;
  `,
  `
  -- The key that an audit needs to open its access, and the keys that a machine has. Older versions have none.
  ALTER TABLE audits ADD COLUMN access_key TEXT;
  ALTER TABLE instances ADD COLUMN access_keys TEXT[];
  `,
];

/** SQL expression for the time of the database. */
export const nowMs = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
