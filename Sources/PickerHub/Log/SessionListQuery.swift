package import PickerSession

/// A request for a page of the list of sessions.
package struct SessionListQuery: Hashable, Sendable {
  /// Only the session with this external id, if any.
  package let external: String?
  /// Only sessions with this status, if any.
  package let status: SessionStatus?
  /// Only sessions of this namespace, if any.
  package let namespace: String?
  /// Only sessions that use this shared definition, if any.
  package let uses: String?
  /// Only sessions with a greater ordinal; 0: from the first one.
  package let after: Int64
  /// The maximum number of sessions.
  package let limit: Int

  package init(
    external: String?, status: SessionStatus?, namespace: String? = nil, uses: String? = nil,
    after: Int64, limit: Int
  ) {
    self.external = external
    self.namespace = namespace
    self.uses = uses
    self.status = status
    self.after = after
    self.limit = limit
  }
}
