/// The events of all sessions of a server, in the order in which they were stored.
/// - Source: web/guide/feed.md.
package protocol EventFeed: AnyObject, Sendable {
  /// The unbroken history that the positions belong to: another one after a backup was restored,
  /// when positions are given again to other events.
  var epoch: String { get }
  /// Reports every new position.
  var signal: FeedSignal { get }
  /// Reads events on another thread.
  ///
  /// - Parameter completion: Called on any thread.
  func read(
    _ request: FeedRequest, completion: @escaping @Sendable (Result<FeedPage, FeedProblem>) -> Void)
  /// The positions of all cursors, by their names. Other nodes may have changed them since.
  var cursors: [String: Int] { get }
  /// Reads what other nodes may have changed: ``epoch``, ``cursors``, the position of ``signal``.
  ///
  /// - Parameter completion: Called on any thread; with `false` if the store cannot be read now.
  func refresh(completion: @escaping @Sendable (Bool) -> Void)
  /// Sets a cursor, creating it if there are fewer than ``FeedLimits/cursorCountMax``.
  ///
  /// - Parameter position: `nil` deletes the cursor.
  func setCursor(
    _ name: String, to position: Int?,
    completion: @escaping @Sendable (Result<Void, FeedProblem>) -> Void)
}

extension EventFeed {
  /// Of a store that no other process changes.
  package func refresh(completion: @escaping @Sendable (Bool) -> Void) { completion(true) }
}

/// The filter of a read.
package struct FeedRequest: Sendable {
  /// Only events after this position are read.
  package let after: Int
  /// The types to read; `nil`: all.
  package let types: [String]?
  package let countMax: Int

  package init(after: Int, types: [String]?, countMax: Int) {
    self.after = after
    self.types = types
    self.countMax = countMax
  }

  /// A page ends with the event that reaches this size.
  package static let byteCountMax = 262_144
  package static let countMax = 1000
}

/// A page of events, in the order of their positions.
package struct FeedPage: Sendable {
  package let lines: [FeedLine]
  /// The position up to which all matching events have been read; the next page starts after it.
  package let position: Int

  package init(lines: [FeedLine], position: Int) {
    self.lines = lines
    self.position = position
  }
}

package enum FeedProblem: Error, Hashable, Sendable {
  /// Events after the position have been deleted, or the position has not been reached: it is of
  /// another store, or of a time before a backup was restored.
  case gone(oldest: Int, newest: Int)
  /// The maximum number of cursors is reached.
  case tooManyCursors
  /// The store cannot be read or written now.
  case unavailable
}

/// The limits of the feed; older events are deleted.
package struct FeedLimits: Hashable, Sendable {
  package var events = 1_000_000
  package var milliseconds: Int64 = 30 * 86_400_000
  /// The maximum size of the events in a file, in bytes.
  package var bytes = 1 << 30
  /// The maximum size of the events of a server without a file, in bytes.
  package var memoryBytes = 1 << 26
  package static let cursorCountMax = 100

  package init() {}
}

/// The first and the last position of a feed.
struct FeedBounds: Hashable, Sendable {
  var oldest: Int
  var newest: Int

  /// - Throws: ``FeedProblem/gone`` if events after a position are missing.
  func check(_ after: Int) throws(FeedProblem) {
    if after > newest || after < oldest - 1 { throw .gone(oldest: oldest, newest: newest) }
  }
}
