import CivilTime
import DequeModule
import PickerSession

/// A change of the store besides the records of the logs: of a shared definition or a cursor.
struct StoreChange: Sendable {
  struct Outcome: Sendable {
    /// What the feed reports of it.
    var events: [FeedEvent] = []
    /// Called on the writing queue when the change is stored.
    let report: @Sendable () -> Void
  }

  /// What it writes, in bytes.
  let byteCount: Int
  /// The inventories that it counts in.
  var inventories: [String] = []
  /// Writes it in a transaction with others. What it throws undoes all of them.
  let write: @Sendable (any SQLConnection) throws -> Outcome
  /// Called on the writing queue if nothing is stored.
  let fail: @Sendable () -> Void
}

/// The changes that wait for the writing queue.
struct StoreChanges {
  private var waiting: Deque<StoreChange> = []
  /// Whether the queue was asked to write them.
  private var isQueued = false

  /// The maximum of changes in a transaction, which the next batch waits for.
  static let countMax = 64
  /// The maximum of their bytes, unless a single one has more.
  private static let byteCountMax = 1_048_576

  /// - Returns: Whether the caller must ask the queue.
  mutating func add(_ change: StoreChange) -> Bool {
    waiting.append(change)
    defer { isQueued = true }
    return !isQueued
  }

  /// - Returns: The oldest ones, and whether the caller must ask the queue again.
  mutating func take() -> (changes: [StoreChange], isPartial: Bool) {
    var (changes, byteCount): ([StoreChange], Int) = ([], 0)
    while let next = waiting.first, changes.count < StoreChanges.countMax {
      byteCount += next.byteCount
      if byteCount > StoreChanges.byteCountMax, !changes.isEmpty { break }
      changes.append(waiting.removeFirst())
    }
    isQueued = !waiting.isEmpty
    return (changes, isQueued)
  }
}

extension SQLSessionLog {
  /// Writes a change in a transaction with all that wait, so that they share one flush of the disk.
  /// Batches of records are written between two of these transactions.
  func change(_ change: StoreChange) {
    if changes.withLock({ $0.add(change) }) { queue.async { self.writeChanges() } }
  }

  /// Changes everything once, also if the outcome of a commit is unknown: a patch that is applied
  /// to its own result would act twice.
  private func writeChanges() {
    let (part, isPartial) = changes.withLock { $0.take() }
    if isPartial { queue.async { self.writeChanges() } }
    guard failure == nil else { return part.forEach { $0.fail() } }
    do {
      let (outcomes, marks, news) = try transaction(isRepeatable: false) { connection in
        // Changes of all nodes are made one after the other.
        let _: Int? = try connection.value(
          "SELECT only_row FROM store \(connection.dialect.forUpdate)")
        let names = Set(part.flatMap(\.inventories))
        let wishes = Dictionary(uniqueKeysWithValues: names.map { ($0, InventoryWish()) })
        try inventories.begin(wishes, at: inventoryTime.now, connection)
        let outcomes = try part.map { try $0.write(connection) }
        let marks = try inventories.write(connection)
        if isClustered, marks.contains(where: \.isChanged) {
          try connection.send("NOTIFY \(SQLFeed.channel)")
        }
        let events = outcomes.flatMap(\.events)
        return (outcomes, marks, try write(events, connection))
      }
      note(marks)
      for outcome in outcomes { outcome.report() }
      if let news { feed.signal.advance(news) }
    } catch {
      fail([], error)
      part.forEach { $0.fail() }
    }
  }
}
