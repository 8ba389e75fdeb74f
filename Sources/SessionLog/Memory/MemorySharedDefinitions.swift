package import PickerHub
package import PickerSession
import Synchronization

/// The shared definitions of a server without a store, and how many sessions use each: shared by
/// the logs of all loops, lost when the process ends.
package final class MemorySharedDefinitions: SharedDefinitions {
  private struct State {
    var versions: [String: SharedDefinition] = [:]
    var useCounts: [String: Int] = [:]
    var version = 0
    var byteCount = 0
  }

  /// The maximum of their memory in bytes, an estimate.
  private static let byteCountMax = 268_435_456
  private let state = Mutex(State())
  private let notify: @Sendable (SharedDefinition) -> Void

  /// - Parameter notify: Passes a new version to the hubs.
  package init(notify: @escaping @Sendable (SharedDefinition) -> Void) { self.notify = notify }

  package func read(_ name: String) -> SharedDefinition? { state.withLock { $0.versions[name] } }

  package func read(
    _ name: String, completion: @escaping @Sendable (LogLookup<SharedDefinition>) -> Void
  ) { completion(read(name).map { .found($0) } ?? .absent) }

  package func write(
    _ draft: SharedDraft, replacing version: Int?,
    completion: @escaping @Sendable (SharedWriting) -> Void
  ) {
    let outcome = state.withLock { state -> (SharedWriting, SharedDefinition?) in
      let current = state.versions[draft.name]?.version
      guard current == version else { return (.outdated(current: current ?? 0), nil) }
      guard current != nil || state.versions.count < SharedDefinition.countMax else {
        return (.tooMany, nil)
      }
      let byteCount =
        state.byteCount - (state.versions[draft.name]?.byteCount ?? 0) + draft.byteCount
      guard byteCount <= MemorySharedDefinitions.byteCountMax else { return (.full, nil) }
      state.byteCount = byteCount
      state.version += 1
      let shared = SharedDefinition(
        name: draft.name, version: state.version, document: draft.document, notes: draft.notes)
      state.versions[draft.name] = shared
      return (.done(version: shared.version), shared)
    }
    if let shared = outcome.1 { notify(shared) }
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
        if state.useCounts[name] != nil { return .inUse }
        state.versions[name] = nil
        state.byteCount -= known.byteCount
        return .done(version: version)
      })
  }

  /// A session is created with a definition.
  ///
  /// - Returns: `false` if there is none of this name any more.
  func use(_ name: String) -> Bool {
    state.withLock { state in
      guard state.versions[name] != nil else { return false }
      state.useCounts[name, default: 0] += 1
      return true
    }
  }

  /// A session has ended.
  func release(_ name: String) {
    state.withLock { state in
      let count = (state.useCounts[name] ?? 1) - 1
      state.useCounts[name] = count == 0 ? nil : count
    }
  }
}
