import CivilTime
import PickerHub

/// After what time, in machine milliseconds, a tick that is due must be in the log. The hub tries
/// one that the log refused again after a second.
private let tickDelayMax: Int64 = 2000
/// A session whose loading failed is loaded again after a minute.
private let loadDelayMax: Int64 = 65_000

/// No tick is lost: the log, folded apart from the hub, says when the next one is due, for sessions
/// in memory and for those that are not.
///
/// Checked before and after every call of the hub, because the next command of any member would
/// tick the session, and hide that nobody else did.
extension World {
  func checkTicks() {
    guard !log.isFailing else { return }
    for record in records where !record.isEnded && !hub.isEnding(record.id) {
      guard let fold = replicas[record.id]?.fold, let due = fold.nextTick, due <= clock.session
      else { continue }
      let isInMemory = hub.session(record.id) != nil
      if !isInMemory, clock.machine - lastTrouble < loadDelayMax { continue }
      if clock.machine - overdueSince(due) > tickDelayMax {
        breach("the tick of \(due.rfc3339) is applied within \(tickDelayMax) ms")
      }
    }
  }

  /// Since when the hub could have ticked a session that is due, in machine milliseconds.
  private func overdueSince(_ due: Instant) -> Int64 {
    let elapsed = clock.session.milliseconds - due.milliseconds
    let reached = clock.runs ? clock.machine - elapsed : 0
    return max(reached, lastClockSet, lastTrouble)
  }
}
