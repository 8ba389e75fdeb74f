import DequeModule
import PickerSession
import PickerWire

/// What waits for a connection that cannot take it at once.
///
/// When more than its bound waits, everything that a fresh snapshot tells as well is dropped:
/// deltas, presence, months and rows. Answers stay, and a dropped delta of the member's own command
/// becomes a reply.
/// - Source: protocol.md, "Slow readers".
struct Outbox {
  enum Waiting {
    /// Told by a snapshot as well.
    case updates(Frame)
    /// The delta of the member's own command.
    case ownDelta(Frame, ref: Int, revision: Int)
    /// A reply or a refusal, written out already.
    case answer(Frame, Answer)
    /// An answer to be written with the snapshot: it must show how things stand then.
    case lateAnswer(Answer)
    /// Must arrive, and before any snapshot.
    case retained(Frame)
  }

  private(set) var waiting: Deque<Waiting> = [] { didSet { noteIdle() } }
  private(set) var byteCount = 0
  /// Whether the socket holds a frame that is not out yet.
  var isFull = false { didSet { noteIdle() } }
  /// Whether a snapshot has to take the place of what was dropped.
  private(set) var needsSnapshot = false { didSet { noteIdle() } }
  /// Since when the socket has taken nothing, after something was dropped; machine milliseconds.
  var stalledSince: Int64?
  /// Whether a message can go out at once. Kept, so that a delivery does not touch the queue.
  private(set) var isIdle = true

  private mutating func noteIdle() { isIdle = !isFull && waiting.isEmpty && !needsSnapshot }

  /// - Parameters:
  ///   - byteCountMax: Bytes that may wait before updates are dropped.
  ///   - countMax: Messages that may wait before updates are dropped; default 1,000.
  mutating func append(_ message: Waiting, byteCountMax: Int, countMax: Int = 1000) {
    if needsSnapshot {
      if let retained = Outbox.retained(of: message) { waiting.append(retained) }
      return
    }
    waiting.append(message)
    byteCount += Outbox.byteCount(of: message)
    if byteCount > byteCountMax || waiting.count > countMax { dropUpdates() }
  }

  /// Takes the next message.
  mutating func next() -> Waiting? {
    guard let message = waiting.popFirst() else { return nil }
    if !needsSnapshot { byteCount -= Outbox.byteCount(of: message) }
    return message
  }

  /// A snapshot is about to be sent.
  ///
  /// - Parameter encode: Writes an answer as things stand in the snapshot. Later it would show what
  ///   the deltas that are still to come after it have changed.
  mutating func snapshotTaken(encode: (Answer) -> Frame) {
    needsSnapshot = false
    waiting = Deque(
      waiting.map { message in
        if case .lateAnswer(let answer) = message {
          .answer(encode(answer), answer)
        } else {
          message
        }
      })
    byteCount = 0
    for message in waiting { byteCount += Outbox.byteCount(of: message) }
  }

  /// Takes a message that comes before the snapshot, if one waits.
  mutating func nextRetained() -> Frame? {
    guard case .retained(let frame) = waiting.first else { return nil }
    waiting.removeFirst()
    return frame
  }

  /// Puts a message in front of all that wait.
  mutating func prepend(_ message: Waiting) {
    waiting.prepend(message)
    byteCount += Outbox.byteCount(of: message)
  }

  mutating func clear() { self = Outbox() }

  private mutating func dropUpdates() {
    waiting = Deque(waiting.compactMap(Outbox.retained))
    byteCount = 0
    needsSnapshot = true
  }

  private static func retained(of message: Waiting) -> Waiting? {
    switch message {
    case .updates: nil
    case .ownDelta(_, let ref, let revision):
      .lateAnswer(Answer(ref: ref, body: .reply(revision: revision)))
    case .answer(_, let answer): .lateAnswer(answer)
    case .lateAnswer, .retained: message
    }
  }

  private static func byteCount(of message: Waiting) -> Int {
    switch message {
    case .updates(let frame), .ownDelta(let frame, _, _), .answer(let frame, _),
      .retained(let frame):
      frame.count
    case .lateAnswer: 64
    }
  }
}
