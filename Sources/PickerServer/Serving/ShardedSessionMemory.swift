import CMachine
import Logging
import PickerHub
import Synchronization

/// A count of the memory of the sessions of all loops, lock-free while no session is refused. Logs
/// when creations begin to be refused, at most once a minute, and when there is room again.
final class ShardedSessionMemory: SessionMemory, Sendable {
  private struct Report {
    /// Whether the last line says that creations are refused.
    var isRefusing = false
    /// In milliseconds.
    var lastRefusal = Int64.min / 2
  }

  private static let reportMilliseconds: Int64 = 60_000

  private let count = Atomic(0)
  private let countMax = Atomic(Int.max)
  private let refused = Atomic(0)
  private let report = Mutex(Report())
  private let log: Logger
  private let now: @Sendable () -> Int64

  /// - Parameter now: The monotonic clock, in milliseconds.
  init(log: Logger, now: @escaping @Sendable () -> Int64 = machine_monotonic_ms) {
    self.log = log
    self.now = now
  }

  var byteCount: Int { count.load(ordering: .relaxed) }
  var byteCountMax: Int {
    get { countMax.load(ordering: .relaxed) }
    set {
      countMax.store(newValue, ordering: .relaxed)
      noteRoom()
    }
  }

  var refusedByteCount: Int {
    get { refused.load(ordering: .relaxed) }
    set {
      let before = refused.exchange(newValue, ordering: .relaxed)
      if newValue > 0 { noteRefusal() } else if before > 0 { noteAcceptance() }
    }
  }

  func add(_ byteCount: Int) {
    count.add(byteCount, ordering: .relaxed)
    if byteCount < 0 { noteRoom() }
  }

  private func noteRoom() {
    if refusedByteCount > 0, hasRoomForRefused { noteAcceptance() }
  }

  private func noteRefusal() {
    let now = now()
    let isNews = report.withLock { report in
      guard !report.isRefusing, now - report.lastRefusal >= Self.reportMilliseconds else {
        return false
      }
      report = Report(isRefusing: true, lastRefusal: now)
      return true
    }
    guard isNews else { return }
    log.warning(
      """
      new sessions are refused: the sessions in memory take \(byteCount) bytes of at most \
      \(byteCountMax) (--limit sessionsBytes=)
      """)
  }

  private func noteAcceptance() {
    let isNews = report.withLock { report in
      defer { report.isRefusing = false }
      return report.isRefusing
    }
    if isNews { log.warning("new sessions are accepted again: there is memory for them") }
  }
}
