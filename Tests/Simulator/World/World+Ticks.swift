import CivilTime
import PickerHub

/// The time in which a due tick must be in the log, in machine milliseconds. The hub retries a tick
/// that the log refused after a second.
private let tickDelayMax: Int64 = 2000
/// The same where the clocks of nodes differ by up to 3 s.
private let clusterTickDelayMax: Int64 = 6000
/// The steps of a session that are committed well within that time, one after the other.
private let askCountMax = 20
/// The delay after which loading a session is retried.
private let loadDelayMax: Int64 = 65_000

/// Checks that no tick is lost. The replica, which is computed only from the log, has the time at
/// which the next tick is due, for sessions in memory and evicted ones.
///
/// Runs before and after each call of the hub, because the next command of a member ticks the
/// session too, and would hide a lost tick.
extension World {
  func checkTicks() {
    noteResidents()
    guard database?.isFailing != true, nodes.allSatisfy({ $0.log?.failure == nil }) else { return }
    let tickDelayMax = profile.isClustered ? clusterTickDelayMax : tickDelayMax
    for record in records where !record.isEnded && !hub.isEnding(record.id) {
      guard let fold = replicas[record.id]?.fold, let due = fold.nextTick, due <= clock.session
      else { continue }
      let isInMemory = resident(record.id) != nil
      if doubted[record.id] != nil { continue }
      if !isInMemory, profile.isMemoryShort || clock.machine - lastTrouble < loadDelayMax {
        continue
      }
      let since = max(overdueSince(due), residentSince[record.id] ?? .min / 2)
      if clock.machine - since > tickDelayMax {
        breach("the tick of \(due.rfc3339) is applied within \(tickDelayMax) ms")
      }
    }
  }

  /// A session that was loaded after its tick was due is ticked then, which takes a log write. Where
  /// many commands ask the inventory, each waits for the commit of the one before it, and the tick
  /// for all.
  private func noteResidents() {
    for record in records {
      let steps = resident(record.id)?.hub.contents(of: record.id)?.steps
      if steps == nil {
        residentSince[record.id] = nil
      } else if residentSince[record.id] == nil || profile.sells && steps ?? 0 > askCountMax {
        residentSince[record.id] = clock.machine
      }
    }
  }

  /// The time from which on the hub could tick a due session, in machine milliseconds.
  private func overdueSince(_ due: Instant) -> Int64 {
    let elapsed = clock.session.milliseconds - due.milliseconds
    let reached = clock.runs ? clock.machine - elapsed : 0
    return max(reached, lastClockSet, lastTrouble)
  }
}
