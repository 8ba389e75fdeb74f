import CivilTime

/// Sessions in the order of their numbers.
///
/// Thousands may be there, and all be looked at a few times a second: nothing is sorted then.
struct HostedSessions {
  /// `nil`: it was removed.
  private var sessions: [HostedSession?] = []
  private var numbers: [Int] = []
  private var count = 0

  var isEmpty: Bool { count == 0 }

  var inOrder: [HostedSession] { sessions.compactMap(\.self) }

  mutating func insert(_ session: HostedSession) {
    count += 1
    // Nearly always the newest one.
    let index = numbers.partitionPoint { $0 >= session.number }
    if index < numbers.count, numbers[index] == session.number {
      sessions[index] = session
    } else {
      sessions.insert(session, at: index)
      numbers.insert(session.number, at: index)
    }
  }

  mutating func remove(_ session: HostedSession) {
    let index = numbers.partitionPoint { $0 >= session.number }
    guard index < numbers.count, numbers[index] == session.number, sessions[index] != nil else {
      return
    }
    sessions[index] = nil
    count -= 1
    guard numbers.count > 2 * count + 64 else { return }
    sessions.removeAll { $0 == nil }
    numbers = sessions.compactMap { $0?.number }
  }
}
