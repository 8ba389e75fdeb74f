import PickerSession

/// The sessions that a node is about to give up, because they are no longer in memory.
///
/// A session can be loaded again before that is stored: then its claim cancels the release.
struct PendingReleases {
  /// The numbers of the newest releases of sessions whose snapshots are being encoded.
  private var requested: [SessionID: Int] = [:]
  private var ready: Set<SessionID> = []
  /// Those of the batch that is being written.
  private var writing: Set<SessionID> = []
  private var count = 0

  /// Whether a session is about to be given up, or has just been.
  func contains(_ session: SessionID) -> Bool {
    requested[session] != nil || ready.contains(session) || writing.contains(session)
  }

  /// - Returns: The number of the release, for ``beginWriting(_:_:)``.
  mutating func request(_ session: SessionID) -> Int {
    count += 1
    requested[session] = count
    return count
  }

  /// The snapshot is encoded: the next batch releases the session, unless it was claimed or
  /// released again meanwhile.
  mutating func beginWriting(_ session: SessionID, _ number: Int) {
    guard requested[session] == number else { return }
    requested[session] = nil
    ready.insert(session)
  }

  mutating func cancel(_ session: SessionID) {
    requested[session] = nil
    ready.remove(session)
  }

  /// Takes those that the next batch releases.
  mutating func take() -> Set<SessionID> {
    (writing, ready) = (ready, [])
    return writing
  }

  /// They are stored.
  mutating func written() { writing = [] }

  /// They were not stored.
  mutating func putBack() {
    ready.formUnion(writing)
    writing = []
  }
}
