package import PickerHub

/// How long the batches of a store waited and took.
package struct StoreFigures: Sendable {
  /// From the first append of a batch until it was stored.
  package internal(set) var waitSeconds = Histogram.seconds
  /// The transaction of a batch, with its flush to the disk.
  package internal(set) var commitSeconds = Histogram.seconds
  package internal(set) var batchRecords = Histogram.counts
}
