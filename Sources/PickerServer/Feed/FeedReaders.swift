import Synchronization

/// Counts the requests that read the feed at the moment, on all loops.
final class FeedReaders: Sendable {
  private let count = Atomic(0)
  private let countMax: Int

  init(countMax: Int) { self.countMax = countMax }

  var current: Int { count.load(ordering: .relaxed) }

  /// - Returns: The place of a reader, which is free again when it is released; `nil` if there are
  ///   as many readers as there may be.
  func enter() -> FeedReader? {
    if count.wrappingAdd(1, ordering: .relaxed).newValue > countMax {
      leave()
      return nil
    }
    return FeedReader(self)
  }

  fileprivate func leave() { count.wrappingSubtract(1, ordering: .relaxed) }
}

/// The place of one request in ``FeedReaders``.
final class FeedReader: Sendable {
  private let readers: FeedReaders

  fileprivate init(_ readers: FeedReaders) { self.readers = readers }

  deinit { readers.leave() }
}
