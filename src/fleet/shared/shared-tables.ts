/** Tables of the shared cache, requests and limits. Times are those of the database. */

const text = 'TEXT COLLATE "C"';

export const sharedTables = `
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
  `;
