/// The tables of schema 1.
///
/// Times are milliseconds since 1970 by the database's clock. External ids are bytes, because a
/// text cannot contain U+0000.
enum PostgresTables {
  static let all = """
    CREATE TABLE store (
      single boolean PRIMARY KEY DEFAULT true CHECK (single),
      -- The number of the schema.
      version bigint NOT NULL,
      -- The system identifier and the timeline of the database when it was last served.
      history text NOT NULL,
      -- The SQLite store whose copy is not complete yet.
      moving_from text,
      -- 64 bytes: four random UUIDs, which have 122 random bits each.
      ticket_key bytea NOT NULL DEFAULT decode(
        replace(gen_random_uuid()::text || gen_random_uuid() || gen_random_uuid()
          || gen_random_uuid(), '-', ''), 'hex'),
      -- NULL: unknown; see `PostgresClockDoubt`.
      written_at bigint
    );
    CREATE TABLE node (
      incarnation bigint PRIMARY KEY,
      -- Grows with each connection of the node's writer: older connections cannot write any more.
      fence bigint NOT NULL DEFAULT 0,
      -- The number of its last committed batch.
      batch bigint NOT NULL DEFAULT 0,
      -- As `FoldVersions`.
      rules bigint NOT NULL,
      tzdata text
    );
    CREATE TABLE session (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      epoch text NOT NULL,
      origin bytea NOT NULL,
      ttl_seconds bigint NOT NULL,
      -- The sequence number of the last entry.
      head bigint NOT NULL DEFAULT 0,
      -- The number of stored entries, without compacted ones.
      row_count bigint NOT NULL DEFAULT 0,
      -- The size of the creation and of the stored entries, snapshots and definitions.
      byte_count bigint NOT NULL,
      -- The last entry whose events are in the feed; -1 if the creation is not.
      event_sequence bigint NOT NULL DEFAULT -1,
      -- Whether entries follow the last idle snapshot: it may have members.
      has_members boolean NOT NULL DEFAULT true,
      next_tick bigint,
      active_at bigint NOT NULL,
      -- When it ended, and the incarnation of the node that ended it; its rows are deleted later.
      ended_at bigint,
      ended_by bigint,
      -- The node that has created the session or appended to it last. If it has stopped, another
      -- one loads the session, because its members may have to leave. Not in an index: appends of
      -- several nodes change it, and an update of an indexed column adds an entry to each index of
      -- the table. NULL: it was moved from an SQLite store.
      served_by bigint,
      rules bigint NOT NULL,
      tzdata text,
      -- The position in the list of sessions.
      ordinal bigint NOT NULL,
      external bytea,
      -- The status of the last entry with events; NULL: not known.
      status text
    ) WITH (fillfactor = 50);
    -- Without the sessions that have none: in a database without statistics, searches for living
    -- sessions by their ids would read the whole index.
    CREATE UNIQUE INDEX session_external ON session (external)
      WHERE ended_at IS NULL AND external IS NOT NULL;
    CREATE INDEX session_ended ON session (ended_at) WHERE ended_at IS NOT NULL;
    -- The sessions that may have members are found without reading all.
    CREATE INDEX session_members ON session (number) WHERE has_members AND ended_at IS NULL;
    -- An update never changes it. Not of the living ones only: in a database without statistics,
    -- searches by other columns would read all of that.
    CREATE INDEX session_ordinal ON session (ordinal);

    CREATE TABLE entry (
      session bigint NOT NULL REFERENCES session ON DELETE CASCADE,
      sequence bigint NOT NULL,
      -- The incarnation of the node that appended it, and the number of its append.
      node bigint NOT NULL,
      serial bigint NOT NULL,
      body bytea NOT NULL,
      PRIMARY KEY (session, sequence)
    );
    CREATE TABLE snapshot (
      session bigint NOT NULL REFERENCES session ON DELETE CASCADE,
      sequence bigint NOT NULL,
      revision bigint NOT NULL,
      is_idle boolean NOT NULL,
      row_count bigint NOT NULL,
      body bytea NOT NULL,
      -- Digests of the current definition and the one that is shown, if they are not the origin's.
      definition bytea,
      shown bytea,
      checksum bigint NOT NULL,
      rules bigint NOT NULL,
      tzdata text,
      -- The versions of the log before it, if the session continued from it under a new epoch.
      replaces text,
      PRIMARY KEY (session, sequence)
    );
    CREATE TABLE definition (
      session bigint NOT NULL REFERENCES session ON DELETE CASCADE,
      digest bytea NOT NULL,
      body bytea NOT NULL,
      -- Whether an entry refers to it.
      is_logged boolean NOT NULL,
      PRIMARY KEY (session, digest)
    );
    CREATE TABLE creation (
      key bytea PRIMARY KEY,
      body bytea NOT NULL,
      session text NOT NULL,
      epoch text NOT NULL,
      salt text NOT NULL,
      at bigint NOT NULL
    );
    CREATE INDEX creation_at ON creation (at);

    CREATE TABLE event (
      -- 1, 2, 3, ... without gaps.
      position bigint PRIMARY KEY,
      at bigint NOT NULL,
      type text NOT NULL,
      id text NOT NULL,
      body bytea NOT NULL
    );
    CREATE TABLE feed (
      single boolean PRIMARY KEY DEFAULT true CHECK (single),
      newest bigint NOT NULL DEFAULT 0,
      byte_count bigint NOT NULL DEFAULT 0,
      epoch text NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '')
    );
    INSERT INTO feed DEFAULT VALUES;
    CREATE TABLE feed_cursor (name text PRIMARY KEY, position bigint NOT NULL);

    CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
      $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;
    """
}
