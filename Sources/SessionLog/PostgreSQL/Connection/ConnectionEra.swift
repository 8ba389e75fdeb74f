import Synchronization

/// The time since the database was last found not to answer. Connections from before it are not
/// waited for any more: another server may have taken over, and waiting for each of them in turn,
/// for as long as a call may take, would delay its use.
final class ConnectionEra: Sendable {
  private let number = Atomic(0)

  /// How long it takes at most until a call in progress fails at the end of an era.
  static let noticeMilliseconds = 250

  /// A moment of an era.
  struct Moment {
    fileprivate let number: Int
    fileprivate let era: ConnectionEra

    /// Whether the era of the moment has ended.
    var isOver: Bool { era.number.load(ordering: .relaxed) != number }
  }

  var now: Moment { Moment(number: number.load(ordering: .relaxed), era: self) }

  func end() { number.add(1, ordering: .relaxed) }
}
