import Synchronization

/// The changes of each shared definition in the current second.
final class SharedRates: Sendable {
  private static let countMax = 20
  private let state = Mutex<(second: Int64, counts: [String: Int])>((0, [:]))

  /// - Parameter now: Milliseconds.
  /// - Returns: `false` if there are more than allowed.
  func count(_ name: String, at now: Int64) -> Bool {
    state.withLock { state in
      if state.second != now / 1000 { state = (now / 1000, [:]) }
      state.counts[name, default: 0] += 1
      return state.counts[name, default: 0] <= SharedRates.countMax
    }
  }
}
