import CivilTime
import PickerSession

/// Ended sessions and connections whose entries may stay in the queues, at least.
private let endedCountMin = 16

/// Sessions and connections that come and go do not fill the queues of timers and ticks.
extension Hub {
  /// A session or a connection has ended. Its entries are removed together with those of others, as
  /// soon as they may be a quarter of all: so that costs a few steps for each.
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
    case .join(let id), .stalled(let id): return connections[id] != nil
    case .absence(let session, let member):
      guard let since = directory.hosted(session)?.absentSince[member] else { return false }
      return due >= since + limits.memberMilliseconds
    case .expiry(let session), .load(let session): return directory[session] != nil
    case .idle(let session), .presence(let session): return directory.hosted(session) != nil
    }
  }
}
