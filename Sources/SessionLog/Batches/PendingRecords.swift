import PickerHub
import PickerSession

/// A session to load after the pending records are stored.
struct PendingLoad: Sendable {
  let session: SessionID
  let limits: SessionLimits
  /// The index of the hub.
  let hub: Int
}

/// What is pending for a store's next batch, within the limits of bytes and records, and whether
/// the store accepts more, by the sizes of its sessions and its own. The store protects it with a
/// lock.
struct PendingRecords {
  private(set) var records: [StoreRecord] = []
  /// The size of the records.
  private var byteCount = 0
  /// The size of the snapshots that are not encoded yet.
  private var encodingByteCount = 0
  private var loads: [PendingLoad] = []
  /// The time of the first append among the records.
  private var firstRecordAt: ContinuousClock.Instant?
  /// Whether the store was asked to run the next batch.
  private var isBatchQueued = false
  /// Sessions whose logs have reached their maximum size.
  private(set) var full: Set<SessionID> = []
  /// Sessions whose logs have reached twice their maximum size.
  private var exhausted: Set<SessionID> = []
  /// The bytes in use in the store after the last batch or deletion; `nil`: unknown.
  private var storeByteCount: Int?
  /// The reason why the store is not writable, if any.
  var failure: String?
  /// Whether the rows of ended sessions are being deleted, or are about to be.
  var isDeleting = false
  private var counted = StoreFigures()
  /// The batch that is being written.
  private var written = StoreBacklog()
  private var writtenSince: ContinuousClock.Instant?
  /// Batches committed by this process.
  private(set) var batchCount = 0
  private let byteCountMax: Int
  private let logByteCountMax: Int
  private let storeByteCountMax: Int

  /// The maximum of pending records; further appends fail.
  static let recordCountMax = 200_000

  /// - Parameters:
  ///   - byteCountMax: The maximum size of the records; also that of the snapshots that are not
  ///     encoded yet.
  ///   - logByteCountMax: The maximum size of a session's log.
  ///   - storeByteCountMax: The maximum of bytes in use in the store.
  init(byteCountMax: Int, logByteCountMax: Int, storeByteCountMax: Int = .max) {
    self.byteCountMax = byteCountMax
    self.logByteCountMax = logByteCountMax
    self.storeByteCountMax = storeByteCountMax
  }

  /// Adds a record.
  ///
  /// - Returns: The outcome for the hub, and whether the caller must run the next batch.
  mutating func add(
    _ record: StoreRecord, needsBudget: Bool
  ) -> (outcome: AppendOutcome, startsBatch: Bool) {
    let size = record.byteCount
    guard failure == nil, records.count < PendingRecords.recordCountMax,
      byteCount + size <= byteCountMax
    else { return (.failed, false) }
    if needsBudget && full.contains(record.session) { return (.full, false) }
    if case .log(.entry, let session) = record, exhausted.contains(session) {
      return (.exhausted, false)
    }
    if needsBudget, let storeByteCount, storeByteCount >= storeByteCountMax {
      return (.storeFull, false)
    }
    records.append(record)
    byteCount += size
    if firstRecordAt == nil { firstRecordAt = .now }
    return (.pending, startsBatch())
  }

  /// Adds a load.
  ///
  /// - Returns: Whether the caller must run the next batch.
  mutating func add(_ load: PendingLoad) -> Bool {
    loads.append(load)
    return startsBatch()
  }

  /// Asks for a batch, also without records.
  ///
  /// - Returns: Whether the caller must run it.
  mutating func requestBatch() -> Bool { failure == nil && startsBatch() }

  /// Whether the store has reached its maximum size.
  var isStoreFull: Bool { storeByteCount.map { $0 >= storeByteCountMax } ?? false }

  /// Whether the store is full, or may become so before ``SQLSessionLog`` reads its size because of
  /// what was written: with twice the bytes of those pages.
  var isStoreNearlyFull: Bool {
    storeByteCount.map { $0 >= storeByteCountMax - 2_097_152 } ?? false
  }

  private mutating func startsBatch() -> Bool {
    defer { isBatchQueued = true }
    return !isBatchQueued
  }

  /// The records of a batch, and the loads to start after it.
  struct Batch {
    let records: [StoreRecord]
    let loads: [PendingLoad]
    /// The time of the first append.
    let appendedAt: ContinuousClock.Instant
    /// Whether records are left for another batch.
    let isPartial: Bool
  }

  /// Takes the oldest records. The loads are only in a batch after which no record is left.
  mutating func takeBatch(of countMax: Int = .max) -> Batch {
    isBatchQueued = records.count > countMax
    let taken = isBatchQueued ? Array(records.prefix(countMax)) : records
    let batch = Batch(
      records: taken, loads: isBatchQueued ? [] : loads, appendedAt: firstRecordAt ?? .now,
      isPartial: isBatchQueued)
    let size = isBatchQueued ? taken.reduce(0) { $0 + $1.byteCount } : byteCount
    (written.recordCount, written.byteCount, writtenSince) = (taken.count, size, firstRecordAt)
    if isBatchQueued {
      records.removeFirst(countMax)
      byteCount -= size
    } else {
      (records, byteCount, firstRecordAt, loads) = ([], 0, nil, [])
    }
    return batch
  }

  /// Notes that the batch is lost, and takes the records after it, which are lost, too.
  mutating func failed() -> [StoreRecord] {
    defer { (records, byteCount, firstRecordAt) = ([], 0, nil) }
    (written, writtenSince) = (StoreBacklog(), nil)
    return records
  }

  /// The durations and sizes of the batches, and what is not stored now.
  var figures: StoreFigures {
    var figures = counted
    figures.backlog.recordCount = written.recordCount + records.count
    figures.backlog.byteCount = written.byteCount + byteCount
    figures.backlog.encodingByteCount = encodingByteCount
    figures.storeByteCount = storeByteCount
    if let oldest = writtenSince ?? firstRecordAt {
      figures.backlog.oldestSeconds = (ContinuousClock.now - oldest) / .seconds(1)
    }
    return figures
  }

  /// Reserves memory for a snapshot that is about to be encoded.
  ///
  /// - Returns: Whether there is room.
  mutating func beginEncoding(_ byteCount: Int) -> Bool {
    if encodingByteCount + byteCount > byteCountMax { return false }
    encodingByteCount += byteCount
    return true
  }

  mutating func endEncoding(_ byteCount: Int) { encodingByteCount -= byteCount }

  /// Counts a committed batch.
  mutating func committed(_ batch: Batch, begin: ContinuousClock.Instant) {
    let end = ContinuousClock.now
    batchCount += 1
    (written, writtenSince) = (StoreBacklog(), nil)
    counted.commitSeconds.record((end - begin) / .seconds(1))
    counted.waitSeconds.record((end - batch.appendedAt) / .seconds(1))
    counted.batchRecords.record(Double(batch.records.count))
  }

  /// Notes the bytes in use in the store, after a batch or after rows were deleted.
  mutating func noteStoreSize(_ byteCount: Int) { storeByteCount = byteCount }

  /// Updates the sets of full logs by the size of a session's log; `nil`: the session has ended.
  mutating func note(_ byteCount: Int?, of session: SessionID) {
    if let byteCount, byteCount >= logByteCountMax {
      full.insert(session)
      if byteCount >= 2 * logByteCountMax { exhausted.insert(session) }
    } else if !full.isEmpty {
      full.remove(session)
      exhausted.remove(session)
    }
  }
}
