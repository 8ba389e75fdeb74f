import CivilTime
import PickerSession

/// With fewer ended sessions and connections the queues are never compacted.
private let endedCountMin = 16

/// Compaction of the timer and tick queues.
extension Hub {
  /// Counts an ended session or connection, and compacts the queues when a quarter of their entries
  /// may be obsolete. So the amortized cost of each ended session or connection is constant.
  func noteEnd() {
    endedCount += 1
    let entryCount = timers.entryCount + ticks.entryCount
    guard endedCount >= max(endedCountMin, entryCount / 4) else { return }
    endedCount = 0
    timers.compact { timer, due in isLive(timer, due: due) }
    ticks.compact { session, instant in
      let queued = directory.hosted(session)?.queuedTick ?? directory.dormant(session)?.queuedTick
      return queued == instant
    }
  }

  private func isLive(_ timer: TimerQueue.Timer, due: Int64) -> Bool {
    switch timer {
    case .join(let id), .token(let id), .stalled(let id): return connections[id] != nil
    case .absence(let session, let member):
      guard let since = directory.hosted(session)?.absentSince[member] else { return false }
      return due >= since + limits.memberMilliseconds
    case .expiry(let session), .load(let session): return directory[session] != nil
    case .idle(let session), .presence(let session): return directory.hosted(session) != nil
    }
  }
}
