package import PickerHub
package import PickerSession

/// The shared definitions of a store. The hubs receive every new version as a
/// ``StoreNotice/shared(_:)``. Can be called on any thread.
/// - Source: web/guide/inventory.md, "One inventory for many sessions".
package protocol SharedDefinitions: AnyObject, Sendable {
  /// Reads the newest version of a definition.
  ///
  /// - Parameter completion: Called on any thread.
  func read(
    _ name: String, completion: @escaping @Sendable (LogLookup<SharedDefinition>) -> Void)
  /// Stores a new version, or a new definition.
  ///
  /// - Parameters:
  ///   - version: The version that it replaces; `nil`: there is none.
  ///   - completion: Called on any thread.
  func write(
    _ draft: SharedDraft, replacing version: Int?,
    completion: @escaping @Sendable (SharedWriting) -> Void)
  /// Deletes a definition that no session uses.
  ///
  /// - Parameters:
  ///   - versions: One of them must be the current one; `nil`: any is.
  ///   - completion: Called on any thread.
  func remove(
    _ name: String, if versions: VersionMatch?,
    completion: @escaping @Sendable (SharedWriting) -> Void)
}

/// The outcome of changing a shared definition.
package enum SharedWriting: Hashable, Sendable {
  /// - Parameter version: The new version; the last one of a definition that is deleted.
  case done(version: Int)
  /// Another version is the current one.
  case outdated(current: Int)
  case absent
  case inUse
  /// There are ``SharedDefinition/countMax`` definitions already.
  case tooMany
  /// The store has reached its maximum size.
  case full
  case unavailable
}
