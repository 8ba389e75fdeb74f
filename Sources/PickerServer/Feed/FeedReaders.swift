import Synchronization

/// Limits the number of requests that read the feed at the same time, on all loops.
final class FeedReaders: Sendable {
  private let count = Atomic(0)
  static let countMax = 64

  var current: Int { count.load(ordering: .relaxed) }

  /// - Returns: Counts as one reader until it is released; `nil` if the maximum is reached.
  func enter() -> FeedReader? {
    if count.wrappingAdd(1, ordering: .relaxed).newValue > FeedReaders.countMax {
      leave()
      return nil
    }
    return FeedReader(self)
  }

  fileprivate func leave() { count.wrappingSubtract(1, ordering: .relaxed) }
}

/// One request that ``FeedReaders`` counts; releasing it ends the count.
final class FeedReader: Sendable {
  private let readers: FeedReaders

  fileprivate init(_ readers: FeedReaders) { self.readers = readers }

  deinit { readers.leave() }
}
