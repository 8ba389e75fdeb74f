import Foundation

/// The tables of a store, as migrations in the order of the releases. A released migration must
/// never be changed.
///
/// Times are milliseconds since 1970. External ids are bytes, because PostgreSQL's texts cannot
/// contain U+0000.
enum SQLSchema {
  /// The migration to a version, as SQL; the first one makes version 1.
  typealias Migration = @Sendable (SQLDialect) -> String

  static let migrations: [Migration] = [first]

  /// The version of a store; 0 if it has no tables of pickerd.
  ///
  /// - Throws: ``StoreProblem`` for a store that was made before the first release, and for a
  ///   database of another program.
  static func version(_ connection: any SQLConnection, of location: String) throws -> Int {
    let columns = try columns(of: "store", connection)
    if columns.isEmpty { return 0 }
    if columns.isSuperset(of: ["schema_number", "shared_version"]) {
      let version: Int? = try connection.value("SELECT schema_number FROM store")
      guard let version, version > 0 else {
        throw StoreProblem(
          "\(location) is damaged (its schema has no valid number): restore a backup, or begin "
            + "with a new store")
      }
      return version
    }
    // Builds before the first release numbered their schemas elsewhere.
    guard columns.isDisjoint(with: ["batch", "schema", "history"]) else {
      throw StoreProblem(
        "\(location) was written by a build from before the first release, which no release can "
          + "read: begin with a new store, or use this one with the build that wrote it")
    }
    throw StoreProblem(
      "\(location) is a database of another program. Give --store one of pickerd's own")
  }

  /// Creates the tables, or migrates them to the newest version.
  ///
  /// - Throws: ``StoreProblem`` for a store of a newer pickerd.
  static func open(
    _ connection: any SQLConnection, of location: String, _ migrations: [Migration] = migrations
  ) throws {
    let known = try version(connection, of: location)
    try check(known, migrations.count, location)
    for number in known..<migrations.count {
      try connection.run(script: migrations[number](connection.dialect))
      if number == 0 { try connection.run("INSERT INTO store (ticket_key) VALUES ($1)", [newKey]) }
      try connection.run("UPDATE store SET schema_number = $1", [number + 1])
    }
  }

  /// Why this pickerd cannot use a store; `nil` also for one without tables.
  static func problem(_ connection: any SQLConnection, of location: String) throws -> StoreProblem?
  {
    do {
      try check(try version(connection, of: location), migrations.count, location)
      return nil
    } catch let problem as StoreProblem {
      return problem
    }
  }

  /// Checks a store that is only read.
  static func check(_ connection: any SQLConnection, of location: String) throws {
    let known = try version(connection, of: location)
    guard known > 0 else { throw StoreProblem("\(location) has no sessions of pickerd") }
    try check(known, migrations.count, location)
    let isIncomplete: Bool? = try connection.value("SELECT moving_from IS NOT NULL FROM store")
    guard isIncomplete != true else {
      throw StoreProblem(
        "\(location) has an incomplete copy of an SQLite store: run pickerd move again")
    }
  }

  private static func check(_ known: Int, _ newest: Int, _ location: String) throws(StoreProblem) {
    guard known > newest else { return }
    throw StoreProblem(
      "\(location) was written by a newer pickerd (schema \(known); this one knows schema "
        + "\(newest)): use that version, or another store")
  }

  /// 64 random bytes; see ``SQLSessionLog/ticketKey``.
  static var newKey: Data { Data((0..<64).map { _ in UInt8.random(in: .min ... .max) }) }

  /// The names of a table's columns; none if there is no such table.
  static func columns(of table: String, _ connection: any SQLConnection) throws -> Set<String> {
    let sql =
      switch connection.dialect {
      case .sqlite: "SELECT name FROM pragma_table_info($1)"
      case .postgres:
        """
        SELECT column_name::text FROM information_schema.columns
        WHERE table_schema = 'pickerd' AND table_name = $1
        """
      }
    return Set(try connection.rows(sql, [table]) { row in try row[0] as String })
  }

  private static let first: Migration = { dialect in
    """
    CREATE TABLE store (
      only_row integer PRIMARY KEY DEFAULT 1 CHECK (only_row = 1),
      schema_number bigint NOT NULL DEFAULT 1,
      ticket_key bytea NOT NULL,
      -- The number of batches that a store with a single writer has committed.
      batch bigint NOT NULL DEFAULT 0,
      -- Whether it is a backup that has not been served yet.
      is_backup boolean NOT NULL DEFAULT false,
      -- When it was last written, by a clock that was plausible.
      written_at bigint,
      -- Changes when the store proves that it can be written again.
      probe bytea,
      -- Identifies the history of the database, with a random number, and counts its changes.
      history text NOT NULL DEFAULT '',
      history_number bigint NOT NULL DEFAULT 1,
      -- The greatest version of a shared definition so far.
      shared_version bigint NOT NULL DEFAULT 0,
      -- The SQLite store whose copy is not complete yet.
      moving_from text
    );
    -- The processes that share the store.
    CREATE TABLE node (
      -- Random.
      number bigint PRIMARY KEY,
      -- Where it accepts connections of other nodes; NULL: nowhere.
      address text,
      -- The number of its last committed batch.
      batch bigint NOT NULL DEFAULT 0
    );
    CREATE TABLE session (
      number \(dialect.identity),
      id text NOT NULL UNIQUE,
      epoch text NOT NULL,
      origin bytea NOT NULL,
      ttl_seconds bigint NOT NULL,
      -- The sequence number of the last entry.
      entry_count bigint NOT NULL DEFAULT 0,
      -- The number of stored entries, without compacted ones.
      row_count bigint NOT NULL DEFAULT 0,
      -- The size of the creation and the stored entries, snapshots and definitions.
      byte_count bigint NOT NULL DEFAULT 0,
      -- The last entry whose events are in the feed; -1 if the creation is not.
      event_sequence bigint NOT NULL DEFAULT -1,
      -- Whether entries follow the last idle snapshot: it may have members.
      has_members boolean NOT NULL DEFAULT true,
      -- The next instant at which time changes it, as of the idle snapshot.
      next_tick bigint,
      -- When its last revision or join was.
      active_at bigint NOT NULL,
      status text,
      -- Whether it has ended, and its rows are being deleted.
      ended boolean NOT NULL DEFAULT false,
      -- The rules and the zone database with which it was created.
      rules bigint NOT NULL,
      tzdata text,
      -- The position in the list of sessions.
      ordinal bigint NOT NULL,
      external bytea,
      -- That of the key that has created it; an empty text: none.
      namespace text NOT NULL DEFAULT '',
      -- The name of its shared definition.
      uses text,
      -- The node that alone appends to it.
      owner bigint,
      -- When a node must claim it, while it has no owner.
      due_at bigint,
      -- The number of the history to which its epoch belongs.
      history bigint NOT NULL DEFAULT 1
    )\(dialect == .postgres ? " WITH (fillfactor = 50)" : "");
    CREATE UNIQUE INDEX session_external ON session (namespace, external)
      WHERE NOT ended AND external IS NOT NULL;
    CREATE INDEX session_ended ON session (number) WHERE ended;
    CREATE INDEX session_ordinal ON session (ordinal);
    CREATE INDEX session_due ON session (due_at)
      WHERE owner IS NULL AND due_at IS NOT NULL AND NOT ended;
    CREATE INDEX session_owner ON session (owner) WHERE owner IS NOT NULL;
    CREATE INDEX session_uses ON session (uses) WHERE uses IS NOT NULL;
    CREATE TABLE shared_definition (
      name text PRIMARY KEY,
      -- Greater than that of every earlier version of any of them.
      version bigint NOT NULL UNIQUE,
      -- Since when no session uses it; NULL if one does, or if it is not known.
      unused_since bigint,
      definition bytea NOT NULL,
      notes bytea NOT NULL,
      -- The settings of its inventory, if it has one.
      inventory bytea
    );
    \(inventory(dialect))
    CREATE TABLE entry (
      session bigint NOT NULL REFERENCES session (number) ON DELETE CASCADE,
      sequence bigint NOT NULL,
      body bytea NOT NULL
    );
    CREATE UNIQUE INDEX entry_sequence ON entry (session, sequence);
    CREATE TABLE snapshot (
      session bigint NOT NULL REFERENCES session (number) ON DELETE CASCADE,
      sequence bigint NOT NULL,
      revision bigint NOT NULL,
      is_idle boolean NOT NULL,
      -- The number of entries that are stored up to here.
      row_count bigint NOT NULL,
      body bytea NOT NULL,
      -- Digests of the current definition and the one that is shown, if they are not the origin's.
      definition bytea,
      shown bytea,
      checksum bigint,
      rules bigint NOT NULL,
      tzdata text,
      -- The versions of the log before it, if the session continued from it under a new epoch.
      replaces text,
      PRIMARY KEY (session, sequence)
    );
    CREATE TABLE definition (
      session bigint NOT NULL REFERENCES session (number) ON DELETE CASCADE,
      digest bytea NOT NULL,
      body bytea NOT NULL,
      -- Whether an entry refers to it: then it is never deleted before its session.
      is_logged boolean NOT NULL,
      PRIMARY KEY (session, digest)
    );
    -- Idempotency keys.
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
      position \(dialect == .sqlite ? "INTEGER" : "bigint") PRIMARY KEY,
      -- When it was stored.
      at bigint NOT NULL,
      type text NOT NULL,
      id text NOT NULL,
      body bytea NOT NULL,
      -- That of its session.
      namespace text NOT NULL DEFAULT ''
    );
    CREATE INDEX event_type ON event (type, position);
    CREATE INDEX event_namespace ON event (namespace, position) WHERE namespace <> '';
    CREATE TABLE feed (
      only_row integer PRIMARY KEY DEFAULT 1 CHECK (only_row = 1),
      -- The position of the newest event, also if it has been deleted.
      newest bigint NOT NULL DEFAULT 0,
      byte_count bigint NOT NULL DEFAULT 0,
      epoch text NOT NULL
    );
    INSERT INTO feed (epoch) VALUES (\(dialect.randomText));
    CREATE TABLE feed_cursor (name text PRIMARY KEY, position bigint NOT NULL);
    """
  }
}
