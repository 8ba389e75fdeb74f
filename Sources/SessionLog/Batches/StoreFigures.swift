package import PickerHub

/// The durations and sizes of a store's batches.
package struct StoreFigures: Sendable {
  /// The time from the first append of a batch until it was stored.
  package internal(set) var waitSeconds = Histogram.seconds
  /// The time of a batch's transaction, including its flush to the disk.
  package internal(set) var commitSeconds = Histogram.seconds
  package internal(set) var batchRecords = Histogram.counts
}
