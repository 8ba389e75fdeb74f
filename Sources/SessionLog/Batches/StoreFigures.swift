package import PickerHub

/// The durations and sizes of a store's batches, what is not stored yet, and the store's own size.
package struct StoreFigures: Sendable {
  /// The time from the first append of a batch until it was stored.
  package internal(set) var waitSeconds = Histogram.seconds
  /// The time of a batch's transaction, including its flush to the disk.
  package internal(set) var commitSeconds = Histogram.seconds
  package internal(set) var batchRecords = Histogram.counts
  package internal(set) var backlog = StoreBacklog()
  /// The bytes in use in the store; `nil`: unknown.
  package internal(set) var storeByteCount: Int?
}

/// What is appended, but not stored yet: the records of the batch that is being written, and those
/// that are pending for the next one.
package struct StoreBacklog: Hashable, Sendable {
  package internal(set) var recordCount = 0
  /// The memory of the records, an estimate.
  package internal(set) var byteCount = 0
  /// The memory of the snapshots that are not encoded yet.
  package internal(set) var encodingByteCount = 0
  /// The age of the oldest append; 0 if everything is stored.
  package internal(set) var oldestSeconds = 0.0
}
