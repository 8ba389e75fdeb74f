import CivilTime
package import PickerHub
package import PickerModel
package import PickerSession
import Synchronization

/// The shared definitions of a server without a store, and how many sessions use each: shared by
/// the logs of all loops, lost when the process ends.
package final class MemorySharedDefinitions: SharedDefinitions {
  struct State {
    var versions: [String: SharedDefinition] = [:]
    var useCounts: [String: Int] = [:]
    /// Since when no session uses a definition, in milliseconds since 1970.
    var unusedSince: [String: Int64] = [:]
    var version = 0
    var byteCount = 0
    var tables: [String: MemoryInventoryTable] = [:]

    mutating func remove(_ name: String) {
      byteCount -= versions[name]?.byteCount ?? 0
      (versions[name], unusedSince[name], tables[name]) = (nil, nil, nil)
    }

    /// Removes a definition, or all, that have been unused since a time.
    mutating func removeUnused(_ name: String? = nil, before end: Int64?) {
      guard let end else { return }
      let names = name.map { [$0] } ?? Array(unusedSince.keys)
      for name in names where unusedSince[name].map({ $0 <= end }) ?? false {
        // Bookings are the host's record, also when all sessions have ended.
        if tables[name]?.state.bookedCount ?? 0 == 0 { remove(name) }
      }
    }
  }

  /// The maximum of their memory in bytes, an estimate.
  private static let byteCountMax = 268_435_456
  let state = Mutex(State())
  let feed: MemoryFeed?
  private let memory: (any MemoryAccount)?
  private let unusedSeconds: Int?
  let now: @Sendable () -> Int64
  private let notify: @Sendable (SharedDefinition) -> Void
  let inventoryClock: MemoryInventoryClock?
  let inventoryTime: InventoryTime

  /// - Parameters:
  ///   - feed: Reports new versions.
  ///   - memory: Counts the definitions.
  ///   - unusedSeconds: How long a definition exists that no session uses; `nil`: until it is
  ///     deleted.
  ///   - now: Milliseconds since 1970; called on any thread.
  ///   - inventoryClock: Lets time pass in the inventories; `nil`: it passes when they are used.
  ///   - notify: Passes a new version to the hubs.
  package init(
    feed: MemoryFeed? = nil, memory: (any MemoryAccount)? = nil,
    unusedSeconds: Int? = nil,
    now: @escaping @Sendable () -> Int64 = { 0 },
    inventoryClock: MemoryInventoryClock? = nil,
    notify: @escaping @Sendable (SharedDefinition) -> Void
  ) {
    (self.feed, self.memory, self.unusedSeconds) = (feed, memory, unusedSeconds)
    (self.now, self.notify, self.inventoryClock) = (now, notify, inventoryClock)
    inventoryTime = InventoryTime(system: now)
  }

  /// What has been unused since then does not exist any more; `nil`: everything does.
  private var end: Int64? { unusedSeconds.map { now() - Int64($0) * 1000 } }

  package func read(_ name: String) -> SharedDefinition? {
    let end = end
    return state.withLock { state in
      state.removeUnused(name, before: end)
      return state.versions[name]
    }
  }

  package func read(
    _ name: String, completion: @escaping @Sendable (LogLookup<SharedDefinition>) -> Void
  ) { completion(LogLookup(read(name))) }

  package func write(
    _ draft: SharedDraft, replacing version: Int?,
    completion: @escaping @Sendable (SharedWriting) -> Void
  ) {
    let (end, now) = (end, now())
    var changed: MemoryInventoryChange?
    let outcome = state.withLock { state -> (SharedWriting, SharedDefinition?) in
      state.removeUnused(before: end)
      let current = state.versions[draft.name]?.version
      guard current == version else { return (.outdated(current: current ?? 0), nil) }
      guard current != nil || state.versions.count < SharedDefinition.countMax else {
        return (.tooMany, nil)
      }
      let byteCount =
        state.byteCount - (state.versions[draft.name]?.byteCount ?? 0) + draft.byteCount
      guard byteCount <= MemorySharedDefinitions.byteCountMax else { return (.full, nil) }
      guard let inventory = state.change(draft, at: inventoryTime.now) else { return (.inUse, nil) }
      state.byteCount = byteCount
      state.version += 1
      let shared = SharedDefinition(
        name: draft.name, version: state.version, document: draft.document, notes: draft.notes,
        inventory: draft.inventory, memory: memory)
      state.versions[draft.name] = shared
      if state.useCounts[draft.name] == nil { state.unusedSince[draft.name] = now }
      changed = inventory
      return (.done(version: shared.version), shared)
    }
    if let shared = outcome.1 {
      notify(shared)
      if draft.isReported, let feed {
        feed.append([
          FeedEvent(
            sharedDefinition: shared.name, version: shared.version, epoch: feed.epoch,
            at: Instant(milliseconds: now))
        ])
      }
    }
    if let changed { report(changed) }
    completion(outcome.0)
  }

  package func remove(
    _ name: String, if versions: VersionMatch?,
    completion: @escaping @Sendable (SharedWriting) -> Void
  ) {
    completion(
      state.withLock { state in
        guard let known = state.versions[name] else { return .absent }
        let version = known.version
        guard versions?.names(version) ?? true else { return .outdated(current: version) }
        if state.useCounts[name] != nil || state.tables[name]?.state.bookedCount ?? 0 > 0 {
          return .inUse
        }
        state.remove(name)
        return .done(version: version)
      })
  }

  /// A session is created with a definition.
  ///
  /// - Parameter takes: Whether it takes from the definition's inventory.
  /// - Returns: `false` if there is none of this name any more.
  func use(_ name: String, takes: Bool) -> Bool {
    let end = end
    return state.withLock { state in
      state.removeUnused(name, before: end)
      guard state.versions[name] != nil, state.tables[name] == nil || takes else { return false }
      state.useCounts[name, default: 0] += 1
      state.unusedSince[name] = nil
      return true
    }
  }

  /// A session has ended.
  func release(_ name: String) {
    let now = now()
    state.withLock { state in
      let count = (state.useCounts[name] ?? 1) - 1
      state.useCounts[name] = count == 0 ? nil : count
      if count == 0 { state.unusedSince[name] = now }
    }
  }
}
