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
    let index = self.index(of: session.number)
    if index < numbers.count, numbers[index] == session.number {
      sessions[index] = session
    } else {
      sessions.insert(session, at: index)
      numbers.insert(session.number, at: index)
    }
  }

  mutating func remove(_ session: HostedSession) {
    let index = self.index(of: session.number)
    guard index < numbers.count, numbers[index] == session.number, sessions[index] != nil else {
      return
    }
    sessions[index] = nil
    count -= 1
    guard numbers.count > 2 * count + 64 else { return }
    sessions.removeAll { $0 == nil }
    numbers = sessions.compactMap { $0?.number }
  }

  /// The first index whose number is not below `number`.
  private func index(of number: Int) -> Int {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
