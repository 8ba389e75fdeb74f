import Foundation
import JSONText
import PickerSession

/// An action of a client on one of its connections.
enum LinkEvent: Sendable {
  case opened(ConnectionID)
  case joined(ConnectionID, JSONTree)
  /// A message with a `ref`.
  case command(ConnectionID, JSONTree)
  case closed(ConnectionID)
}

/// The events of a scene in order, written on the loop's thread and read on the scene's.
/// `@unchecked Sendable`: guarded by a lock.
final class LinkEvents: @unchecked Sendable {
  private let condition = NSCondition()
  private var events: [LinkEvent] = []

  func add(_ event: LinkEvent) {
    condition.lock()
    events.append(event)
    condition.broadcast()
    condition.unlock()
  }

  var count: Int {
    condition.lock()
    defer { condition.unlock() }
    return events.count
  }

  /// Waits for an event of a kind.
  ///
  /// - Parameter cursor: The index of the first event to look at; set to the index after the found
  ///   event.
  func next<Found>(
    from cursor: inout Int, within seconds: Double, _ find: (LinkEvent) -> Found?
  ) -> Found? {
    condition.lock()
    defer { condition.unlock() }
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
      while cursor < events.count {
        cursor += 1
        if let found = find(events[cursor - 1]) { return found }
      }
      if !condition.wait(until: deadline) { return nil }
    }
  }
}
