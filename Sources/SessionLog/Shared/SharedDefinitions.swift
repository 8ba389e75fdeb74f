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

  /// Reads counts of an inventory. The completions of this function and of those below are called
  /// on any thread; ``LogLookup/absent`` says that there is no inventory of this name.
  func counts(
    _ query: InventoryQuery, of name: String,
    completion: @escaping @Sendable (LogLookup<InventoryPage>) -> Void)
  /// Reads the keys on which more is taken than there is, at most 100.
  func keysOver(
    of name: String, completion: @escaping @Sendable (LogLookup<[String]>) -> Void)
  /// Books for somebody elsewhere.
  func book(
    _ booking: HostBooking, in name: String,
    completion: @escaping @Sendable (BookingOutcome) -> Void)
  /// Reads bookings: those of a key, or all, after an id.
  func bookings(
    of name: String, key: String?, after: String?, limit: Int,
    completion: @escaping @Sendable (LogLookup<BookingPage>) -> Void)
  /// Reads a booking; `nil` if there is none.
  func booking(
    _ id: String, of name: String,
    completion: @escaping @Sendable (LogLookup<HostBooking?>) -> Void)
  /// Deletes a booking, and offers what it had to the line.
  func removeBooking(
    _ id: String, of name: String, completion: @escaping @Sendable (BookingRemoval) -> Void)
}

/// Without an inventory.
extension SharedDefinitions {
  package func counts(
    _ query: InventoryQuery, of name: String,
    completion: @escaping @Sendable (LogLookup<InventoryPage>) -> Void
  ) { completion(.absent) }

  package func keysOver(
    of name: String, completion: @escaping @Sendable (LogLookup<[String]>) -> Void
  ) { completion(.absent) }

  package func book(
    _ booking: HostBooking, in name: String,
    completion: @escaping @Sendable (BookingOutcome) -> Void
  ) { completion(.noInventory) }

  package func bookings(
    of name: String, key: String?, after: String?, limit: Int,
    completion: @escaping @Sendable (LogLookup<BookingPage>) -> Void
  ) { completion(.absent) }

  package func booking(
    _ id: String, of name: String,
    completion: @escaping @Sendable (LogLookup<HostBooking?>) -> Void
  ) { completion(.absent) }

  package func removeBooking(
    _ id: String, of name: String, completion: @escaping @Sendable (BookingRemoval) -> Void
  ) { completion(.noInventory) }
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
