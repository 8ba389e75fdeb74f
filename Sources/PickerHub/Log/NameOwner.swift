package import PickerSession

/// The owner of a name of a creation.
package enum NameOwner: Sendable {
  /// A living session has the external id.
  case session(SessionID)
  /// A session was created with the idempotency key.
  case key(CreationKey)
}
