import PickerHub
import PickerSession

/// The number of sessions in a database that have not ended, and of idempotency keys: those of the
/// last count, and those that this node has created since. Creations of other nodes, and ends,
/// follow with the next count.
struct CreationCount {
  /// At the last count.
  private var counted = SharedCount()
  /// Appended by this node; the last count may not include them.
  private var created = SharedCount()
  /// Those of them whose outcome is known: the next count includes them if they are stored.
  private(set) var settled = SharedCount()
  /// When to count again.
  private(set) var nextCounting = ContinuousClock.now

  /// The time between two counts; more if a count takes long.
  static let interval = Duration.seconds(2)
  static let sql = """
    SELECT count(*) FILTER (WHERE ended_at IS NULL),
      coalesce(sum(byte_count), 0)::bigint + (SELECT byte_count FROM feed),
      (SELECT count(*) FROM creation)
    FROM session
    """
  /// Deletes the keys that are older than so many milliseconds.
  static let expiry = "DELETE FROM creation WHERE at <= now_ms() - $1"
  /// Deletes the oldest keys, except so many.
  static let excessDeletion = """
    DELETE FROM creation
    WHERE at <= (SELECT at FROM creation ORDER BY at DESC OFFSET $1 LIMIT 1)
    """

  var total: SharedCount { counted + created }

  /// A creation was appended.
  mutating func append(_ creation: SharedCount) { created += creation }

  /// The outcome of creations is known.
  mutating func settle(_ creations: SharedCount) { settled += creations }

  /// The database was counted. The time for that grows with the number of sessions: no more than
  /// 2 % of the time is spent on it.
  ///
  /// - Parameter before: ``settled`` before the count.
  mutating func haveCounted(
    _ count: SharedCount, settled before: SharedCount, in duration: Duration
  ) {
    counted = count
    created -= before
    settled -= before
    nextCounting = .now + max(CreationCount.interval, duration * 49)
  }
}

extension SharedCount {
  /// The count of a creation.
  init(_ origin: SessionOrigin) { self.init(sessions: 1, keys: origin.key == nil ? 0 : 1) }

  /// The count of the creations among some records.
  init(_ records: [StoreRecord]) {
    self.init()
    for case .log(.created(let origin), _) in records { self += SharedCount(origin) }
  }
}
