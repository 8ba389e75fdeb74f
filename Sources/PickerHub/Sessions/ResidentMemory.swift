import PickerSession

/// The memory of a hub's sessions in bytes, an estimate. Their definitions count themselves.
///
/// Invariant: the ``SessionMemory`` of the server has the sum of the charges of the sessions in
/// memory.
struct ResidentMemory {
  /// What is counted of a session.
  struct Charge {
    fileprivate let byteCount: Int
    /// The part of it that is its history.
    fileprivate let historyByteCount: Int

    fileprivate init(_ session: Session) {
      (byteCount, historyByteCount) = (session.byteCount, session.historyByteCount)
    }
  }

  private let total: any SessionMemory
  private let hubCount: Int
  private var historyByteCount = 0

  init(total: any SessionMemory, hubCount: Int) {
    (self.total, self.hubCount) = (total, hubCount)
  }

  func hasRoom(for byteCount: Int) -> Bool { total.hasRoom(for: byteCount) }

  /// Whether dropping the histories is worth looking at all sessions.
  var hasHistories: Bool { historyByteCount > total.byteCountMax / (16 * hubCount) }

  var refusesSessions: Bool { !total.hasRoomForRefused && !hasHistories }

  /// A session was about to be created.
  func note(_ session: Session, isRefused: Bool) {
    total.refusedByteCount =
      isRefused ? session.byteCount + session.fold.origin.definition.byteCount : 0
  }

  /// Counts a session.
  mutating func add(_ session: Session) -> Charge {
    let charge = Charge(session)
    count(charge, 1)
    return charge
  }

  /// Counts a session again, which has changed.
  mutating func update(_ charge: inout Charge, of session: Session) {
    count(charge, -1)
    charge = Charge(session)
    count(charge, 1)
  }

  /// Counts a session no more.
  mutating func remove(_ charge: Charge) { count(charge, -1) }

  private mutating func count(_ charge: Charge, _ factor: Int) {
    total.add(factor * charge.byteCount)
    historyByteCount += factor * charge.historyByteCount
  }
}
