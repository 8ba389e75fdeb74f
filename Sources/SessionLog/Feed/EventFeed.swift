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
  /// The positions of all cursors, by their names, as they were known last: other nodes may have
  /// changed them since ``refresh(completion:)``, or since the last look at them.
  var cursors: [String: Int] { get }
  /// Reads what other nodes may have changed: ``epoch``, ``cursors``, the position of ``signal``.
  ///
  /// - Parameter completion: Called on any thread; with `false` if the store cannot be read now.
  func refresh(completion: @escaping @Sendable (Bool) -> Void)
  /// Reads what other nodes have added, soon and without an answer; ``cursors`` too if
  /// `atCursors`. Standby servers of the database may not have it yet.
  func lookLater(atCursors: Bool)
  /// Sets a cursor, creating it if its namespace has fewer than ``FeedLimits/cursorCountMax``.
  ///
  /// - Parameter position: `nil` deletes the cursor.
  func setCursor(
    _ name: CursorName, to position: Int?,
    completion: @escaping @Sendable (Result<Void, FeedProblem>) -> Void)
}

extension EventFeed {
  /// Of a store that no other process changes.
  package func refresh(completion: @escaping @Sendable (Bool) -> Void) { completion(true) }
  /// Of a store that no other process changes.
  package func lookLater(atCursors: Bool) {}
}

/// The filter of a read.
package struct FeedRequest: Sendable {
  /// Only events after this position are read.
  package let after: Int
  /// The types to read; `nil`: all.
  package let types: [String]?
  /// Only events of sessions of this namespace; `nil`: all.
  package let namespace: String?
  package let countMax: Int

  package init(after: Int, types: [String]?, namespace: String? = nil, countMax: Int) {
    self.after = after
    self.types = types
    self.namespace = namespace
    self.countMax = countMax
  }

  /// The same request for events after another position.
  package func following(_ position: Int) -> FeedRequest {
    FeedRequest(after: position, types: types, namespace: namespace, countMax: countMax)
  }

  /// Whether a new event may be one of the requested.
  func isWaiting(for news: FeedNews) -> Bool {
    guard let kinds = news.kinds else { return true }
    return kinds.contains { kind in
      (types?.contains(kind.type) ?? true) && (namespace ?? kind.namespace) == kind.namespace
    }
  }

  /// A page ends with the event that reaches this size.
  package static let byteCountMax = 262_144
  package static let countMax = 1000
}

/// What has been added to a feed.
package struct FeedNews: Sendable {
  /// What decides whether a reader has requested an event.
  package struct Kind: Hashable, Sendable {
    let type: String
    /// Empty without one.
    let namespace: String
  }

  /// The position of the newest event.
  let position: Int
  /// Those of the new events; `nil` if they are not known.
  let kinds: Set<Kind>?

  init(position: Int, kinds: Set<Kind>? = nil) { (self.position, self.kinds) = (position, kinds) }

  init(position: Int, _ lines: [FeedLine]) {
    let kinds = lines.map { Kind(type: $0.type, namespace: $0.namespace) }
    self.init(position: position, kinds: Set(kinds))
  }
}

/// A page of events, in the order of their positions.
package struct FeedPage: Sendable {
  package let lines: [FeedLine]
  /// The position up to which all matching events have been read; the next page starts after it.
  package let position: Int
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
  /// The maximum number of cursors of a namespace.
  package static let cursorCountMax = 100

  package init() {}
}

/// The name of a reader's cursor in the feed: no other namespace has it.
package struct CursorName: Hashable, Sendable {
  /// A namespace has no slash.
  private let prefix: String
  package let text: String

  package init(_ name: String, namespace: String?) {
    prefix = namespace.map { $0 + "/" } ?? ""
    text = prefix + name
  }

  /// Whether a cursor with this name may be added to others.
  func hasRoom(among others: some Sequence<String>) -> Bool {
    let count = others.lazy.filter { prefix.isEmpty ? !$0.contains("/") : $0.hasPrefix(prefix) }
      .count { _ in true }
    return count < FeedLimits.cursorCountMax
  }
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
