import DequeModule
import PickerSession
import PickerWire

extension Outbox.Waiting {
  /// The encoded frame; `nil` for an answer that is encoded together with the snapshot.
  var frame: Frame? {
    switch self {
    case .updates(let frame), .ownDelta(let frame, _, _), .answer(let frame, _),
      .retained(let frame):
      frame
    case .lateAnswer: nil
    }
  }
}

/// The pending messages of a connection that is write-blocked.
///
/// When they exceed a maximum, the updates that a new snapshot replaces are dropped: deltas,
/// presence, months and rows. Answers are retained, and a dropped delta of the member's own command
/// becomes a reply. From then until the snapshot is sent, updates are dropped at once.
struct Outbox {
  enum Waiting {
    /// A message whose content a snapshot contains.
    case updates(Frame)
    /// The delta of the member's own command; becomes a reply when it is dropped.
    case ownDelta(Frame, ref: Int, revision: Int)
    /// A reply or a refusal, encoded.
    case answer(Frame, Answer)
    /// An answer that is encoded together with the snapshot, because it must show the snapshot's
    /// state.
    case lateAnswer(Answer)
    /// A message that is never dropped, and is sent before any snapshot: the welcome.
    case retained(Frame)
  }

  private(set) var waiting: Deque<Waiting> = [] { didSet { noteIdle() } }
  private(set) var byteCount = 0
  /// Whether the connection is write-blocked.
  var isFull = false { didSet { noteIdle() } }
  /// Whether updates were dropped that a snapshot must replace.
  private(set) var needsSnapshot = false { didSet { noteIdle() } }
  /// Whether a message can be sent at once. Stored, so that a delivery does not read the queue.
  private(set) var isIdle = true

  private mutating func noteIdle() { isIdle = !isFull && waiting.isEmpty && !needsSnapshot }

  /// - Parameters:
  ///   - byteCountMax: The maximum of pending bytes; with more, updates are dropped.
  ///   - countMax: The maximum of pending messages; with more, updates are dropped.
  mutating func append(_ message: Waiting, byteCountMax: Int, countMax: Int = 1000) {
    if needsSnapshot {
      if let retained = Outbox.retained(of: message) { waiting.append(retained) }
      return
    }
    waiting.append(message)
    byteCount += Outbox.byteCount(of: message)
    if byteCount > byteCountMax || waiting.count > countMax { dropUpdates() }
  }

  mutating func next() -> Waiting? {
    guard let message = waiting.popFirst() else { return nil }
    if !needsSnapshot { byteCount -= Outbox.byteCount(of: message) }
    return message
  }

  /// Encodes the late answers. Called right before a snapshot is sent.
  ///
  /// - Parameter encode: Encodes an answer for the state of the snapshot. If it was encoded later,
  ///   it would show changes whose deltas the client has not received yet.
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

  /// Removes the first message if it must be sent before the snapshot.
  mutating func nextRetained() -> Frame? {
    guard case .retained(let frame) = waiting.first else { return nil }
    waiting.removeFirst()
    return frame
  }

  /// Inserts a message before all pending ones.
  mutating func prepend(_ message: Waiting) {
    waiting.prepend(message)
    byteCount += Outbox.byteCount(of: message)
  }

  mutating func clear() { self = Outbox() }

  /// Drops the updates, which a snapshot must replace.
  mutating func dropUpdates() {
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
