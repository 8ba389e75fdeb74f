/// The tables of a store, as numbered steps: step N makes schema N of schema N - 1. A released step
/// must never be changed.
enum SQLiteSchema {
  static let steps = [tables]

  /// The tables that a file has.
  static func found(_ database: SQLiteConnection) throws -> FoundSchema {
    let columns = try database.rows("SELECT name FROM pragma_table_info('store')") {
      try $0[0] as String
    }
    return try FoundSchema(columns, own: "batch") {
      try database.value("SELECT version FROM store")
    }
  }

  /// Brings the tables to the newest schema, all steps in one transaction.
  ///
  /// - Parameter path: The file, for messages.
  /// - Throws: ``StoreProblem`` if the file has tables that `steps` cannot bring there.
  static func migrate(
    _ database: SQLiteConnection, _ path: String, by steps: [String] = steps
  ) throws {
    let found = try found(database)
    if let problem = found.problem(of: path, newest: steps.count) { throw problem }
    let version = if case .version(let version) = found { version } else { 0 }
    guard version < steps.count else { return }
    // Otherwise a step that replaces a table would delete the rows that refer to it. Not possible
    // within a transaction.
    // - Source: sqlite.org/lang_altertable.html, "Making Other Kinds Of Table Schema Changes".
    try database.run("PRAGMA foreign_keys = OFF")
    defer { try? database.run("PRAGMA foreign_keys = ON") }
    try database.transaction {
      for step in steps.dropFirst(version) { try database.run(script: step) }
      try database.run("UPDATE store SET version = ?", [steps.count])
    }
  }

  /// Times are milliseconds since 1970.
  private static let tables = """
    CREATE TABLE store (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      -- The number of the schema.
      version INTEGER NOT NULL,
      -- How many batches have been committed.
      batch INTEGER NOT NULL,
      -- 1 in a backup that has not been served yet.
      isBackup INTEGER NOT NULL DEFAULT 0,
      -- Changes when the store proves that it can be written again.
      probe INTEGER NOT NULL DEFAULT 0,
      -- When the store was last written, by a clock that was plausible.
      writtenAt INTEGER,
      ticketKey BLOB NOT NULL
    );
    INSERT INTO store (only, version, batch, ticketKey) VALUES (1, 0, 0, randomblob(64));

    CREATE TABLE session (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      epoch TEXT NOT NULL,
      origin BLOB NOT NULL,
      ttlSeconds INTEGER NOT NULL,
      -- The sequence number of its last entry.
      entryCount INTEGER NOT NULL DEFAULT 0,
      -- How many entries are stored: compacted ones are not.
      rowCount INTEGER NOT NULL DEFAULT 0,
      -- The size of the creation and of the stored entries, snapshots and definitions.
      byteCount INTEGER NOT NULL,
      -- The last entry whose events are in the feed; -1 if the creation is not.
      eventSequence INTEGER NOT NULL DEFAULT -1,
      -- 1 after entries that no idle snapshot covers: somebody may be in it.
      hasMembers INTEGER NOT NULL DEFAULT 1,
      -- The next instant at which it may look different.
      nextTick INTEGER,
      -- When its last revision or join was.
      activeAt INTEGER NOT NULL,
      -- 1 while the rows of a session that has ended are being deleted.
      isEnded INTEGER NOT NULL DEFAULT 0,
      -- The rules and the zone database with which it was created.
      rules INTEGER NOT NULL,
      tzdata TEXT,
      -- The position in the list of sessions.
      ordinal INTEGER NOT NULL,
      -- A living session has its external id alone; the hubs' index sees to that, because a batch
      -- must not fail for one of its records.
      external TEXT,
      -- Of the idle snapshot, while hasMembers is 0.
      status TEXT
    );

    -- In the order of arrival, so that a batch of many sessions changes few pages.
    CREATE TABLE entry (
      number INTEGER PRIMARY KEY,
      session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      body BLOB NOT NULL
    );
    CREATE UNIQUE INDEX entryPlace ON entry (session, place);

    CREATE TABLE snapshot (
      session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      isIdle INTEGER NOT NULL,
      -- How many entries are stored up to here.
      rowCount INTEGER NOT NULL,
      body BLOB NOT NULL,
      -- Digests of the current definition and of the one that is shown, if they are not the
      -- origin's.
      definition BLOB,
      shown BLOB,
      -- Of what members see in this state.
      checksum INTEGER NOT NULL,
      rules INTEGER NOT NULL,
      tzdata TEXT,
      -- Versions with which the log up to here was folded, if folding it with later ones gave
      -- something else: since then the session begins here.
      replaces TEXT,
      PRIMARY KEY (session, place)
    ) WITHOUT ROWID;

    CREATE TABLE definition (
      session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
      digest BLOB NOT NULL,
      body BLOB NOT NULL,
      -- 1 if an entry refers to it: then it is never deleted before its session.
      isLogged INTEGER NOT NULL,
      PRIMARY KEY (session, digest)
    );

    CREATE TABLE creation (
      key BLOB PRIMARY KEY,
      body BLOB NOT NULL,
      session TEXT NOT NULL,
      epoch TEXT NOT NULL,
      salt TEXT NOT NULL,
      at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX creationTime ON creation (at);

    CREATE TABLE event (
      -- 1, 2, 3, ... without gaps.
      position INTEGER PRIMARY KEY,
      -- When it was stored.
      at INTEGER NOT NULL,
      type TEXT NOT NULL,
      id TEXT NOT NULL,
      body BLOB NOT NULL
    );
    CREATE INDEX eventType ON event (type, position);

    CREATE TABLE feed (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      -- The position of the newest event, also if it has been deleted.
      newest INTEGER NOT NULL,
      byteCount INTEGER NOT NULL,
      epoch TEXT NOT NULL
    );
    INSERT INTO feed (only, newest, byteCount, epoch)
      VALUES (1, 0, 0, lower(hex(randomblob(16))));

    CREATE TABLE feedCursor (name TEXT PRIMARY KEY, position INTEGER NOT NULL);
    """
}
