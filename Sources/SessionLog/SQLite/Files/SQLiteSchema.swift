/// The tables of a store, as migrations in the order of the releases. A released migration must
/// never be changed.
///
/// A store of a newer pickerd has unknown migrations and is refused.
enum SQLiteSchema {
  /// In the order of their numbers, which begin with 1.
  private static let migrations = [
    addSessions, orderEntries, addBudgets, addDefinitions, addFeed, addNames, addFeedEpoch,
    addTicketKey,
  ]

  /// Whether a newer pickerd has written the store.
  static func isNewer(_ database: SQLiteConnection) throws -> Bool {
    try applied(database).contains { !numbers.contains($0) }
  }

  /// Brings the tables up to date, each migration in one transaction.
  static func migrate(_ database: SQLiteConnection) throws {
    try database.run(
      script: "CREATE TABLE IF NOT EXISTS \(table) (identifier TEXT NOT NULL PRIMARY KEY)")
    let applied = try applied(database)
    // Otherwise replacing a table would delete the rows that refer to it. Not possible within a
    // transaction.
    try database.run("PRAGMA foreign_keys = OFF")
    defer { try? database.run("PRAGMA foreign_keys = ON") }
    for (number, script) in zip(numbers, migrations) where !applied.contains(number) {
      try database.transaction {
        try database.run(script: script)
        if let table: String = try database.value("PRAGMA foreign_key_check") {
          throw StoreProblem("its table \(table) has rows without a session")
        }
        try database.run("INSERT INTO \(table) VALUES (?)", [number])
      }
    }
  }

  /// The table of the applied migrations, named by the library that older versions used.
  private static let table = "grdb_migrations"

  private static var numbers: [String] { migrations.indices.map { String($0 + 1) } }

  private static func applied(_ database: SQLiteConnection) throws -> Set<String> {
    guard try database.hasTable(table) else { return [] }
    return Set(try database.rows("SELECT identifier FROM \(table)") { try $0[0] as String })
  }

  private static let addSessions = """
    CREATE TABLE store (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      -- How many batches have been committed.
      batch INTEGER NOT NULL,
      -- 1 in a backup that has not been served yet.
      isBackup INTEGER NOT NULL DEFAULT 0,
      -- Changes when the store proves that it can be written again.
      probe INTEGER NOT NULL DEFAULT 0
    );
    INSERT INTO store (only, batch) VALUES (1, 0);

    CREATE TABLE session (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      epoch TEXT NOT NULL,
      origin BLOB NOT NULL,
      ttlSeconds INTEGER NOT NULL,
      -- How many entries there are; their places are 1 to this.
      entryCount INTEGER NOT NULL DEFAULT 0,
      -- 1 after entries that no idle snapshot covers: somebody may be in it.
      hasMembers INTEGER NOT NULL DEFAULT 0,
      -- The next instant at which it may look different, milliseconds since 1970.
      nextTick INTEGER,
      -- When its last revision or join was, milliseconds since 1970.
      activeAt INTEGER NOT NULL
    );

    CREATE TABLE entry (
      session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      body BLOB NOT NULL,
      PRIMARY KEY (session, place)
    ) WITHOUT ROWID;

    CREATE TABLE snapshot (
      session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      isIdle INTEGER NOT NULL,
      body BLOB NOT NULL,
      PRIMARY KEY (session, place)
    ) WITHOUT ROWID;
    """

  /// Stores entries in the order of arrival, so that a batch of many sessions changes few pages.
  private static let orderEntries = """
    CREATE TABLE entryInOrder (
      number INTEGER PRIMARY KEY,
      session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
      place INTEGER NOT NULL,
      body BLOB NOT NULL
    );
    INSERT INTO entryInOrder (session, place, body)
      SELECT session, place, body FROM entry ORDER BY session, place;
    DROP TABLE entry;
    ALTER TABLE entryInOrder RENAME TO entry;
    CREATE UNIQUE INDEX entryPlace ON entry (session, place);
    """

  /// Adds the size of logs, the compaction of entries, the versions of snapshots, and the deletion
  /// of ended sessions in parts.
  private static let addBudgets = """
    -- The sequence number of its last entry stays in entryCount; rowCount says how many are
    -- stored, byteCount how many bytes they and the snapshots have.
    ALTER TABLE session ADD COLUMN rowCount INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE session ADD COLUMN byteCount INTEGER NOT NULL DEFAULT 0;
    -- 1 while the rows of a session that has ended are being deleted.
    ALTER TABLE session ADD COLUMN isEnded INTEGER NOT NULL DEFAULT 0;
    -- The rules and the zone database with which it was created; NULL if an older pickerd did.
    ALTER TABLE session ADD COLUMN rules INTEGER;
    ALTER TABLE session ADD COLUMN tzdata TEXT;
    -- How many entries are stored up to here.
    ALTER TABLE snapshot ADD COLUMN rowCount INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE snapshot ADD COLUMN rules INTEGER;
    ALTER TABLE snapshot ADD COLUMN tzdata TEXT;
    -- Of what members see in this state.
    ALTER TABLE snapshot ADD COLUMN checksum INTEGER;
    -- Versions with which the log up to here was folded, if folding it with later ones gave
    -- something else: since then the session begins here.
    ALTER TABLE snapshot ADD COLUMN replaces TEXT;
    -- When the store was last written, by a clock that was plausible; milliseconds since 1970.
    ALTER TABLE store ADD COLUMN writtenAt INTEGER;

    UPDATE session SET rowCount = entryCount, byteCount =
      (SELECT coalesce(sum(length(body)), 0) FROM entry
       WHERE entry.session = session.number)
      + (SELECT coalesce(sum(length(body)), 0) FROM snapshot
         WHERE snapshot.session = session.number);
    UPDATE snapshot SET rowCount = place;
    """

  /// Stores a definition of the host once; entries and snapshots refer to it. Those of older
  /// versions contain it.
  private static let addDefinitions = """
    CREATE TABLE definition (
      session INTEGER NOT NULL REFERENCES session (number) ON DELETE CASCADE,
      digest BLOB NOT NULL,
      body BLOB NOT NULL,
      -- 1 if an entry refers to it: then it is never deleted before its session.
      isLogged INTEGER NOT NULL,
      PRIMARY KEY (session, digest)
    );
    -- Digests of the current definition and of the one that is shown, if they are not the
    -- origin's; NULL also if the body contains them.
    ALTER TABLE snapshot ADD COLUMN definition BLOB;
    ALTER TABLE snapshot ADD COLUMN shown BLOB;
    """

  /// The feed begins with what happens after the migration.
  private static let addFeed = """
    CREATE TABLE event (
      -- 1, 2, 3, ... without gaps.
      position INTEGER PRIMARY KEY,
      -- When it was stored; milliseconds since 1970.
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
      byteCount INTEGER NOT NULL
    );
    INSERT INTO feed (only, newest, byteCount) VALUES (1, 0, 0);

    CREATE TABLE feedCursor (name TEXT PRIMARY KEY, position INTEGER NOT NULL);
    -- The last entry whose events are in the feed; -1 if the creation is not.
    ALTER TABLE session ADD COLUMN eventSequence INTEGER NOT NULL DEFAULT -1;
    UPDATE session SET eventSequence = entryCount;
    """

  /// The list of sessions, and idempotency keys. A living session has its external id alone; the
  /// hubs' index sees to that, because a batch must not fail for one of its records.
  private static let addNames = """
    -- Where it is in the list; NULL if an older pickerd created it: then its number.
    ALTER TABLE session ADD COLUMN ordinal INTEGER;
    ALTER TABLE session ADD COLUMN external TEXT;
    -- Of the idle snapshot, while hasMembers is 0.
    ALTER TABLE session ADD COLUMN status TEXT;

    CREATE TABLE creation (
      key BLOB PRIMARY KEY,
      body BLOB NOT NULL,
      session TEXT NOT NULL,
      epoch TEXT NOT NULL,
      salt TEXT NOT NULL,
      at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX creationTime ON creation (at);
    """

  /// See ``EventFeed/epoch``.
  private static let addFeedEpoch = """
    ALTER TABLE feed ADD COLUMN epoch TEXT NOT NULL DEFAULT '';
    UPDATE feed SET epoch = lower(hex(randomblob(16)));
    """

  /// See ``DurableStore/ticketKey``.
  private static let addTicketKey = """
    ALTER TABLE store ADD COLUMN ticketKey BLOB;
    UPDATE store SET ticketKey = randomblob(64);
    """
}
