import CSQLite
import Foundation
import PickerHub
import Synchronization

/// A store in an SQLite file in WAL mode: one connection writes, while others read.
/// - Source: sqlite.org/wal.html.
final class SQLiteEngine: SQLEngine, @unchecked Sendable {
  private let path: String
  private let lock: StoreLock
  /// The identities of the file and its journal when they were opened.
  private let files: [FileIdentity]
  private let writer: SQLiteConnection
  /// Readers that are not in use; as many as threads have read at once.
  private let readers = Mutex<[Reader]>([])

  private struct Reader: @unchecked Sendable { let connection: SQLiteConnection }

  /// The number of bytes that a probe writes: as much as a few commands need.
  private static let probeBytes = 65_536

  init(_ path: String, _ lock: StoreLock, _ writer: SQLiteConnection) throws(StoreProblem) {
    self.path = path
    self.lock = lock
    self.writer = writer
    files = [path, path + "-wal"].compactMap(FileIdentity.init(_:))
    guard files.count == 2 else { throw StoreProblem("\(path) was removed while it was opened") }
  }

  /// Readers are closed first: the last connection removes the journal, which a reader cannot.
  deinit { readers.withLock { $0 = [] } }

  var location: String { path }
  var isClustered: Bool { false }
  var locks: (any NodeLocks)? { nil }
  func connect() -> any SQLConnection { writer }
  func isTransient(_ error: any Error) -> Bool { false }
  func isLost(_ error: any Error) -> Bool { false }
  func whenNotified(_ body: @escaping @Sendable () -> Void) {}

  func isFinal(_ error: any Error) -> Bool { (error as? SQLiteError)?.code == SQLITE_CORRUPT }

  func read<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
    let free = readers.withLock { $0.popLast() }
    let reader = try free ?? Reader(connection: SQLiteConnection(path, isReadOnly: true))
    defer { readers.withLock { $0.append(reader) } }
    return try reader.connection.transaction(SQLDialect.sqlite.beginReading) {
      try body(reader.connection)
    }
  }

  func readConfirmed<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
    try read(body)
  }

  func committed(_ batch: Int) throws {
    try checkFiles()
    lock.note(batch)
  }

  /// Checks that the files still have their names: what is written to a renamed or deleted file
  /// would be missing after a restart.
  ///
  /// - Throws: ``StoreProblem`` if a file of the store was removed or replaced.
  private func checkFiles() throws(StoreProblem) {
    for file in files where !file.isInPlace {
      throw StoreProblem(
        "\(file.path) was moved, removed or replaced while the server was running. Put it back; if "
          + "that is impossible, stop pickerd with SIGTERM and start it again")
    }
    guard lock.isInPlace else {
      throw StoreProblem(
        "\(path).lock was removed while the server was running: restart pickerd")
    }
  }

  func usedByteCount(_ connection: any SQLConnection) throws -> Int? {
    try (connection as? SQLiteConnection)?.usedByteCount
  }

  func takeWrittenPageCount(_ connection: any SQLConnection) -> Int {
    (connection as? SQLiteConnection)?.takeWrittenPageCount() ?? 0
  }

  func probe(_ connection: any SQLConnection) throws {
    // No wait for another program's lock: it would delay the other work of the queue.
    try connection.run("PRAGMA busy_timeout = 0")
    defer { try? connection.run("PRAGMA busy_timeout = 5000") }
    try connection.run("UPDATE store SET probe = zeroblob($1)", [SQLiteEngine.probeBytes])
    try connection.run("UPDATE store SET probe = NULL")
    try checkFiles()
  }

  /// Copies the journal to the file.
  func settle(_ connection: any SQLConnection) {
    guard let connection = connection as? SQLiteConnection,
      let checkpoint = try? SQLiteCheckpoint(.truncate, connection), !checkpoint.isBlocked,
      (try? checkFiles()) != nil
    else { return }
    lock.settle(lock.batch)
  }
}

extension SQLSessionLog {
  /// Opens or creates a store in a file, whose folder must exist.
  ///
  /// - Throws: ``StoreProblem`` if another process serves it, it is damaged, it was written by a
  ///   newer pickerd, or it cannot be opened. The file is unchanged then.
  package convenience init(
    file path: String, _ settings: Settings
  ) throws(StoreProblem) {
    do {
      let lock = try StoreLock(path: path)
      let opened = try SQLiteOpening.open(lock.path, lock)
      try self.init(
        try SQLiteEngine(lock.path, lock, opened.connection), opened.connection, settings,
        hasLostHistory: opened.hasLostHistory)
    } catch {
      throw SQLiteOpening.problem(path, error)
    }
  }
}

/// Opens a store file: checks it, and creates or migrates its tables.
enum SQLiteOpening {
  /// - Returns: The writing connection, and whether stored history was missing or the file is a
  ///   backup, so that all sessions have a new epoch.
  static func open(
    _ path: String, _ lock: StoreLock
  ) throws -> (connection: SQLiteConnection, hasLostHistory: Bool) {
    let isJournalMissing = try examine(path, lock)
    let connection = try SQLiteConnection(path)
    let mode: String? = try connection.value("PRAGMA journal_mode = WAL")
    guard mode == "wal" else {
      throw StoreProblem("SQLite cannot use a write-ahead log for \(path)")
    }
    // Flushes each commit.
    try connection.run("PRAGMA synchronous = FULL")
    // The default is 1,000 pages. A batch of 1,000 sessions changes as many pages, so that it would
    // be written twice, to the journal and to the file. 10,000 pages are 40 MB.
    try connection.run("PRAGMA wal_autocheckpoint = 10000")
    // Debian's default is to overwrite deleted pages: then the deletion of 40 MB would write 40 MB
    // to the journal, and copy them to the file while taps wait.
    try connection.run("PRAGMA secure_delete = OFF")
    let level = try connection.value("PRAGMA synchronous", as: Int.self)
    guard level == 2 else { throw StoreProblem("SQLite does not flush commits to disk") }
    let hasLost = try connection.transaction {
      try SQLSchema.open(connection, of: path)
      return try renewEpochs(connection, lock, isJournalMissing: isJournalMissing)
    }
    lock.note(try batch(connection))
    return (connection, hasLost)
  }

  /// Checks a store before anything is written to it, and checkpoints its journal.
  ///
  /// - Returns: Whether the journal lacks committed batches: it is empty, although the last server
  ///   did not shut down properly.
  private static func examine(_ path: String, _ lock: StoreLock) throws -> Bool {
    let bytes = size(of: path)
    guard let bytes, bytes > 0 else {
      // SQLite would create a new database here, and remove the journal.
      if size(of: path + "-wal") ?? 0 > 0 {
        throw damaged(path, "it is \(bytes == nil ? "missing" : "empty"), but its journal is not")
      }
      if bytes != nil && lock.batch > 0 { throw damaged(path, "it is empty") }
      return false
    }
    let connection = try SQLiteConnection(path)
    let version = try SQLSchema.version(connection, of: path)
    let tableCount = try connection.value("SELECT count(*) FROM sqlite_master", as: Int.self) ?? 0
    guard version > 0 || tableCount == 0 else {
      throw StoreProblem(
        "\(path) is a database of another program. Give --store a file of pickerd's own")
    }
    let problem = try connection.value("PRAGMA quick_check(1)", as: String.self)
    guard problem == "ok" else { throw damaged(path, problem ?? "unknown damage") }
    return version > 0 ? try settle(connection, lock) : false
  }

  /// Checkpoints the journal, and notes the batch up to which it is not needed any more.
  ///
  /// - Returns: As ``examine(_:_:)``.
  private static func settle(_ connection: SQLiteConnection, _ lock: StoreLock) throws -> Bool {
    guard let checkpoint = try SQLiteCheckpoint(.passive, connection) else { return false }
    let isJournalMissing = checkpoint.frameCount <= 0 && lock.batch > lock.settledBatch
    let batch = try batch(connection)
    // Everything is in the file itself: a missing journal is no problem from now on.
    if !isJournalMissing, batch >= lock.batch, checkpoint.isComplete {
      lock.settle(batch)
    }
    return isJournalMissing
  }

  private static func batch(_ connection: SQLiteConnection) throws -> Int {
    try connection.value("SELECT batch FROM store", as: Int.self) ?? 0
  }

  private static func size(of path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// Gives all sessions and the feed a new epoch if stored history is missing or the file is a
  /// backup.
  private static func renewEpochs(
    _ connection: SQLiteConnection, _ lock: StoreLock, isJournalMissing: Bool
  ) throws -> Bool {
    let isBackup = try connection.value("SELECT is_backup FROM store", as: Bool.self) ?? false
    let isOlder = try batch(connection) < lock.batch
    guard isOlder || isJournalMissing || isBackup else { return false }
    let random = connection.dialect.randomText
    try connection.run("UPDATE session SET epoch = \(random)")
    try connection.run("UPDATE feed SET epoch = \(random)")
    try connection.run(
      "UPDATE store SET is_backup = false, batch = max(batch, $1)", [lock.batch])
    return true
  }

  static func problem(_ path: String, _ error: any Error) -> StoreProblem {
    if let problem = error as? StoreProblem { return problem }
    guard let error = error as? SQLiteError else {
      return StoreProblem("cannot open the store \(path): \(error)")
    }
    switch error.code {
    case SQLITE_CORRUPT, SQLITE_NOTADB: return damaged(path, error.description)
    case SQLITE_BUSY:
      return StoreProblem(
        "another program has locked \(path). End that one (sqlite3? a copy under way?) and start "
          + "pickerd again")
    default: return StoreProblem("cannot open the store \(path): \(error)")
    }
  }

  private static func damaged(_ path: String, _ problem: String) -> StoreProblem {
    StoreProblem(
      "\(path) is damaged (\(problem)). pickerd does not repair it: replace it with a backup "
        + "(made by pickerd backup), or move it away together with \(path)-wal and \(path).lock to "
        + "begin with an empty store")
  }
}
