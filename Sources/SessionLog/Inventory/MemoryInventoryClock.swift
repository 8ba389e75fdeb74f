import PickerSession
import Synchronization

/// Lets time pass in the inventories of a server without a store, and reports their changes.
package final class MemoryInventoryClock: Sendable {
  private let times = Mutex(InventoryTimes())
  private let after: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
  private let notify: @Sendable (_ name: String, _ number: Int) -> Void

  /// - Parameters:
  ///   - after: Calls a function after some time, on any thread.
  ///   - notify: Passes a change to the hubs.
  package init(
    after: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void,
    notify: @escaping @Sendable (_ name: String, _ number: Int) -> Void
  ) {
    (self.after, self.notify) = (after, notify)
  }

  /// An inventory may have changed.
  func note(_ change: MemoryInventoryChange, in definitions: MemorySharedDefinitions) {
    let isNew = times.withLock { times in
      times.note(change.name, number: change.number, end: change.nextEnd)
    }
    if isNew { notify(change.name, change.number) }
    wake(definitions)
  }

  private func wake(_ definitions: MemorySharedDefinitions) {
    let grace = InventoryDecision<MemoryInventoryTable>.graceMilliseconds
    guard let next = times.withLock({ $0.nextLook(grace: grace) }) else { return }
    let wait = max(0, next - definitions.inventoryTime.now) + 10
    after(.milliseconds(wait)) { [weak self, weak definitions] in
      guard let self, let definitions else { return }
      look(in: definitions)
    }
  }

  /// Ends what is due.
  func look(in definitions: MemorySharedDefinitions) {
    let grace = InventoryDecision<MemoryInventoryTable>.graceMilliseconds
    let due = times.withLock { $0.takeDue(at: definitions.inventoryTime.now, grace: grace) }
    for name in due { definitions.passTime(in: name) }
    wake(definitions)
  }
}

/// What became of an inventory in memory.
struct MemoryInventoryChange: Sendable {
  let name: String
  let number: Int
  /// When the first hold or offer ends, in milliseconds since 1970.
  let nextEnd: Int64?
  /// Keys of which more is taken than there is, for the feed.
  var over: [String] = []

  init(_ name: String, _ table: MemoryInventoryTable, over: [String] = []) {
    (self.name, number, self.over) = (name, table.state.number, over)
    nextEnd = table.nextEnd?.milliseconds
  }
}
